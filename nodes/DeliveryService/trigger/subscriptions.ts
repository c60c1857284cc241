import { NodeApiError } from 'n8n-workflow';

import { realClock } from '../common/clock';
import type { Subscription } from '../service/requests';
import type { Webhook, Webhooks } from '../service/webhooks';
import { isBare, type Owner } from './address';
import {
	diff,
	listedAs,
	ownAddress,
	plainUrl,
	subscriptionOf,
	twinsOf,
	type Desired,
	type Diff,
} from './diff';

/** What could not be removed for certain, and why. */
export interface Leftover {
	subscriptions: Subscription[];
	reason: unknown;
}

/** What came of bringing the service's list in line. */
export interface Reconciliation {
	/** What was found blacklisted, and made anew. */
	blacklisted: Subscription[];
	/** What the trigger works without, but should not be there. */
	leftover?: Leftover;
	/** Whether the service lists addresses without their query, and may call them so. */
	isQueryDropped: boolean;
	/** What was listed of this node at another address of n8n. */
	twins: Webhook[];
}

/** More rounds than that are not made for a service that does not remove what it confirms. */
const mostRounds = 3;

/**
 * Makes the service's list hold exactly what is desired: what is blacklisted or there twice is
 * removed until it is not, what is missing made, what is stale removed last, so that a changed
 * secret loses no event. What the service refuses to remove keeps nothing from being made. When one
 * can't be made, none stays that was made now: also not the one whose request failed, since the
 * service may have done it without its answer arriving.
 *
 * @throws what the failing request threw
 */
export async function reconcile(webhooks: Webhooks, desired: Desired): Promise<Reconciliation> {
	const listed = await listOf(webhooks);
	const twins = twinsOf(desired, listed);
	let found = diff(desired, listed);
	const { blacklisted } = found;
	const toRemove = removable(found);
	let spoiled = [...found.blacklisted, ...found.surplus];
	let kept: Leftover | undefined;
	for (let round = 0; round < mostRounds && spoiled.length > 0 && !kept; round++) {
		kept = await unsubscribeAll(webhooks, desired, spoiled);
		found = diff(desired, await listOf(webhooks));
		spoiled = [...found.blacklisted, ...found.surplus];
	}
	const reason = kept?.reason ?? (spoiled.length > 0 ? stillThere : undefined);
	const isQueryDropped = await makeAll(webhooks, desired, found.missing, reason);
	if (toRemove.length === 0) return { blacklisted, isQueryDropped, twins };
	const refused = await unsubscribeAll(webhooks, desired, found.stale);
	const rest = await webhooks.list().then(
		({ webhooks: left }) => diff(desired, left),
		() => undefined,
	);
	const leftover = refused ?? leftoverOf(rest ? removable(rest) : [], kept?.reason);
	return { blacklisted, leftover, isQueryDropped, twins };
}

/** The service calls an address no more, and can neither be had to remove it nor to take it anew. */
export class StillBlacklistedError extends Error {
	constructor(
		readonly subscriptions: readonly Subscription[],
		/** Why it was not removed; absent when it had just been made. */
		readonly reason?: unknown,
	) {
		super();
	}
}

/**
 * @param reason why what is blacklisted was not removed
 * @returns whether the service lists what was made without its query
 */
async function makeAll(
	webhooks: Webhooks,
	desired: Desired,
	missing: readonly Subscription[],
	reason?: unknown,
): Promise<boolean> {
	if (missing.length === 0) return false;
	const made: Subscription[] = [];
	let listed: Webhook[] = [];
	let isWhole = false;
	try {
		for (const subscription of missing) {
			made.push(subscription);
			// It was there before, though the list did not show it: a failure must not take it off.
			if (!(await make(webhooks, desired, subscription))) made.pop();
		}
		listed = await listOf(webhooks).catch(() => []);
		const found = diff(desired, listed);
		const dead = found.blacklisted.filter(({ action }) =>
			found.missing.some((one) => one.action === action),
		);
		if (dead.length > 0) throw new StillBlacklistedError(dead, reason);
		isWhole = true;
	} finally {
		if (!isWhole) await unsubscribeAll(webhooks, desired, made);
	}
	return diff({ ...desired, wasSubscribed: false }, listed).missing.some(({ action }) =>
		listed.some((one) => one.action === action && isBare(desired.webhookUrl, one.url)),
	);
}

/**
 * Subscribes. Where the service fails or knows of a subscription already, its list tells whether the
 * address is there all the same.
 *
 * @returns false when it was there before
 */
