import { createHmac, timingSafeEqual } from 'crypto';

import { eventNames, eventNameSchema, type EventName } from '../service/events';

/** The query parameters that an address carries beside the node's webhook URL. */
const eventParameter = 'event';
const signatureParameter = 'signature';

const signaturePattern = /^[0-9a-f]{64}$/;

/** Keeps these signatures apart from any other use of the same API secret. */
const purpose = 'n8n-nodes-delivery-service trigger address, version 1';

/** What a trigger's addresses are signed with, and for. */
export interface Signer {
	secret: string;
	/** What tells this node's webhook from any other; the test and the production URL differ. */
	identity: string;
}

/**
 * The address at which the service reports an event (service document, section 4.3): the node's
 * webhook URL with the event, and with an HMAC-SHA-256 over identity and event that only the holder
 * of the API secret can make.
 *
 * @throws TypeError when the webhook URL is no URL
 */
export function addressFor(webhookUrl: string, event: EventName, signer?: Signer): string {
	const address = new URL(webhookUrl);
	address.searchParams.set(eventParameter, event);
	if (signer) address.searchParams.set(signatureParameter, signatureFor(event, signer));
	return address.toString();
}

/**
 * Whether an address is one that this node made, whatever secret it was made with: exactly its
 * webhook URL, with one event, perhaps a signature, and nothing else. A subscription that differs in
 * any other way is somebody else's.
 */
export function isAddressOf(webhookUrl: string, address: string): boolean {
	if (!URL.canParse(address)) return false;
	const bare = new URL(address);
	const named = bare.searchParams.getAll(eventParameter);
	const signatures = bare.searchParams.getAll(signatureParameter);
	if (named.length !== 1 || !eventNameSchema.safeParse(named[0]).success) return false;
	if (signatures.length > 1 || !signatures.every((one) => signaturePattern.test(one))) return false;
	bare.searchParams.delete(eventParameter);
	bare.searchParams.delete(signatureParameter);
	return bare.toString() === new URL(webhookUrl).toString();
}

/** Whether two addresses are the same URL, also when one of them lists its parameters otherwise. */
export function isSameAddress(one: string, other: string): boolean {
	return one === other || normalised(one) === normalised(other);
}

function normalised(address: string): string {
	if (!URL.canParse(address)) return address;
	const url = new URL(address);
	url.searchParams.sort();
	return url.toString();
}

/** The event that a call's query names, or undefined when it names none that is known. */
export function eventInQuery(query: Readonly<Record<string, unknown>>): EventName | undefined {
	return eventNames.find((name) => name === query[eventParameter]);
}

/**
 * Whether a call's query carries the signature for its event, character by character, compared in
 * constant time.
 */
export function isSigned(query: Readonly<Record<string, unknown>>, signer: Signer): boolean {
	const event = eventInQuery(query);
	const given = query[signatureParameter];
	if (!event || typeof given !== 'string') return false;
	const expected = Buffer.from(signatureFor(event, signer));
	const received = Buffer.from(given);
	return received.length === expected.length && timingSafeEqual(received, expected);
}

function signatureFor(event: EventName, { secret, identity }: Signer): string {
	return createHmac('sha256', secret).update(`${purpose}\n${identity}\n${event}`).digest('hex');
}
