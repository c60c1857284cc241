import { events, type EventName } from '../service/events';
import type { Subscription } from '../service/requests';
import type { Webhook, Webhooks } from '../service/webhooks';
import { addressFor, isAddressOf, type Signer } from './address';

/** What a trigger wants to be subscribed to. */
export interface Wanted {
	webhookUrl: string;
	events: readonly EventName[];
	/** Absent when addresses are not signed. */
	signer?: Signer;
}

export interface Difference {
	/** Wanted, and not there or blacklisted. */
	missing: Subscription[];
	/** Of this node, and not wanted in this form: made with another secret, or for another event. */
	stale: Subscription[];
	/** Wanted and there, but the service has stopped calling them. */
	blacklisted: Subscription[];
}

/**
 * Compares what a trigger wants with what the service lists. A subscription that is not exactly of
 * the trigger's own URL appears nowhere in the result.
 */
export function difference(wanted: Wanted, listed: readonly Webhook[]): Difference {
	const own = listed.filter(({ url }) => isAddressOf(wanted.webhookUrl, url));
	const desired = wanted.events.map((event) => ({
		url: addressFor(wanted.webhookUrl, event, wanted.signer),
		action: events[event].code,
	}));
	const isDesired = (webhook: Subscription) => desired.some((one) => isSame(one, webhook));
	const blacklisted = own.filter(
		(webhook) => webhook.status === 'blacklisted' && isDesired(webhook),
	);
	const working = own.filter((webhook) => webhook.status !== 'blacklisted');
	return {
		missing: desired.filter((one) => !working.some((webhook) => isSame(one, webhook))),
		stale: own.filter((webhook) => !isDesired(webhook)).map(subscriptionOf),
		blacklisted: blacklisted.map(subscriptionOf),
	};
}

/**
 * Makes the service's list hold exactly what the trigger wants: blacklisted subscriptions are made
 * anew, missing ones made, stale ones removed last. When one can't be made, those made before it
 * are removed again.
 *
 * @throws what the failing request threw
 */
export async function establish(
	webhooks: Webhooks,
	{ missing, stale, blacklisted }: Difference,
): Promise<void> {
	for (const subscription of blacklisted) await webhooks.unsubscribe(subscription);
	const made: Subscription[] = [];
	try {
		for (const subscription of missing) {
			await webhooks.subscribe(subscription);
			made.push(subscription);
		}
	} finally {
		if (made.length < missing.length)
			await Promise.allSettled(made.map(async (one) => await webhooks.unsubscribe(one)));
	}
	for (const subscription of stale) await webhooks.unsubscribe(subscription);
}

/** Removes every subscription of the trigger's own URL; one that is gone already is no fault. */
export async function removeOwn(webhooks: Webhooks, webhookUrl: string): Promise<void> {
	const listed = await webhooks.list();
	for (const webhook of listed)
		if (isAddressOf(webhookUrl, webhook.url)) await webhooks.unsubscribe(subscriptionOf(webhook));
}

function isSame(one: Subscription, other: Subscription): boolean {
	return one.url === other.url && one.action === other.action;
}

function subscriptionOf({ url, action }: Subscription): Subscription {
	return { url, action };
}
