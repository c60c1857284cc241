import { events, type EventName } from '../service/events';
import type { Subscription } from '../service/requests';
import type { Webhook, Webhooks } from '../service/webhooks';
import { addressFor, isAddressOf, isSameAddress, type Signer } from './address';

/** What a trigger is to be subscribed to. */
export interface Desired {
	webhookUrl: string;
	events: readonly EventName[];
	/** Absent when addresses are not signed. */
	signer?: Signer;
}

export interface Diff {
	/** Desired, and not there or blacklisted. */
	missing: Subscription[];
	/** Of this node, and not desired in this form: made with another secret, or for another event. */
	stale: Subscription[];
	/** Desired and there, but the service has stopped calling them. */
	blacklisted: Subscription[];
}

/** What could not be removed for certain, and why. */
export interface Leftover {
	subscriptions: Subscription[];
	reason: unknown;
}

/** The subscriptions that are desired, one an event (service document, section 4.3). */
export function subscriptionsFor({ webhookUrl, events: chosen, signer }: Desired): Subscription[] {
	return chosen.map((event) => ({
		url: addressFor(webhookUrl, event, signer),
		action: events[event].code,
	}));
}

/**
 * Compares what is desired with what the service lists (section 4.4). A subscription that is
 * not exactly of the trigger's own URL appears nowhere in the result.
 */
export function diff(desired: Desired, listed: readonly Webhook[]): Diff {
	const own = listed.filter(({ url }) => isAddressOf(desired.webhookUrl, url));
	const subscriptions = subscriptionsFor(desired);
	const isDesired = (webhook: Subscription) => subscriptions.some((one) => isSame(one, webhook));
	const blacklisted = own.filter(
		(webhook) => webhook.status === 'blacklisted' && isDesired(webhook),
	);
	const isWorking = (one: Subscription) =>
		own.some((webhook) => isSame(one, webhook)) &&
		!blacklisted.some((webhook) => isSame(one, webhook));
	return {
		missing: subscriptions.filter((one) => !isWorking(one)),
		stale: own.filter((webhook) => !isDesired(webhook)).map(subscriptionOf),
		blacklisted: blacklisted.map(subscriptionOf),
	};
}

/**
 * Makes the service's list hold exactly what is desired: blacklisted subscriptions are
 * removed, missing ones made, stale ones removed last, so that a changed secret loses no event.
 * When one can't be made, none stays: also the one whose request failed is removed, since the
 * service may have done it without its answer arriving.
 *
 * @returns stale subscriptions that could not be removed; the trigger works without that
 * @throws what the failing request threw
 */
export async function reconcile(
	webhooks: Webhooks,
	{ missing, stale, blacklisted }: Diff,
): Promise<Leftover | undefined> {
	for (const subscription of blacklisted) await webhooks.unsubscribe(subscription);
	const tried: Subscription[] = [];
	let isWhole = false;
	try {
		for (const subscription of missing) {
			tried.push(subscription);
			await webhooks.subscribe(subscription);
		}
		isWhole = true;
	} finally {
		if (!isWhole) await unsubscribeAll(webhooks, tried);
	}
	return await unsubscribeAll(webhooks, stale);
}

/**
 * Removes every subscription of the trigger's own URL; one that is gone already is no fault. Never
 * throws.
 *
 * @param known what to try when the service's list cannot be read
 * @returns what may remain, or undefined when nothing does
 */
export async function removeOwn(
	webhooks: Webhooks,
	webhookUrl: string,
	known: readonly Subscription[],
): Promise<Leftover | undefined> {
	try {
		const listed = await webhooks.list();
		const own = listed.filter(({ url }) => isAddressOf(webhookUrl, url)).map(subscriptionOf);
		return await unsubscribeAll(webhooks, own);
	} catch (reason) {
		const leftover = await unsubscribeAll(webhooks, known);
		return { subscriptions: leftover?.subscriptions ?? [], reason };
	}
}

/** Removes them all at once, so that a service that does not answer is waited for only once. */
async function unsubscribeAll(
	webhooks: Webhooks,
	subscriptions: readonly Subscription[],
): Promise<Leftover | undefined> {
	const failures: Array<{ subscription: Subscription; reason: unknown }> = [];
	await Promise.all(
		subscriptions.map(async (subscription) => {
			try {
				await webhooks.unsubscribe(subscription);
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

function isSame(one: Subscription, other: Subscription): boolean {
	return one.action === other.action && isSameAddress(one.url, other.url);
}

function subscriptionOf({ url, action }: Subscription): Subscription {
	return { url, action };
}
