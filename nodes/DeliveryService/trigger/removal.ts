import { realClock } from '../common/clock';
import type { Subscription } from '../service/requests';
import type { Webhook, Webhooks } from '../service/webhooks';
import { canonicalUrl, ownEventUrl, toSubscription } from './diff';
import type { TriggerOwner } from './eventUrls';

/** Subscriptions that may not have been removed, and why. */
export interface Leftover {
	subscriptions: Subscription[];
	reason: unknown;
}

/** The service confirms a removal, but lists the webhook. */
export const stillListedError = new Error(
	'The Delivery Service still lists the webhook after its removal',
);

/** @returns undefined when nothing remains */
export function toLeftover(
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

/** The result of a removal. */
export interface Removal {
	/** What may remain. */
	leftover?: Leftover;
	/** The webhooks that the service lists after it, as far as it does. */
	listed: Webhook[];
}

/**
 * Removes the node's subscriptions; one that no longer exists is not an error. Never throws.
 *
 * Removes `known` subscriptions first if they were certainly subscribed, since n8n already rejects
 * their calls, and in any case if the list can't be read.
 */
export async function removeOwnSubscriptions(
	webhooks: Webhooks,
	owner: TriggerOwner,
	{ known, wasSubscribed, keep = [] }: RemovalOptions,
	clock = realClock,
): Promise<Removal> {
	const keyOf = (one: Subscription) => subscriptionKey(owner, one);
	const keysToKeep = new Set(keep.map(keyOf));
	let listed: Webhook[] = [];
	const listOwn = async () => {
		({ webhooks: listed } = await webhooks.list());
		return listed
			.filter((one) => ownEventUrl(owner, one.url) && !keysToKeep.has(keyOf(one)))
			.map(toSubscription);
	};
	const done = new Set<string>();
	const failedFirst = wasSubscribed
		? await unsubscribeEach(webhooks, owner, known, (one) => done.add(keyOf(one)))
		: undefined;
	const attempted = new Set([...done, ...(failedFirst?.subscriptions ?? []).map(keyOf)]);
	try {
		let remaining = await listOwn();
		const others = remaining.filter((one) => !attempted.has(keyOf(one)));
		const failed = joinLeftovers(failedFirst, await unsubscribeEach(webhooks, owner, others));
		// It was subscribed more than once, or the list lags behind, which is no failure.
		const again = remaining.filter((one) => done.has(keyOf(one)));
		await unsubscribeEach(webhooks, owner, again);
		if (failed || remaining.length === 0) return { leftover: failed, listed };
		remaining = await listOwn().catch(() => []);
		for (const ms of recheckPausesMs) {
			if (remaining.length === 0) break;
			await clock.wait(ms);
			remaining = await listOwn().catch(() => remaining);
		}
		return { leftover: toLeftover(remaining), listed };
	} catch (reason) {
		const failed = wasSubscribed ? failedFirst : await unsubscribeEach(webhooks, owner, known);
		return { leftover: { subscriptions: failed?.subscriptions ?? [], reason }, listed };
	}
}

function joinLeftovers(one?: Leftover, other?: Leftover): Leftover | undefined {
	if (!one || !other) return one ?? other;
	return { ...one, subscriptions: [...one.subscriptions, ...other.subscriptions] };
}

function subscriptionKey(owner: TriggerOwner, { url, action }: Subscription): string {
	return `${action} ${canonicalUrl(owner, url)}`;
}

/**
 * Removes subscriptions concurrently, so that a service that hangs costs one timeout only. Never
 * throws.
 *
 * @param onDone called for each one that the service confirms
 * @returns what may remain, or undefined
 */
export async function unsubscribeEach(
	webhooks: Webhooks,
	owner: TriggerOwner,
	subscriptions: readonly Subscription[],
	onDone?: (subscription: Subscription) => void,
): Promise<Leftover | undefined> {
	const failures: Array<{ subscription: Subscription; reason: unknown }> = [];
	await Promise.all(
		subscriptions.map(async (subscription) => {
			try {
				if (await unsubscribeOne(webhooks, owner, subscription)) onDone?.(subscription);
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

/**
 * Unsubscribes a URL as the node wrote it; if the service does not know that, as it is listed.
 *
 * @returns false when the service does not know it either
 */
async function unsubscribeOne(
	webhooks: Webhooks,
	owner: TriggerOwner,
	{ url, action }: Subscription,
): Promise<boolean> {
	const canonical = canonicalUrl(owner, url);
	if ((await webhooks.unsubscribe({ url: canonical, action })).isDone) return true;
	return canonical !== url && (await webhooks.unsubscribe({ url, action })).isDone;
}
