import { NodeApiError } from 'n8n-workflow';

import type { Subscription } from '../service/requests';
import { listAfterSubscribing } from '../service/subscriptionCheck';
import type { Webhook, Webhooks } from '../service/webhooks';
import { isBareUrl } from './eventUrls';
import { stillListedError, toLeftover, unsubscribeEach, type Leftover } from './removal';
import {
	diffSubscriptions,
	findListed,
	subscriptionsAtOtherUrls,
	subscriptionsFor,
	type DesiredSubscriptions,
	type SubscriptionDiff,
} from './diff';

/** The result of reconciling the service's list with the desired subscriptions. */
export interface Reconciliation {
	/** The blacklisted subscriptions, which were re-created. */
	blacklisted: Subscription[];
	/** Unwanted subscriptions that may remain; the trigger works anyway. */
	leftover?: Leftover;
	/** Whether the service lists URLs without their query, and may call them like that. */
	isQueryDropped: boolean;
	/** The listed webhooks of this node at other URLs of n8n. */
	atOtherUrls: Webhook[];
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
 * @param isRemoved whether all were just removed. They are then created before the list is read: n8n
 *   unpublishes a workflow to publish a change, and events in between are lost.
 * @throws the error of the failed request
 */
export async function reconcile(
	webhooks: Webhooks,
	desired: DesiredSubscriptions,
	isRemoved = false,
): Promise<Reconciliation> {
	const created = isRemoved
		? await subscribeAhead(webhooks, desired)
		: { confirmed: [], unclear: [] };
	let isComplete = false;
	try {
		const { confirmed } = created;
		const listing =
			confirmed.length > 0 ? await listAfterSubscribing(webhooks, confirmed) : undefined;
		if (listing && listing.unlisted.length > 0) throw new UnlistedError(listing.unlisted);
		const reconciliation = await reconcileListed(webhooks, desired, confirmed, listing?.webhooks);
		isComplete = true;
		return reconciliation;
	} finally {
		if (!isComplete)
			await unsubscribeEach(webhooks, desired, [...created.confirmed, ...created.unclear]);
	}
}

/**
 * Subscribes all at once. What this misses or does twice, {@link reconcileListed} corrects.
 *
 * @returns the subscriptions that may be new
 */
async function subscribeAhead(
	webhooks: Webhooks,
	desired: DesiredSubscriptions,
): Promise<{ confirmed: Subscription[]; unclear: Subscription[] }> {
	const created: { confirmed: Subscription[]; unclear: Subscription[] } = {
		confirmed: [],
		unclear: [],
	};
	await Promise.all(
		subscriptionsFor(desired).map(async (subscription) => {
			try {
				if ((await webhooks.subscribe(subscription)).isDone) created.confirmed.push(subscription);
			} catch {
				created.unclear.push(subscription);
			}
		}),
	);
	return created;
}

async function reconcileListed(
	webhooks: Webhooks,
	desired: DesiredSubscriptions,
	confirmed: readonly Subscription[],
	alreadyListed: Webhook[] = [],
): Promise<Reconciliation> {
	const listed = alreadyListed.length > 0 ? alreadyListed : await listWebhooksIfAllowed(webhooks);
	const atOtherUrls = subscriptionsAtOtherUrls(desired, listed);
	let diff = diffSubscriptions(desired, listed);
	const { blacklisted } = diff;
	const toRemove = unwanted(diff);
	const listedWrongly = [...diff.blacklisted, ...diff.surplus];
	let toRemoveFirst = listedWrongly;
	let failedFirst: Leftover | undefined;
	for (let round = 0; round < maxRounds && toRemoveFirst.length > 0 && !failedFirst; round++) {
		failedFirst = await unsubscribeEach(webhooks, desired, toRemoveFirst);
		diff = diffSubscriptions(desired, await listWebhooksIfAllowed(webhooks));
		toRemoveFirst = [...diff.blacklisted, ...diff.surplus];
	}
	const reason = failedFirst?.reason ?? (toRemoveFirst.length > 0 ? stillListedError : undefined);
	// A confirmed one may be listed without its query, or on another page of the list.
	const isFor = (action: number) => (one: Subscription) => one.action === action;
	const exists = ({ action }: Subscription) =>
		confirmed.some(isFor(action)) && !listedWrongly.some(isFor(action));
	const missing = diff.missing.filter((one) => !exists(one));
	const isQueryDropped =
		(await subscribeAll(webhooks, desired, missing, reason)) ||
		(confirmed.length > 0 && isListedWithoutQuery(desired, listed));
	if (toRemove.length === 0) return { blacklisted, isQueryDropped, atOtherUrls };
	const failed = await unsubscribeEach(webhooks, desired, diff.stale);
	const remaining = await webhooks.list().then(
		({ webhooks: relisted }) => diffSubscriptions(desired, relisted),
		() => undefined,
	);
	const leftover = failed ?? toLeftover(remaining ? unwanted(remaining) : [], failedFirst?.reason);
	return { blacklisted, leftover, isQueryDropped, atOtherUrls };
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

/** The service has confirmed webhooks that it does not list. */
export class UnlistedError extends Error {
	constructor(readonly subscriptions: readonly Subscription[]) {
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
		const check = await listAfterSubscribing(webhooks, created);
		if (check.unlisted.length > 0) throw new UnlistedError(check.unlisted);
		listed = check.webhooks;
		const diff = diffSubscriptions(desired, listed);
		const stillBlacklisted = diff.blacklisted.filter(({ action }) =>
			diff.missing.some((one) => one.action === action),
		);
		if (stillBlacklisted.length > 0) throw new StillBlacklistedError(stillBlacklisted, reason);
		isComplete = true;
	} finally {
		if (!isComplete) await unsubscribeEach(webhooks, desired, created);
	}
	return isListedWithoutQuery(desired, listed);
}

function isListedWithoutQuery(desired: DesiredSubscriptions, listed: readonly Webhook[]): boolean {
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
	const { isDone, detail } = await webhooks
		.subscribe(subscription)
		.catch(async (error: unknown) => {
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
