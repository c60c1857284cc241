import { createHash, createHmac, timingSafeEqual } from 'crypto';

import { eventNames, eventNameSchema, type EventName } from '../service/events';

/** The query parameters that an event URL adds to the node's webhook URL. */
const eventParameter = 'event';
const workflowParameter = 'workflow';
const signatureParameter = 'signature';

const signaturePattern = /^[0-9a-f]{64}$/;

/** Distinguishes these signatures from any other use of the same API secret. */
const purpose = 'n8n-nodes-delivery-service trigger URL';

/** What a trigger's event URLs are signed with, and for. */
export interface Signer {
	secret: string;
	/** Identifies this node's webhook and where it is subscribed. */
	identity: string;
}

/** The node that event URLs belong to: one node of one workflow. */
export interface TriggerOwner {
	webhookUrl: string;
	workflowId: string;
}

/** The parts that an event URL adds to the webhook URL. */
export interface EventUrl {
	event: EventName;
	workflowId: string;
	signature?: string;
}

/**
 * The URL at which the service reports an event (API document, section 4.3): the node's webhook
 * URL with the event, the workflow that owns it, and an HMAC-SHA-256 over identity and event that
 * requires the API secret.
 *
 * @throws TypeError when the webhook URL is not a URL
 */
export function eventUrlFor(
	{ webhookUrl, workflowId }: TriggerOwner,
	event: EventName,
	signer?: Signer,
): string {
	const signature = signer && signatureFor(event, signer);
	return writeEventUrl(webhookUrl, { event, workflowId, signature });
}

/** Builds an event URL from the webhook URL and its parts. */
export function writeEventUrl(
	webhookUrl: string,
	{ event, workflowId, signature }: EventUrl,
): string {
	const url = new URL(webhookUrl);
	url.searchParams.set(eventParameter, event);
	url.searchParams.set(workflowParameter, workflowId);
	if (signature !== undefined) url.searchParams.set(signatureParameter, signature);
	return url.toString();
}

/**
 * Parses an event URL: exactly the webhook URL with one event, one workflow and at most one
 * signature. The service may list its parameters in another order, or encode the URL once or twice.
 *
 * @returns undefined for any other URL, which belongs to another program
 */
export function readEventUrl(webhookUrl: string, url: string): EventUrl | undefined {
	for (const spelling of urlSpellings(url)) {
		const eventUrl = readPlainUrl(webhookUrl, spelling);
		if (eventUrl) return eventUrl;
	}
	return undefined;
}

/** Whether a URL is the bare webhook URL, as listed by a service that drops the query. */
export function isBareUrl(webhookUrl: string, url: string): boolean {
	return urlSpellings(url).some((spelling) => normalizeUrl(spelling) === normalizeUrl(webhookUrl));
}

/** The URL and its decoded forms: the service may have encoded it or escaped it for HTML. */
function urlSpellings(url: string): string[] {
	const spellings = [url.trim()];
	try {
		spellings.push(decodeURIComponent(spellings[0] ?? ''));
		spellings.push(decodeURIComponent(spellings[1] ?? ''));
	} catch {
		// A URL that can't be decoded was not encoded.
	}
	return spellings.flatMap((spelling) => [spelling, unescapeHtml(spelling)]);
}

function unescapeHtml(text: string): string {
	return text.replaceAll(/&(amp|#38|#x26);/gi, '&');
}

function readPlainUrl(webhookUrl: string, text: string): EventUrl | undefined {
	if (!URL.canParse(text)) return undefined;
	const bare = new URL(text);
	const [event, ...otherEvents] = takeParameter(bare, eventParameter);
	const [workflowId, ...otherWorkflows] = takeParameter(bare, workflowParameter);
	const [signature, ...otherSignatures] = takeParameter(bare, signatureParameter);
	const { success: isKnown, data } = eventNameSchema.safeParse(event);
	if (!isKnown || otherEvents.length + otherWorkflows.length + otherSignatures.length > 0)
		return undefined;
	if (!workflowId || (signature !== undefined && !signaturePattern.test(signature)))
		return undefined;
	if (normalizeUrl(bare.toString()) !== normalizeUrl(webhookUrl)) return undefined;
	return { event: data, workflowId, signature };
}

function takeParameter(url: URL, parameter: string): string[] {
	const values = url.searchParams.getAll(parameter);
	url.searchParams.delete(parameter);
	return values;
}

function normalizeUrl(text: string): string {
	if (!URL.canParse(text)) return text;
	const url = new URL(text);
	url.searchParams.sort();
	return url.toString();
}

/** The parts of an event URL as a call's query. */
export function toQuery({ event, workflowId, signature }: EventUrl): Record<string, unknown> {
	return {
		[eventParameter]: event,
		[workflowParameter]: workflowId,
		[signatureParameter]: signature,
	};
}

/** The event that a call's query names; undefined for none or an unknown one. */
export function eventInQuery(query: Readonly<Record<string, unknown>>): EventName | undefined {
	return eventNames.find((name) => name === query[eventParameter]);
}

/**
 * Decodes the query of a call, whose URL the service may have escaped for HTML or encoded:
 * `amp;signature` becomes `signature`. A parameter in both forms becomes a list, which is never a
 * valid signature.
 */
export function decodeQuery(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const decoded = new Map<string, unknown>();
	const add = (name: string, value: unknown) =>
		decoded.set(name, decoded.has(name) ? [decoded.get(name), value] : value);
	for (const [name, value] of Object.entries(query)) {
		const bareName = name.replace(/^amp;/i, '');
		if (value !== '' || !bareName.includes('=')) add(bareName, value);
		else
			for (const [innerName, text] of new URLSearchParams(unescapeHtml(bareName)))
				add(innerName, text);
	}
	return Object.fromEntries(decoded);
}

/** Whether a call's query contains the signature for its event, compared in constant time. */
export function isSigned(query: Readonly<Record<string, unknown>>, signer: Signer): boolean {
	const signed = signedEvent(query);
	return signed !== undefined && isEqual(signed.signature, signatureFor(signed.event, signer));
}

/** The digest of an event's signature: recognizes the signature, but can't be turned into it. */
export function digestFor(event: EventName, signer: Signer): string {
	return digestOf(event, signatureFor(event, signer));
}

/** Whether a call's query contains a signature with one of these digests. */
export function hasKnownSignature(
	query: Readonly<Record<string, unknown>>,
	digests: readonly string[],
): boolean {
	const signed = signedEvent(query);
	if (!signed) return false;
	const actual = digestOf(signed.event, signed.signature);
	return digests.some((digest) => isEqual(actual, digest));
}

function signedEvent(query: Readonly<Record<string, unknown>>) {
	const event = eventInQuery(query);
	const signature = query[signatureParameter];
	return event && typeof signature === 'string' ? { event, signature } : undefined;
}

function signatureFor(event: EventName, { secret, identity }: Signer): string {
	return createHmac('sha256', secret).update(`${purpose}\n${identity}\n${event}`).digest('hex');
}

function digestOf(event: EventName, signature: string): string {
	return createHash('sha256').update(`${event}\n${signature}`).digest('base64url');
}

function isEqual(actual: string, expected: string): boolean {
	const [one, other] = [Buffer.from(actual), Buffer.from(expected)];
	return one.length === other.length && timingSafeEqual(one, other);
}
