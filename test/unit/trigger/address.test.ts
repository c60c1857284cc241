import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import { eventNames } from '../../../nodes/DeliveryService/service/events';
import {
	addressFor,
	eventInQuery,
	isAddressOf,
	isSameAddress,
	isSigned,
	type Signer,
} from '../../../nodes/DeliveryService/trigger/address';

const webhookUrl = 'https://n8n.example/webhook/abc/webhook';
const signer: Signer = { secret: 's3cret', identity: 'live\nw1' };

/** The query of an address, as n8n hands it to the node. */
function queryOf(address: string): Record<string, string> {
	return Object.fromEntries(new URL(address).searchParams);
}

/** The query of a signed address for an event, with some parameters changed. */
function signedQuery(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return { ...queryOf(addressFor(webhookUrl, 'updateTask', signer)), ...changes };
}

describe('an address', () => {
	test('is the webhook URL with the event, and unsigned only the event', () => {
		expect(addressFor(webhookUrl, 'createTask')).toBe(`${webhookUrl}?event=createTask`);
	});

	test('carries an HMAC-SHA-256 over identity and event, keyed by the secret', () => {
		const signed = 'n8n-nodes-delivery-service trigger address, version 1\nlive\nw1\ncreateTask';
		const signature = createHmac('sha256', 's3cret').update(signed).digest('hex');
		expect(addressFor(webhookUrl, 'createTask', signer)).toBe(
			`${webhookUrl}?event=createTask&signature=${signature}`,
		);
	});

	test('differs for each event, secret and identity', () => {
		const addresses = eventNames.flatMap((event) =>
			[
				signer,
				{ ...signer, secret: 'other' },
				{ ...signer, identity: 'test\nw1' },
				{ ...signer, identity: 'live\nw2' },
			].map((one) => queryOf(addressFor(webhookUrl, event, one)).signature),
		);
		expect(new Set(addresses).size).toBe(addresses.length);
	});

	test('keeps the query that the webhook URL has', () => {
		expect(addressFor(`${webhookUrl}?a=1`, 'createTask')).toBe(
			`${webhookUrl}?a=1&event=createTask`,
		);
	});
});

describe('an address of this node', () => {
	test('is any that was made from its webhook URL, with whatever secret', () => {
		for (const event of eventNames) {
			expect(isAddressOf(webhookUrl, addressFor(webhookUrl, event))).toBe(true);
			expect(isAddressOf(webhookUrl, addressFor(webhookUrl, event, signer))).toBe(true);
			const rotated = { ...signer, secret: 'rotated' };
			expect(isAddressOf(webhookUrl, addressFor(webhookUrl, event, rotated))).toBe(true);
		}
	});

	test('is one of a webhook URL that has a query of its own', () => {
		const withQuery = `${webhookUrl}?a=1`;
		expect(isAddressOf(withQuery, addressFor(withQuery, 'createTask', signer))).toBe(true);
		expect(isAddressOf(withQuery, addressFor(webhookUrl, 'createTask', signer))).toBe(false);
	});

	test.each([
		['another path', 'https://n8n.example/webhook/abd/webhook?event=createTask'],
		['a longer path', `${webhookUrl}/x?event=createTask`],
		['another host', 'https://other.example/webhook/abc/webhook?event=createTask'],
		['another protocol', 'http://n8n.example/webhook/abc/webhook?event=createTask'],
		['the test URL', 'https://n8n.example/webhook-test/abc/webhook?event=createTask'],
		['another parameter', `${webhookUrl}?event=createTask&x=1`],
		['an event that is not known', `${webhookUrl}?event=deleteTask`],
		['an empty event', `${webhookUrl}?event=`],
		['no event', webhookUrl],
		['two events', `${webhookUrl}?event=createTask&event=createTask`],
		['an empty signature', `${webhookUrl}?event=createTask&signature=`],
		['a signature that is none', `${webhookUrl}?event=createTask&signature=${'g'.repeat(64)}`],
		['a longer signature', `${webhookUrl}?event=createTask&signature=${'a'.repeat(65)}`],
		[
			'two signatures',
			`${webhookUrl}?event=createTask&signature=${'a'.repeat(64)}&signature=${'a'.repeat(64)}`,
		],
		['a fragment', `${webhookUrl}?event=createTask#x`],
		['text that is no URL', 'not a URL'],
	])('is not one with %s', (_, address) => {
		expect(isAddressOf(webhookUrl, address)).toBe(false);
	});
});

