import { createHmac } from 'node:crypto';

import fc from 'fast-check';

import { eventNames } from '../../../nodes/DeliveryService/service/events';
import {
	eventUrlFor,
	digestFor,
	eventInQuery,
	isBareUrl,
	hasKnownSignature,
	isSigned,
	decodeQuery,
	readEventUrl,
	type TriggerOwner,
	type Signer,
} from '../../../nodes/DeliveryService/trigger/eventUrls';

const webhookUrl = 'https://n8n.example/webhook/abc/webhook';
const owner: TriggerOwner = { webhookUrl, workflowId: 'w1' };
const signer: Signer = { secret: 's3cret', identity: 'live\nw1\n42' };

/** The query of an address, as n8n hands it to the node. */
function queryOf(address: string): Record<string, string> {
	return Object.fromEntries(new URL(address).searchParams);
}

/** The query of a signed address for an event, with some parameters changed. */
function signedQuery(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return { ...queryOf(eventUrlFor(owner, 'updateTask', signer)), ...changes };
}

describe('an address', () => {
	test('is the webhook URL with event and workflow, and unsigned nothing more', () => {
		expect(eventUrlFor(owner, 'createTask')).toBe(`${webhookUrl}?event=createTask&workflow=w1`);
	});

	test('carries an HMAC-SHA-256 over identity and event, keyed by the secret', () => {
		const signed = 'n8n-nodes-delivery-service trigger URL\nlive\nw1\n42\ncreateTask';
		const signature = createHmac('sha256', 's3cret').update(signed).digest('hex');
		expect(eventUrlFor(owner, 'createTask', signer)).toBe(
			`${webhookUrl}?event=createTask&workflow=w1&signature=${signature}`,
		);
	});

	test('differs for each event, secret and identity', () => {
		const addresses = eventNames.flatMap((event) =>
			[
				signer,
				{ ...signer, secret: 'other' },
				{ ...signer, identity: 'test\nw1' },
				{ ...signer, identity: 'live\nw2' },
			].map((one) => queryOf(eventUrlFor(owner, event, one)).signature),
		);
		expect(new Set(addresses).size).toBe(addresses.length);
	});

	test('keeps the query that the webhook URL has', () => {
		expect(eventUrlFor({ ...owner, webhookUrl: `${webhookUrl}?a=1` }, 'createTask')).toBe(
			`${webhookUrl}?a=1&event=createTask&workflow=w1`,
		);
	});
});

describe('an address that is listed', () => {
	const signed = eventUrlFor(owner, 'createTask', signer);
	const signature = String(queryOf(signed).signature);
	const own = { event: 'createTask', workflowId: 'w1', signature };

	test.each(eventNames)('says what it was made from: %s', (event) => {
		const address = eventUrlFor(owner, event);
		expect(readEventUrl(webhookUrl, address)).toEqual({ event, workflowId: 'w1' });
	});

	test('says the workflow and signature that it was made with, whatever they are', () => {
		const others = { ...signer, secret: 'rotated' };
		const address = eventUrlFor({ webhookUrl, workflowId: 'w2' }, 'createTask', others);
		expect(readEventUrl(webhookUrl, address)).toEqual({
			event: 'createTask',
			workflowId: 'w2',
			signature: queryOf(address).signature,
		});
	});

	test('names no trigger without a workflow', () => {
		const address = `${webhookUrl}?event=createTask&signature=${signature}`;
		expect(readEventUrl(webhookUrl, address)).toBeUndefined();
	});

	test('may be one of a webhook URL that has a query of its own', () => {
		const withQuery = `${webhookUrl}?a=1`;
		const address = eventUrlFor({ ...owner, webhookUrl: withQuery }, 'createTask', signer);
		expect(readEventUrl(withQuery, address)).toEqual(own);
		expect(readEventUrl(withQuery, signed)).toBeUndefined();
		expect(readEventUrl(webhookUrl, address)).toBeUndefined();
	});

	const [path = '', query = ''] = signed.split('?');
	const written: Array<[string, string]> = [
		['as it was made', signed],
		['with spaces around it', ` ${signed} `],
		['with its parameters in another order', `${path}?${query.split('&').reverse().join('&')}`],
		['in HTML', signed.replaceAll('&', '&amp;')],
		['in HTML by number', signed.replaceAll('&', '&#38;')],
		['with its slashes encoded', signed.replaceAll('/', '%2F').replace(':%2F%2F', '://')],
		['encoded as a whole', encodeURIComponent(signed)],
		['encoded twice', encodeURIComponent(encodeURIComponent(signed))],
		['with its query encoded', `${path}?${encodeURIComponent(query)}`],
		['with its question mark encoded', `${path}%3F${query}`],
		['in HTML, and encoded', encodeURIComponent(signed.replaceAll('&', '&amp;'))],
		['with host and scheme in capitals', signed.replace('https://n8n.', 'HTTPS://N8N.')],
		['with the port that is meant anyway', signed.replace('n8n.example', 'n8n.example:443')],
	];
	test.each(written)('is known %s', (_, address) => {
		expect(readEventUrl(webhookUrl, address)).toEqual(own);
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
		['an empty workflow', `${webhookUrl}?event=createTask&workflow=`],
		['two workflows', `${webhookUrl}?event=createTask&workflow=w1&workflow=w1`],
		['an empty signature', `${webhookUrl}?event=createTask&signature=`],
		['a signature that is none', `${webhookUrl}?event=createTask&signature=${'g'.repeat(64)}`],
		['a longer signature', `${webhookUrl}?event=createTask&signature=${'a'.repeat(65)}`],
		[
			'two signatures',
			`${webhookUrl}?event=createTask&signature=${'a'.repeat(64)}&signature=${'a'.repeat(64)}`,
		],
		['a fragment', `${webhookUrl}?event=createTask#x`],
		['text that is no URL', 'not a URL'],
		['text that cannot be decoded', '%E0%A4%A'],
		['no text', ''],
	])("is somebody else's with %s", (_, address) => {
		expect(readEventUrl(webhookUrl, address)).toBeUndefined();
	});

	test.each([
		webhookUrl,
		encodeURIComponent(webhookUrl),
		'HTTPS://n8n.example:443/webhook/abc/webhook',
	])('is bare when it is the webhook URL: %s', (address) => {
		expect(isBareUrl(webhookUrl, address)).toBe(true);
	});

	test.each([signed, `${webhookUrl}/`, `${webhookUrl}?a=1`, 'hook', ''])(
		'is not bare otherwise: %s',
		(address) => {
			expect(isBareUrl(webhookUrl, address)).toBe(false);
		},
	);
});

