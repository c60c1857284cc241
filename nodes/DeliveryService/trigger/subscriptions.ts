import { NodeApiError } from 'n8n-workflow';

import { realClock } from '../common/clock';
import type { Subscription } from '../service/requests';
import type { Webhook, Webhooks } from '../service/webhooks';
import { isBareUrl, type TriggerOwner } from './eventUrls';
import {
	diffSubscriptions,
	findListed,
	ownEventUrl,
	canonicalUrl,
	toSubscription,
	subscriptionsAtOtherHosts,
	type DesiredSubscriptions,
	type SubscriptionDiff,
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
const maxRounds = 3;

/**
 * Makes the service's list hold exactly what is desired: what is blacklisted or there twice is
 * removed until it is not, what is missing made, what is stale removed last, so that a changed
 * secret loses no event. What the service refuses to remove keeps nothing from being made. When one
 * can't be made, none stays that was made now: also not the one whose request failed, since the
 * service may have done it without its answer arriving.
 *
 * @throws what the failing request threw
 */
export async function reconcile(
	webhooks: Webhooks,
	desired: DesiredSubscriptions,
): Promise<Reconciliation> {
	const listed = await listWebhooks(webhooks);
	const twins = subscriptionsAtOtherHosts(desired, listed);
	let found = diffSubscriptions(desired, listed);
	const { blacklisted } = found;
	const toRemove = unwanted(found);
	let spoiled = [...found.blacklisted, ...found.surplus];
	let kept: Leftover | undefined;
	for (let round = 0; round < maxRounds && spoiled.length > 0 && !kept; round++) {
		kept = await unsubscribeEach(webhooks, desired, spoiled);
		found = diffSubscriptions(desired, await listWebhooks(webhooks));
		spoiled = [...found.blacklisted, ...found.surplus];
	}
	const reason = kept?.reason ?? (spoiled.length > 0 ? stillListedError : undefined);
	const isQueryDropped = await subscribeAll(webhooks, desired, found.missing, reason);
	if (toRemove.length === 0) return { blacklisted, isQueryDropped, twins };
	const refused = await unsubscribeEach(webhooks, desired, found.stale);
	const rest = await webhooks.list().then(
		({ webhooks: left }) => diffSubscriptions(desired, left),
		() => undefined,
	);
	const leftover = refused ?? toLeftover(rest ? unwanted(rest) : [], kept?.reason);
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
async function subscribeAll(
	webhooks: Webhooks,
	desired: DesiredSubscriptions,
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
			if (!(await subscribeOne(webhooks, desired, subscription))) made.pop();
		}
		listed = await listWebhooks(webhooks).catch(() => []);
		const found = diffSubscriptions(desired, listed);
		const dead = found.blacklisted.filter(({ action }) =>
			found.missing.some((one) => one.action === action),
		);
		if (dead.length > 0) throw new StillBlacklistedError(dead, reason);
		isWhole = true;
	} finally {
		if (!isWhole) await unsubscribeEach(webhooks, desired, made);
	}
	return diffSubscriptions({ ...desired, wasSubscribed: false }, listed).missing.some(
		({ action }) =>
			listed.some((one) => one.action === action && isBareUrl(desired.webhookUrl, one.url)),
	);
}

/**
 * Subscribes. Where the service fails or knows of a subscription already, its list tells whether the
 * address is there all the same.
 *
 * @returns false when it was there before
 */
async function subscribeOne(
	webhooks: Webhooks,
	desired: DesiredSubscriptions,
	subscription: Subscription,
): Promise<boolean> {
	const listedOf = async (action: number) =>
		(await listWebhooks(webhooks)).filter((webhook) => webhook.action === action);
	const isThere = (listed: readonly Webhook[]) =>
		findListed(desired, subscription, listed).some(({ status }) => status !== 'blacklisted');
	const { isDone, detail } = await webhooks
		.subscribe(subscription)
		.catch(async (error: unknown) => {
			const listed = await listedOf(subscription.action).catch(() => []);
			if (!isThere(listed)) throw error;
			return { isDone: true, detail: '' };
		});
	if (isDone) return true;
	const listed = await listedOf(subscription.action).catch(() => []);
	if (listed.length > 0 && findListed(desired, subscription, listed).length === 0)
		throw new ConflictError(detail);
	return false;
}

