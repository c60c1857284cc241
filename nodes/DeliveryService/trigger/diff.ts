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

/** What a trigger should be subscribed to. */
export interface DesiredSubscriptions extends TriggerOwner {
	events: readonly EventName[];
	/** Undefined when URLs are not signed. */
	signer?: Signer;
	/** Whether the saved state shows exactly these subscriptions. */
	wasSubscribed?: boolean;
}

export interface SubscriptionDiff {
	/** Desired, but not listed or listed as blacklisted only. */
	missing: Subscription[];
	/**
	 * This node's, but not desired: signed with another secret, or for a deselected event. Includes the
	 * bare URL of a deselected event if the service drops the query.
	 */
	stale: Subscription[];
	/** Desired and listed, but no longer called by the service. */
	blacklisted: Subscription[];
	/** Desired, but listed more than once: each event would arrive more than once. */
	surplus: Subscription[];
}

/** The desired subscriptions, one per event (API document, section 4.3). */
export function subscriptionsFor(desired: DesiredSubscriptions): Subscription[] {
	return desired.events.map((event) => ({
		url: eventUrlFor(desired, event, desired.signer),
		action: events[event].code,
	}));
}

/** Parses a listed URL; returns undefined unless it belongs to this node. */
export function ownEventUrl(owner: TriggerOwner, url: string): EventUrl | undefined {
	const eventUrl = readEventUrl(owner.webhookUrl, url);
	return eventUrl?.workflowId === owner.workflowId ? eventUrl : undefined;
}

/**
 * Compares the desired subscriptions with the listed ones (section 4.4). The result contains only
 * subscriptions of this node in this workflow.
 */
export function diffSubscriptions(
	desired: DesiredSubscriptions,
	listed: readonly Webhook[],
): SubscriptionDiff {
	const result: SubscriptionDiff = { missing: [], stale: [], blacklisted: [], surplus: [] };
	const matched = new Set<Webhook>();
	for (const subscription of subscriptionsFor(desired)) {
		const found = findListed(desired, subscription, listed);
		for (const webhook of found) matched.add(webhook);
		const isBlacklisted = ({ status }: Webhook) => status === 'blacklisted';
		const working = found.filter((webhook) => !isBlacklisted(webhook));
		result.blacklisted.push(...found.filter(isBlacklisted).map(toSubscription));
		if (working.length === 0) result.missing.push(subscription);
		result.surplus.push(...working.slice(1).map(toSubscription));
	}
	const unmatched = listed.filter((webhook) => !matched.has(webhook));
	result.stale = unmatched
		.filter(
			(webhook) => ownEventUrl(desired, webhook.url) || isBareUrlOfDeselected(desired, webhook),
		)
		.map(toSubscription);
	return result;
}

/**
 * Whether a webhook is the bare URL of a deselected event, listed by a service that drops the query.
 * Only where the saved state shows unsigned subscriptions.
 */
function isBareUrlOfDeselected(desired: DesiredSubscriptions, { url, action }: Webhook): boolean {
	if (desired.signer || !desired.wasSubscribed || !isBareUrl(desired.webhookUrl, url)) return false;
	const event = eventForCode(action);
	return event !== undefined && !desired.events.includes(event);
}

/** The listed webhooks that are this subscription, in any spelling of the service. */
export function findListed(
	desired: DesiredSubscriptions,
	{ url, action }: Subscription,
	listed: readonly Webhook[],
): Webhook[] {
	const canonical = canonicalUrl(desired, url);
	const forEvent = listed.filter((webhook) => webhook.action === action);
	const exact = forEvent.filter(
		(webhook) =>
			ownEventUrl(desired, webhook.url) && canonicalUrl(desired, webhook.url) === canonical,
	);
	// A service that drops the query lists, and perhaps calls, the bare URL.
	if (exact.length > 0 || (desired.signer && !desired.wasSubscribed)) return exact;
	return forEvent.filter((webhook) => isBareUrl(desired.webhookUrl, webhook.url));
}

/**
 * The listed webhooks whose URLs would be this node's if n8n were at another host or path. n8n has
 * moved from there, or another n8n there runs a copy of this workflow.
 */
export function subscriptionsAtOtherUrls(
	desired: DesiredSubscriptions,
	listed: readonly Webhook[],
): Webhook[] {
	const current = splitWebhookUrl(desired.webhookUrl);
	return listed.filter(({ url, status }) => {
		if (status === 'blacklisted' || !URL.canParse(url)) return false;
		const { base, kind } = splitWebhookUrl(url);
		if (base === current.base || areLiveAndTest(kind, current.kind)) return false;
		const eventUrl = ownEventUrl({ ...desired, webhookUrl: base + current.ownPath }, url);
		if (!eventUrl) return false;
		return !desired.signer || isSigned(toQuery(eventUrl), desired.signer);
	});
}

/** Where n8n has its webhooks, e.g. https://n8n.example/webhook: the URL without the node's own path. */
export function webhookBase(url: string): string {
	return splitWebhookUrl(url).base;
}

function splitWebhookUrl(url: string): { base: string; kind: string; ownPath: string } {
	const { origin, pathname } = new URL(url);
	const parts = pathname.split('/');
	const ownParts = parts.splice(-2);
	return {
		base: origin + parts.join('/'),
		kind: parts.at(-1) ?? '',
		ownPath: `/${ownParts.join('/')}`,
	};
}

/** Whether these are the last parts of n8n's URLs for live and test webhooks, if not renamed. */
function areLiveAndTest(one: string, other: string): boolean {
	return one === `${other}-test` || other === `${one}-test`;
}

/** A URL of this node in the spelling of the node; other URLs are returned unchanged. */
export function canonicalUrl({ webhookUrl }: TriggerOwner, url: string): string {
	const eventUrl = readEventUrl(webhookUrl, url);
	return eventUrl ? writeEventUrl(webhookUrl, eventUrl) : url;
}

/** A listed webhook without the fields that requests do not contain. */
export function toSubscription({ url, action }: Subscription): Subscription {
	return { url, action };
}
