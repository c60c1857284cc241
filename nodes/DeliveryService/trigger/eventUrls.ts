import { createHash, createHmac, timingSafeEqual } from 'crypto';

import { eventNames, eventNameSchema, type EventName } from '../service/events';

/** The query parameters that an address carries beside the node's webhook URL. */
const eventParameter = 'event';
const workflowParameter = 'workflow';
const signatureParameter = 'signature';

const signaturePattern = /^[0-9a-f]{64}$/;

/** Keeps these signatures apart from any other use of the same API secret. */
const purpose = 'n8n-nodes-delivery-service trigger URL';

/** What a trigger's addresses are signed with, and for. */
export interface Signer {
	secret: string;
	/** What tells this node's webhook from any other, and where it is subscribed. */
	identity: string;
}

/** Whose addresses are meant: those of one node of one workflow. */
export interface TriggerOwner {
	webhookUrl: string;
	workflowId: string;
}

/** What an address of a trigger says. */
export interface EventUrl {
	event: EventName;
	workflowId: string;
	signature?: string;
}

/**
 * The address at which the service reports an event (service document, section 4.3): the node's
 * webhook URL with the event, the workflow that owns it, and an HMAC-SHA-256 over identity and event
 * that only the holder of the API secret can make.
 *
 * @throws TypeError when the webhook URL is no URL
 */
export function eventUrlFor(
	{ webhookUrl, workflowId }: TriggerOwner,
	event: EventName,
	signer?: Signer,
): string {
	const signature = signer && signatureFor(event, signer);
	return writeEventUrl(webhookUrl, { event, workflowId, signature });
}

/** The webhook URL with what an address says. */
export function writeEventUrl(
	webhookUrl: string,
	{ event, workflowId, signature }: EventUrl,
): string {
	const address = new URL(webhookUrl);
	address.searchParams.set(eventParameter, event);
	address.searchParams.set(workflowParameter, workflowId);
	if (signature !== undefined) address.searchParams.set(signatureParameter, signature);
	return address.toString();
}

/**
 * What an address says when it is exactly the webhook URL with one event, one workflow and at most
 * one signature; undefined for any other address, which is somebody else's. The service may list its
 * parameters in another order, or the address encoded once or twice more.
 */
export function readEventUrl(webhookUrl: string, address: string): EventUrl | undefined {
	for (const text of urlSpellings(address)) {
		const read = readPlainUrl(webhookUrl, text);
		if (read) return read;
	}
	return undefined;
}

/** Whether an address is the bare webhook URL, as a service shows it that drops the query. */
export function isBareUrl(webhookUrl: string, address: string): boolean {
	return urlSpellings(address).some((text) => normalizeUrl(text) === normalizeUrl(webhookUrl));
}

/** An address as it may have been before the service wrote it in HTML or encoded it. */
function urlSpellings(address: string): string[] {
	const readings = [address.trim()];
	try {
		readings.push(decodeURIComponent(readings[0] ?? ''));
		readings.push(decodeURIComponent(readings[1] ?? ''));
	} catch {
		// What cannot be decoded was not encoded.
	}
	return readings.flatMap((text) => [text, fromHtml(text)]);
}

function fromHtml(text: string): string {
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

function normalizeUrl(address: string): string {
	if (!URL.canParse(address)) return address;
	const url = new URL(address);
	url.searchParams.sort();
	return url.toString();
}

/** What an address says as the query of a call. */
export function toQuery({ event, workflowId, signature }: EventUrl): Record<string, unknown> {
	return {
		[eventParameter]: event,
		[workflowParameter]: workflowId,
		[signatureParameter]: signature,
	};
}

/** The event that a call's query names, or undefined when it names none that is known. */
export function eventInQuery(query: Readonly<Record<string, unknown>>): EventName | undefined {
	return eventNames.find((name) => name === query[eventParameter]);
}

/**
 * The query of a call, where the service wrote the subscribed address in HTML or encoded its query:
 * `amp;signature` is `signature`. A parameter that is there in both forms becomes a list, and so
 * proves nothing.
 */
export function decodeQuery(query: Readonly<Record<string, unknown>>): Record<string, unknown> {
	const plain = new Map<string, unknown>();
	const add = (name: string, value: unknown) =>
		plain.set(name, plain.has(name) ? [plain.get(name), value] : value);
	for (const [name, value] of Object.entries(query)) {
		const bare = name.replace(/^amp;/i, '');
		if (value !== '' || !bare.includes('=')) add(bare, value);
		else for (const [inner, text] of new URLSearchParams(fromHtml(bare))) add(inner, text);
	}
	return Object.fromEntries(plain);
}

/**
 * Whether a call's query carries the signature for its event, character by character, compared in
 * constant time.
 */
export function isSigned(query: Readonly<Record<string, unknown>>, signer: Signer): boolean {
	const signed = signedEvent(query);
	return signed !== undefined && isEqual(signed.signature, signatureFor(signed.event, signer));
}

/** What the node remembers of the signature for an event: enough to know it, too little to make it. */
export function digestFor(event: EventName, signer: Signer): string {
	return digestOf(event, signatureFor(event, signer));
}

/** Whether a call's query carries a signature of which one of these is the digest. */
export function hasKnownSignature(
	query: Readonly<Record<string, unknown>>,
	digests: readonly string[],
): boolean {
	const signed = signedEvent(query);
	if (!signed) return false;
	const given = digestOf(signed.event, signed.signature);
	return digests.some((digest) => isEqual(given, digest));
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

function isEqual(given: string, expected: string): boolean {
	const [one, other] = [Buffer.from(given), Buffer.from(expected)];
	return one.length === other.length && timingSafeEqual(one, other);
}
