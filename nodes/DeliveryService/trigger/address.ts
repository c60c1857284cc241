import { createHmac, timingSafeEqual } from 'crypto';

import { eventNames, eventNameSchema, type EventName } from '../service/events';

/** The query parameters that an address carries beside the node's webhook URL. */
const eventParameter = 'event';
const signatureParameter = 'signature';

/** What a trigger's addresses are signed with, and for. */
export interface Signer {
	secret: string;
	/** What tells this node's webhook from any other; the test and the production URL differ. */
	identity: string;
}

/**
 * The address at which the service reports an event: the node's webhook URL with the event, and
 * with an HMAC-SHA-256 over identity and event that only the holder of the API secret can make.
 */
export function addressFor(webhookUrl: string, event: EventName, signer?: Signer): string {
	const address = new URL(webhookUrl);
	address.searchParams.set(eventParameter, event);
	if (signer)
		address.searchParams.set(signatureParameter, signatureFor(event, signer).toString('hex'));
	return address.toString();
}

/**
 * Whether an address is one of this node's: exactly its webhook URL, with nothing but an event and
 * perhaps a signature, whatever secret it was made with.
 */
export function isAddressOf(webhookUrl: string, address: string): boolean {
	if (!URL.canParse(address)) return false;
	const bare = new URL(address);
	const event = bare.searchParams.get(eventParameter);
	if (event !== null && !eventNameSchema.safeParse(event).success) return false;
	bare.searchParams.delete(eventParameter);
	bare.searchParams.delete(signatureParameter);
	return bare.toString() === new URL(webhookUrl).toString();
}

/** The event that a call's query names, or undefined when it names none that is known. */
export function eventInQuery(query: Readonly<Record<string, unknown>>): EventName | undefined {
	return eventNames.find((name) => name === query[eventParameter]);
}

/** Whether a call's query carries the signature for its event, compared in constant time. */
export function isSigned(query: Readonly<Record<string, unknown>>, signer: Signer): boolean {
	const event = eventInQuery(query);
	const given = query[signatureParameter];
	if (!event || typeof given !== 'string') return false;
	const expected = signatureFor(event, signer);
	const received = Buffer.from(given, 'hex');
	return received.length === expected.length && timingSafeEqual(received, expected);
}

function signatureFor(event: EventName, { secret, identity }: Signer): Buffer {
	return createHmac('sha256', secret).update(`${identity}\n${event}`).digest();
}