describe('two addresses are the same', () => {
	test.each([
		['when they are equal', `${webhookUrl}?event=createTask`, `${webhookUrl}?event=createTask`],
		['with parameters in another order', `${webhookUrl}?a=1&b=2`, `${webhookUrl}?b=2&a=1`],
		['in another spelling of host and port', 'HTTPS://N8N.example:443/x', 'https://n8n.example/x'],
		['when they are equal but no URLs', 'hook', 'hook'],
	])('%s', (_, one, other) => {
		expect(isSameAddress(one, other)).toBe(true);
	});

	test.each([
		['in the value of a parameter', `${webhookUrl}?a=1`, `${webhookUrl}?a=2`],
		['in the path', webhookUrl, `${webhookUrl}/`],
		['in that one is no URL', webhookUrl, 'hook'],
		['in text that is no URL', 'hook', 'hooks'],
	])('unless they differ %s', (_, one, other) => {
		expect(isSameAddress(one, other)).toBe(false);
	});
});

describe('the event of a call', () => {
	test.each(eventNames)('is %s when its query names it', (event) => {
		expect(eventInQuery(queryOf(addressFor(webhookUrl, event)))).toBe(event);
	});

	test.each([{}, { event: 'deleteTask' }, { event: ['createTask'] }, { Event: 'createTask' }])(
		'is not known from the query %j',
		(query) => {
			expect(eventInQuery(query)).toBeUndefined();
		},
	);
});

describe('a signature', () => {
	test('is right in every address that was made with the same signer', () => {
		for (const event of eventNames)
			expect(isSigned(queryOf(addressFor(webhookUrl, event, signer)), signer)).toBe(true);
	});

	test('does not hold for another event, secret or identity', () => {
		expect(isSigned(signedQuery({ event: 'createTask' }), signer)).toBe(false);
		expect(isSigned(signedQuery(), { ...signer, secret: 'other' })).toBe(false);
		expect(isSigned(signedQuery(), { ...signer, identity: 'test\nw1' })).toBe(false);
	});

	test.each<[string, Record<string, unknown>]>([
		['the signature is missing', { signature: undefined }],
		['the signature is empty', { signature: '' }],
		['there are several signatures', { signature: [signedQuery().signature] }],
		['the signature has more behind it', { signature: `${String(signedQuery().signature)}zz` }],
		['the signature is cut', { signature: String(signedQuery().signature).slice(0, 62) }],
		['the signature is of as many characters outside ASCII', { signature: 'é'.repeat(64) }],
		['the event is missing', { event: undefined }],
		['the event is not known', { event: 'deleteTask' }],
	])('is refused when %s', (_, changes) => {
		expect(isSigned(signedQuery(changes), signer)).toBe(false);
	});

	test('is refused when a character of it is another', () => {
		const right = String(signedQuery().signature);
		fc.assert(
			fc.property(
				fc.nat({ max: right.length - 1 }),
				fc.constantFrom(...'0123456789abcdefABCDEFg '),
				(position, character) => {
					fc.pre(right[position] !== character);
					const signature = right.slice(0, position) + character + right.slice(position + 1);
					expect(isSigned(signedQuery({ signature }), signer)).toBe(false);
				},
			),
		);
	});

	test('is refused when it is any other text', () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{64}$/)),
				(signature) => !isSigned(signedQuery({ signature }), signer),
			),
		);
	});
});