describe('the query of a call', () => {
	const plain = queryOf(eventUrlFor(owner, 'updateTask', signer));
	const text = new URLSearchParams(plain).toString();

	test.each<[string, Record<string, unknown>]>([
		['as it was made', plain],
		['in HTML', queryOf(`${webhookUrl}?${text.replaceAll('&', '&amp;')}`)],
		['encoded', { [text]: '' }],
		['encoded in HTML', { [text.replaceAll('&', '&amp;')]: '' }],
	])('is known %s', (_, query) => {
		expect(decodeQuery(query)).toEqual(plain);
		expect(isSigned(decodeQuery(query), signer)).toBe(true);
	});

	test.each<[string, Record<string, unknown>]>([
		['in two forms', { ...plain, 'amp;signature': plain.signature }],
		['beside an encoded one', { ...plain, [`signature=${plain.signature}`]: '' }],
		['as a list', { ...plain, signature: [plain.signature] }],
	])('proves nothing with the signature %s', (_, query) => {
		expect(isSigned(decodeQuery(query), signer)).toBe(false);
		expect(hasKnownSignature(decodeQuery(query), [digestFor('updateTask', signer)])).toBe(false);
	});

	test('keeps what else it holds', () => {
		expect(decodeQuery({ a: '', b: ['1'], c: { d: '1' } })).toEqual({
			a: '',
			b: ['1'],
			c: { d: '1' },
		});
	});
});

describe('the event of a call', () => {
	test.each(eventNames)('is %s when its query names it', (event) => {
		expect(eventInQuery(queryOf(eventUrlFor(owner, event)))).toBe(event);
	});

	test.each([{}, { event: 'deleteTask' }, { event: ['createTask'] }, { Event: 'createTask' }])(
		'is not known from the query %j',
		(query) => {
			expect(eventInQuery(query)).toBeUndefined();
		},
	);
});

describe('what is remembered of a signature', () => {
	const digests = [digestFor('createTask', signer), digestFor('updateTask', signer)];

	test('knows it again, with its event only', () => {
		expect(hasKnownSignature(signedQuery(), digests)).toBe(true);
		expect(hasKnownSignature(signedQuery({ event: 'createTask' }), digests)).toBe(false);
		expect(hasKnownSignature(signedQuery(), digests.slice(0, 1))).toBe(false);
		expect(hasKnownSignature(signedQuery(), [])).toBe(false);
	});

	test('is not what is to be sent', () => {
		const [, digest = ''] = digests;
		expect(hasKnownSignature(signedQuery({ signature: digest }), digests)).toBe(false);
		expect(digest).not.toContain(String(signedQuery().signature));
	});
});

describe('a signature', () => {
	test('is right in every address that was made with the same signer', () => {
		for (const event of eventNames)
			expect(isSigned(queryOf(eventUrlFor(owner, event, signer)), signer)).toBe(true);
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
