/** The URLs of events: how they are made, signed and recognized. */
import { createHash, createHmac, timingSafeEqual } from 'crypto';

import type { Subscription } from '../service/client';
import { eventNames, events, type EventName } from '../service/events';
import { isSameUrl, urlParameters } from '../service/webhooks';

const signaturePattern = /^[0-9a-f]{64}$/;

/** Distinguishes these signatures from any other use of the same API secret. */
const purpose = 'n8n-nodes-delivery-service trigger URL';

/** What event URLs are signed with, and for. */
export interface Signer {
	secret: string;
	/** Identifies the node's webhook and where it is subscribed. */
	identity: string;
}

/** The node that event URLs belong to: one node of one workflow. */
export interface UrlOwner {
	webhookUrl: string;
	workflowId: string;
}

/** A subscription of a trigger. */
export interface EventSubscription extends Subscription {
	/** Recognizes the signature in a call, but can't be turned into it. */
	digest: string;
}

/**
 * The subscription to an event (docs/api.md, section 4.3). Its URL is the node's webhook URL with the
 * event, the workflow that owns it, and an HMAC-SHA-256 that requires the API secret.
 *
 * @param isSigned whether the URL has a signature; otherwise the digest is that of the URL
 * @throws TypeError when the webhook URL is not a URL
 */
export function subscriptionFor(
	{ webhookUrl, workflowId }: UrlOwner,
	event: EventName,
	signer: Signer,
	isSigned: boolean,
): EventSubscription {
	const url = new URL(webhookUrl);
	url.searchParams.set(urlParameters.event, event);
	url.searchParams.set(urlParameters.workflow, workflowId);
	const signature = isSigned ? signatureFor(event, signer) : undefined;
	if (signature !== undefined) url.searchParams.set(urlParameters.signature, signature);
	const { href } = url;
	return {
		url: href,
		action: events[event].code,
		digest: digestOf(event, signature ?? href, signer),
	};
}

/** Whether a listed URL belongs to this node in this workflow: others must never be removed. */
export function isOwnUrl({ webhookUrl, workflowId }: UrlOwner, url: string): boolean {
	if (!URL.canParse(url)) return false;
	const page = new URL(url);
	if (page.searchParams.get(urlParameters.workflow) !== workflowId) return false;
	page.search = '';
	page.hash = '';
	return isSameUrl(page.href, webhookUrl);
}

/** The event that a call's query names; undefined for none or an unknown one. */
export function eventInQuery(query: Readonly<Record<string, unknown>>): EventName | undefined {
	return eventNames.find((name) => name === query[urlParameters.event]);
}

/**
 * Whether a call's query contains the signature for its event, or one with a saved digest. Compares in
 * constant time.
 */
export function isAuthentic(
	query: Readonly<Record<string, unknown>>,
	signer: Signer,
	digests: readonly string[],
): boolean {
	const event = eventInQuery(query);
	const signature = query[urlParameters.signature];
	if (!event || typeof signature !== 'string' || !signaturePattern.test(signature)) return false;
	if (isEqual(signature, signatureFor(event, signer))) return true;
	const actual = digestOf(event, signature, signer);
	return digests.some((digest) => isEqual(actual, digest));
}

function signatureFor(event: EventName, { secret, identity }: Signer): string {
	return createHmac('sha256', secret).update(`${purpose}\n${identity}\n${event}`).digest('hex');
}

/** The identity is part of it: after a change of the company, earlier URLs are no longer accepted. */
function digestOf(event: EventName, text: string, { identity }: Signer): string {
	return createHash('sha256').update(`${identity}\n${event}\n${text}`).digest('base64url');
}

function isEqual(actual: string, expected: string): boolean {
	const [one, other] = [Buffer.from(actual), Buffer.from(expected)];
	return one.length === other.length && timingSafeEqual(one, other);
}
