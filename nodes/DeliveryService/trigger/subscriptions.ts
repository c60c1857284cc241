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

/** Subscriptions that may not have been removed, and why. */
export interface Leftover {
	subscriptions: Subscription[];
	reason: unknown;
}

/** The result of reconciling the service's list with the desired subscriptions. */
export interface Reconciliation {
	/** The blacklisted subscriptions, which were re-created. */
	blacklisted: Subscription[];
	/** Unwanted subscriptions that may remain; the trigger works anyway. */
	leftover?: Leftover;
	/** Whether the service lists URLs without their query, and may call them like that. */
	isQueryDropped: boolean;
	/** The listed webhooks of this node at other hosts. */
	atOtherHosts: Webhook[];
}

/** The limit for a service that confirms removals without removing anything. */
const maxRounds = 3;

/**
 * Changes the service's list to exactly the desired subscriptions: removes blacklisted and surplus
 * ones until they are gone, creates missing ones, and removes stale ones last, so that no event is
 * missed when the secret changes. A failed removal does not prevent creation. If a creation fails,
 * all subscriptions created by this call are removed, including the one whose request failed: the
 * service may have created it although its response did not arrive.
 *
 * @throws the error of the failed request
 */
export async function reconcile(
	webhooks: Webhooks,
	desired: DesiredSubscriptions,
): Promise<Reconciliation> {
	const listed = await listWebhooksIfAllowed(webhooks);
	const atOtherHosts = subscriptionsAtOtherHosts(desired, listed);
	let diff = diffSubscriptions(desired, listed);
	const { blacklisted } = diff;
	const toRemove = unwanted(diff);
	let toRemoveFirst = [...diff.blacklisted, ...diff.surplus];
	let failedFirst: Leftover | undefined;
	for (let round = 0; round < maxRounds && toRemoveFirst.length > 0 && !failedFirst; round++) {
		failedFirst = await unsubscribeEach(webhooks, desired, toRemoveFirst);
		diff = diffSubscriptions(desired, await listWebhooksIfAllowed(webhooks));
		toRemoveFirst = [...diff.blacklisted, ...diff.surplus];
	}
	const reason = failedFirst?.reason ?? (toRemoveFirst.length > 0 ? stillListedError : undefined);
	const isQueryDropped = await subscribeAll(webhooks, desired, diff.missing, reason);
	if (toRemove.length === 0) return { blacklisted, isQueryDropped, atOtherHosts };
	const failed = await unsubscribeEach(webhooks, desired, diff.stale);
	const remaining = await webhooks.list().then(
		({ webhooks: relisted }) => diffSubscriptions(desired, relisted),
		() => undefined,
	);
	const leftover = failed ?? toLeftover(remaining ? unwanted(remaining) : [], failedFirst?.reason);
	return { blacklisted, leftover, isQueryDropped, atOtherHosts };
}

/** The service has blacklisted the URL and neither deletes nor re-creates the webhook. */
export class StillBlacklistedError extends Error {
	constructor(
		readonly subscriptions: readonly Subscription[],
		/** Why the webhook was not deleted; undefined when it was just created. */
		readonly reason?: unknown,
	) {
		super();
	}
}

/**
 * @param reason why blacklisted webhooks were not deleted
 * @returns whether the service lists the new subscriptions without their query
 */
async function subscribeAll(
	webhooks: Webhooks,
	desired: DesiredSubscriptions,
	missing: readonly Subscription[],
	reason?: unknown,
): Promise<boolean> {
	if (missing.length === 0) return false;
	const created: Subscription[] = [];
	let listed: Webhook[] = [];
	let isComplete = false;
	try {
		for (const subscription of missing) {
			created.push(subscription);
			// It existed before, though it was not listed: a later failure must not remove it.
			if (!(await subscribeOne(webhooks, desired, subscription))) created.pop();
		}
		listed = await listWebhooksIfAllowed(webhooks).catch(() => []);
		const diff = diffSubscriptions(desired, listed);
		const stillBlacklisted = diff.blacklisted.filter(({ action }) =>
			diff.missing.some((one) => one.action === action),
		);
		if (stillBlacklisted.length > 0) throw new StillBlacklistedError(stillBlacklisted, reason);
		isComplete = true;
	} finally {
		if (!isComplete) await unsubscribeEach(webhooks, desired, created);
	}
	return diffSubscriptions({ ...desired, wasSubscribed: false }, listed).missing.some(
		({ action }) =>
			listed.some((one) => one.action === action && isBareUrl(desired.webhookUrl, one.url)),
	);
}

/**
 * Subscribes one URL. If the service fails or reports a conflict, its list decides whether the URL
 * is subscribed.
 *
 * @returns false when it was subscribed before
 */