async function make(
	webhooks: Webhooks,
	desired: Desired,
	subscription: Subscription,
): Promise<boolean> {
	const listedOf = async (action: number) =>
		(await listOf(webhooks)).filter((webhook) => webhook.action === action);
	const isThere = (listed: readonly Webhook[]) =>
		listedAs(desired, subscription, listed).some(({ status }) => status !== 'blacklisted');
	const { isDone, said } = await webhooks.subscribe(subscription).catch(async (error: unknown) => {
		const listed = await listedOf(subscription.action).catch(() => []);
		if (!isThere(listed)) throw error;
		return { isDone: true, said: '' };
	});
	if (isDone) return true;
	const listed = await listedOf(subscription.action).catch(() => []);
	if (listed.length > 0 && listedAs(desired, subscription, listed).length === 0)
		throw new ConflictError(said);
	return false;
}

/**
 * The service takes no further address for an event, and lists others than this node's. Its message
 * is what the service said.
 */
export class ConflictError extends Error {}

/** Statuses of a service that has no list for this key: it may subscribe all the same. */
const withoutList = ['403', '405', '501'];

/** What the service lists; nothing when it lets nobody look. */
export async function listOf(webhooks: Webhooks): Promise<Webhook[]> {
	const listing = await webhooks.list().catch((error: unknown) => {
		if (error instanceof NodeApiError && withoutList.includes(error.httpCode ?? '')) return;
		throw error;
	});
	return listing?.webhooks ?? [];
}

/** What a list holds of this node that should be gone. */
function removable({ stale, blacklisted, surplus }: Diff): Subscription[] {
	return [...stale, ...blacklisted, ...surplus];
}

const stillThere = new Error('The Delivery Service still lists what it was asked to remove');

function leftoverOf(
	subscriptions: Subscription[],
	reason: unknown = stillThere,
): Leftover | undefined {
	return subscriptions.length > 0 ? { subscriptions, reason } : undefined;
}

/** What a node has subscribed as far as it knows. */
export interface Known {
	exact: readonly Subscription[];
	/** Whether it is certain that they were subscribed, and not taken off since. */
	wasSubscribed: boolean;
	/** What is not to be removed, though it is the node's. */
	kept?: readonly Subscription[];
}

/**
 * How long the list may go on to show what is removed. n8n may ask right after whether the node is
 * subscribed, and what is still shown then would count.
 */
const looksAfterMs = [300, 1000];

/**
 * Removes the subscriptions of the node; one that is gone already is no fault. Never throws.
 *
 * @param known `exact` is tried when the list cannot be read, or does not show what was subscribed
 * @returns what may remain, or undefined when nothing does
 */
export async function removeOwn(
	webhooks: Webhooks,
	owner: Owner,
	{ exact, wasSubscribed, kept = [] }: Known,
	clock = realClock,
): Promise<Leftover | undefined> {
	const keptKeys = new Set(kept.map((one) => keyOf(owner, one)));
	const own = async () => {
		const { webhooks: listed } = await webhooks.list();
		return listed
			.filter((one) => ownAddress(owner, one.url) && !keptKeys.has(keyOf(owner, one)))
			.map(subscriptionOf);
	};
	try {
		const listed = await own();
		const shown = new Set(listed.map((one) => keyOf(owner, one)));
		const unlisted = wasSubscribed ? exact.filter((one) => !shown.has(keyOf(owner, one))) : [];
		const refused = await unsubscribeAll(webhooks, owner, [...listed, ...unlisted]);
		if (refused || listed.length === 0) return refused;
		let left = await own().catch(() => []);
		for (const ms of looksAfterMs) {
			if (left.length === 0) break;
			await clock.wait(ms);
			left = await own().catch(() => left);
		}
		return leftoverOf(left);
	} catch (reason) {
		const leftover = await unsubscribeAll(webhooks, owner, exact);
		return { subscriptions: leftover?.subscriptions ?? [], reason };
	}
}

function keyOf(owner: Owner, { url, action }: Subscription): string {
	return `${action} ${plainUrl(owner, url)}`;
}

/** Removes them all at once, so that a service that does not answer is waited for only once. */
async function unsubscribeAll(
	webhooks: Webhooks,
	owner: Owner,
	subscriptions: readonly Subscription[],
): Promise<Leftover | undefined> {
	const failures: Array<{ subscription: Subscription; reason: unknown }> = [];
	await Promise.all(
		subscriptions.map(async (subscription) => {
			try {
				await unsubscribe(webhooks, owner, subscription);
			} catch (reason) {
				failures.push({ subscription, reason });
			}
		}),
	);
	const [first] = failures;
	return (
		first && {
			subscriptions: failures.map(({ subscription }) => subscription),
			reason: first.reason,
		}
	);
}

/** Unsubscribes an address as the node made it, and if it is not known so, as the service lists it. */
async function unsubscribe(
	webhooks: Webhooks,
	owner: Owner,
	{ url, action }: Subscription,
): Promise<void> {
	const plain = plainUrl(owner, url);
	if ((await webhooks.unsubscribe({ url: plain, action })).isDone) return;
	if (plain !== url) await webhooks.unsubscribe({ url, action });
}
