import { eventForCode, events, type EventName } from '../service/events';
import type { Subscription } from '../service/requests';
import type { Webhook } from '../service/webhooks';
import {
	eventUrlFor,
	isBareUrl,
	isSigned,
	toQuery,
	readEventUrl,
	writeEventUrl,
	type TriggerOwner,
	type Signer,
	type EventUrl,
} from './eventUrls';

/** What a trigger is to be subscribed to. */
export interface DesiredSubscriptions extends TriggerOwner {
	events: readonly EventName[];
	/** Absent when addresses are not signed. */
	signer?: Signer;
	/** Whether exactly this was subscribed before, as far as the node remembers. */
	wasSubscribed?: boolean;
}

export interface SubscriptionDiff {
	/** Desired, and not there or only blacklisted. */
	missing: Subscription[];
	/**
	 * Of this node, and not desired in this form: made with another secret, or for another event. Also
	 * the bare URL where a service drops the query and the event is no longer chosen.
	 */
	stale: Subscription[];
	/** Desired and there, but the service has stopped calling them. */
	blacklisted: Subscription[];
	/** Desired and there, once more than needed: each event would come twice. */
	surplus: Subscription[];
}

/** The subscriptions that are desired, one an event (service document, section 4.3). */
export function subscriptionsFor(desired: DesiredSubscriptions): Subscription[] {
	return desired.events.map((event) => ({
		url: eventUrlFor(desired, event, desired.signer),
		action: events[event].code,
	}));
}

/** What a listed address says, when it is one of this node; undefined when it is anybody else's. */
export function ownEventUrl(owner: TriggerOwner, url: string): EventUrl | undefined {
	const address = readEventUrl(owner.webhookUrl, url);
	return address?.workflowId === owner.workflowId ? address : undefined;
}

/**
 * Compares what is desired with what the service lists (section 4.4). A subscription that is not of
 * this node and this workflow appears nowhere in the result.
 */
export function diffSubscriptions(
	desired: DesiredSubscriptions,
	listed: readonly Webhook[],
): SubscriptionDiff {
	const result: SubscriptionDiff = { missing: [], stale: [], blacklisted: [], surplus: [] };
	const known = new Set<Webhook>();
	for (const subscription of subscriptionsFor(desired)) {
		const found = findListed(desired, subscription, listed);
		for (const webhook of found) known.add(webhook);
		const isBanned = ({ status }: Webhook) => status === 'blacklisted';
		const working = found.filter((webhook) => !isBanned(webhook));
		result.blacklisted.push(...found.filter(isBanned).map(toSubscription));
		if (working.length === 0) result.missing.push(subscription);
		result.surplus.push(...working.slice(1).map(toSubscription));
	}
	const others = listed.filter((webhook) => !known.has(webhook));
	result.stale = others
		.filter(
			(webhook) => ownEventUrl(desired, webhook.url) || isBareUrlOfDeselected(desired, webhook),
		)
		.map(toSubscription);
	return result;
}

/**
 * Whether it is what a service that drops the query has kept of a subscription to an event that is no
 * longer chosen: the bare URL, where the node remembers to have subscribed without signatures.
 */
function isBareUrlOfDeselected(desired: DesiredSubscriptions, { url, action }: Webhook): boolean {
	if (desired.signer || !desired.wasSubscribed || !isBareUrl(desired.webhookUrl, url)) return false;
	const event = eventForCode(action);
	return event !== undefined && !desired.events.includes(event);
}

/** The entries of the list that are this subscription, in whatever form the service shows it. */
export function findListed(
	desired: DesiredSubscriptions,
	{ url, action }: Subscription,
	listed: readonly Webhook[],
): Webhook[] {
	const plain = canonicalUrl(desired, url);
	const ofEvent = listed.filter((webhook) => webhook.action === action);
	const exact = ofEvent.filter(
		(webhook) => ownEventUrl(desired, webhook.url) && canonicalUrl(desired, webhook.url) === plain,
	);
	// A service that drops the query shows, and perhaps calls, the bare URL.
	if (exact.length > 0 || (desired.signer && !desired.wasSubscribed)) return exact;
	return ofEvent.filter((webhook) => isBareUrl(desired.webhookUrl, webhook.url));
}

/**
 * The listed addresses that the service calls at another address of n8n, and that the node would take
 * for its own if they led here: those of an n8n that has moved, or of another one with a copy of this
 * workflow.
 */
export function subscriptionsAtOtherHosts(
	desired: DesiredSubscriptions,
	listed: readonly Webhook[],
): Webhook[] {
	const present = new URL(desired.webhookUrl);
	return listed.filter(({ url, status }) => {
		if (status === 'blacklisted' || !URL.canParse(url)) return false;
		const { origin, pathname } = new URL(url);
		if (origin === present.origin || pathname !== present.pathname) return false;
		const address = ownEventUrl({ ...desired, webhookUrl: origin + pathname }, url);
		if (!address) return false;
		return !desired.signer || isSigned(toQuery(address), desired.signer);
	});
}

/** An address of this node as the node itself writes it. */
export function canonicalUrl({ webhookUrl }: TriggerOwner, url: string): string {
	const address = readEventUrl(webhookUrl, url);
	return address ? writeEventUrl(webhookUrl, address) : url;
}

/** What is to be sent to the service of a listed subscription. */
export function toSubscription({ url, action }: Subscription): Subscription {
	return { url, action };
}