async function subscribeOne(
	webhooks: Webhooks,
	desired: DesiredSubscriptions,
	subscription: Subscription,
): Promise<boolean> {
	const listForEvent = async (action: number) =>
		(await listWebhooksIfAllowed(webhooks)).filter((webhook) => webhook.action === action);
	const isWorking = (listed: readonly Webhook[]) =>
		findListed(desired, subscription, listed).some(({ status }) => status !== 'blacklisted');
	const { isDone, detail } = await webhooks.subscribe(subscription).catch(async (error: unknown) => {
		const listed = await listForEvent(subscription.action).catch(() => []);
		if (!isWorking(listed)) throw error;
		return { isDone: true, detail: '' };
	});
	if (isDone) return true;
	const listed = await listForEvent(subscription.action).catch(() => []);
	if (listed.length > 0 && findListed(desired, subscription, listed).length === 0)
		throw new ConflictError(detail);
	return false;
}

/**
 * The service allows only one URL per event, and lists another one. The message is the service's
 * own.
 */
export class ConflictError extends Error {}

/** Statuses of a service that does not list webhooks for this key, but may still create them. */
const noListStatuses = ['403', '405', '501'];

/** The webhooks that the service lists; none if it does not allow listing. */
export async function listWebhooksIfAllowed(webhooks: Webhooks): Promise<Webhook[]> {
	const listing = await webhooks.list().catch((error: unknown) => {
		if (error instanceof NodeApiError && noListStatuses.includes(error.httpCode ?? '')) return;
		throw error;
	});
	return listing?.webhooks ?? [];
}

/** The node's subscriptions that should be removed. */
function unwanted({ stale, blacklisted, surplus }: SubscriptionDiff): Subscription[] {
	return [...stale, ...blacklisted, ...surplus];
}

const stillListedError = new Error(
	'The Delivery Service still lists the webhook after its removal',
);

function toLeftover(
	subscriptions: Subscription[],
	reason: unknown = stillListedError,
): Leftover | undefined {
	return subscriptions.length > 0 ? { subscriptions, reason } : undefined;
}

export interface RemovalOptions {
	/** The node's subscriptions as far as it knows. */
	known: readonly Subscription[];
	/** Whether the known ones were certainly subscribed, and not removed since. */
	wasSubscribed: boolean;
	/** The node's subscriptions that must not be removed. */
	keep?: readonly Subscription[];
}

/**
 * Pauses before listing again: the service may list removed webhooks for a short time. n8n may check
 * right afterward whether the node is subscribed, and would count them.
 */
const recheckPausesMs = [300, 1000];

/**
 * Removes the node's subscriptions; one that no longer exists is not an error. Never throws.
 *
 * Removes `known` subscriptions, too, when the list can't be read or does not contain what was
 * subscribed.
 *
 * @returns what may remain, or undefined
 */
export async function removeOwnSubscriptions(
	webhooks: Webhooks,
	owner: TriggerOwner,
	{ known, wasSubscribed, keep = [] }: RemovalOptions,
	clock = realClock,
): Promise<Leftover | undefined> {
	const keysToKeep = new Set(keep.map((one) => subscriptionKey(owner, one)));
	const listOwn = async () => {
		const { webhooks: listed } = await webhooks.list();
		return listed
			.filter((one) => ownEventUrl(owner, one.url) && !keysToKeep.has(subscriptionKey(owner, one)))
			.map(toSubscription);
	};
	try {
		const listed = await listOwn();
		const listedKeys = new Set(listed.map((one) => subscriptionKey(owner, one)));
		const unlisted = wasSubscribed
			? known.filter((one) => !listedKeys.has(subscriptionKey(owner, one)))
			: [];
		const failed = await unsubscribeEach(webhooks, owner, [...listed, ...unlisted]);
		if (failed || listed.length === 0) return failed;
		let remaining = await listOwn().catch(() => []);
		for (const ms of recheckPausesMs) {
			if (remaining.length === 0) break;
			await clock.wait(ms);
			remaining = await listOwn().catch(() => remaining);
		}
		return toLeftover(remaining);
	} catch (reason) {
		const failed = await unsubscribeEach(webhooks, owner, known);
		return { subscriptions: failed?.subscriptions ?? [], reason };
	}
}

function subscriptionKey(owner: TriggerOwner, { url, action }: Subscription): string {
	return `${action} ${canonicalUrl(owner, url)}`;
}

/** Removes subscriptions concurrently, so that a service that hangs costs one timeout only. */
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

/** Unsubscribes a URL as the node wrote it; if the service does not know that, as it is listed. */
async function unsubscribeOne(
	webhooks: Webhooks,
	owner: TriggerOwner,
	{ url, action }: Subscription,
): Promise<void> {
	const canonical = canonicalUrl(owner, url);
	if ((await webhooks.unsubscribe({ url: canonical, action })).isDone) return;
	if (canonical !== url) await webhooks.unsubscribe({ url, action });
}