/**
 * The service takes no further address for an event, and lists others than this node's. Its message
 * is what the service said.
 */
export class ConflictError extends Error {}

/** Statuses of a service that has no list for this key: it may subscribe all the same. */
const noListStatuses = ['403', '405', '501'];

/** What the service lists; nothing when it lets nobody look. */
export async function listWebhooks(webhooks: Webhooks): Promise<Webhook[]> {
	const listing = await webhooks.list().catch((error: unknown) => {
		if (error instanceof NodeApiError && noListStatuses.includes(error.httpCode ?? '')) return;
		throw error;
	});
	return listing?.webhooks ?? [];
}

/** What a list holds of this node that should be gone. */
function unwanted({ stale, blacklisted, surplus }: SubscriptionDiff): Subscription[] {
	return [...stale, ...blacklisted, ...surplus];
}

const stillListedError = new Error('The Delivery Service still lists what it was asked to remove');

function toLeftover(
	subscriptions: Subscription[],
	reason: unknown = stillListedError,
): Leftover | undefined {
	return subscriptions.length > 0 ? { subscriptions, reason } : undefined;
}

/** What a node has subscribed as far as it knows. */
export interface RemovalOptions {
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
const recheckPausesMs = [300, 1000];

/**
 * Removes the subscriptions of the node; one that is gone already is no fault. Never throws.
 *
 * @param known `exact` is tried when the list cannot be read, or does not show what was subscribed
 * @returns what may remain, or undefined when nothing does
 */
export async function removeOwnSubscriptions(
	webhooks: Webhooks,
	owner: TriggerOwner,
	{ exact, wasSubscribed, kept = [] }: RemovalOptions,
	clock = realClock,
): Promise<Leftover | undefined> {
	const keptKeys = new Set(kept.map((one) => subscriptionKey(owner, one)));
	const own = async () => {
		const { webhooks: listed } = await webhooks.list();
		return listed
			.filter((one) => ownEventUrl(owner, one.url) && !keptKeys.has(subscriptionKey(owner, one)))
			.map(toSubscription);
	};
	try {
		const listed = await own();
		const shown = new Set(listed.map((one) => subscriptionKey(owner, one)));
		const unlisted = wasSubscribed
			? exact.filter((one) => !shown.has(subscriptionKey(owner, one)))
			: [];
		const refused = await unsubscribeEach(webhooks, owner, [...listed, ...unlisted]);
		if (refused || listed.length === 0) return refused;
		let left = await own().catch(() => []);
		for (const ms of recheckPausesMs) {
			if (left.length === 0) break;
			await clock.wait(ms);
			left = await own().catch(() => left);
		}
		return toLeftover(left);
	} catch (reason) {
		const leftover = await unsubscribeEach(webhooks, owner, exact);
		return { subscriptions: leftover?.subscriptions ?? [], reason };
	}
}

function subscriptionKey(owner: TriggerOwner, { url, action }: Subscription): string {
	return `${action} ${canonicalUrl(owner, url)}`;
}

/** Removes them all at once, so that a service that does not answer is waited for only once. */
async function unsubscribeEach(
	webhooks: Webhooks,
	owner: TriggerOwner,
	subscriptions: readonly Subscription[],
): Promise<Leftover | undefined> {
	const failures: Array<{ subscription: Subscription; reason: unknown }> = [];
	await Promise.all(
		subscriptions.map(async (subscription) => {
			try {
				await unsubscribeOne(webhooks, owner, subscription);
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
async function unsubscribeOne(
	webhooks: Webhooks,
	owner: TriggerOwner,
	{ url, action }: Subscription,
): Promise<void> {
	const plain = canonicalUrl(owner, url);
	if ((await webhooks.unsubscribe({ url: plain, action })).isDone) return;
	if (plain !== url) await webhooks.unsubscribe({ url, action });
}
