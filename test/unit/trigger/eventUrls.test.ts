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

/** The query of a URL as n8n passes it to the node. */
function queryOf(url: string): Record<string, string> {
	return Object.fromEntries(new URL(url).searchParams);
}

/** The query of a signed event URL with some parameters changed. */
function signedQuery(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return { ...queryOf(eventUrlFor(owner, 'updateTask', signer)), ...changes };
}

describe('eventUrlFor', () => {
	test('adds only event and workflow to the webhook URL without a signer', () => {
		expect(eventUrlFor(owner, 'createTask')).toBe(`${webhookUrl}?event=createTask&workflow=w1`);
	});

	test('signs identity and event with HMAC-SHA-256 and the API secret', () => {
		const signed = 'n8n-nodes-delivery-service trigger URL\nlive\nw1\n42\ncreateTask';
		const signature = createHmac('sha256', 's3cret').update(signed).digest('hex');
		expect(eventUrlFor(owner, 'createTask', signer)).toBe(
			`${webhookUrl}?event=createTask&workflow=w1&signature=${signature}`,
		);
	});

	test('returns a different signature for each event, secret and identity', () => {
		const signatures = eventNames.flatMap((event) =>
			[
				signer,
				{ ...signer, secret: 'other' },
				{ ...signer, identity: 'test\nw1' },
				{ ...signer, identity: 'live\nw2' },
			].map((one) => queryOf(eventUrlFor(owner, event, one)).signature),
		);
		expect(new Set(signatures).size).toBe(signatures.length);
	});

	test('keeps the query of the webhook URL', () => {
		expect(eventUrlFor({ ...owner, webhookUrl: `${webhookUrl}?a=1` }, 'createTask')).toBe(
			`${webhookUrl}?a=1&event=createTask&workflow=w1`,
		);
	});
});

describe('readEventUrl', () => {
	const signed = eventUrlFor(owner, 'createTask', signer);
	const signature = String(queryOf(signed).signature);
	const own = { event: 'createTask', workflowId: 'w1', signature };

	test.each(eventNames)('reads event and workflow from an unsigned %s URL', (event) => {
		const url = eventUrlFor(owner, event);
		expect(readEventUrl(webhookUrl, url)).toEqual({ event, workflowId: 'w1' });
	});

	test('reads the workflow and signature of another workflow and secret', () => {
		const other = { ...signer, secret: 'rotated' };
		const url = eventUrlFor({ webhookUrl, workflowId: 'w2' }, 'createTask', other);
		expect(readEventUrl(webhookUrl, url)).toEqual({
			event: 'createTask',
			workflowId: 'w2',
			signature: queryOf(url).signature,
		});
	});

	test('returns undefined for a URL without a workflow', () => {
		const url = `${webhookUrl}?event=createTask&signature=${signature}`;
		expect(readEventUrl(webhookUrl, url)).toBeUndefined();
	});

	test('compares the query of the webhook URL, too', () => {
		const withQuery = `${webhookUrl}?a=1`;
		const url = eventUrlFor({ ...owner, webhookUrl: withQuery }, 'createTask', signer);
		expect(readEventUrl(withQuery, url)).toEqual(own);
		expect(readEventUrl(withQuery, signed)).toBeUndefined();
		expect(readEventUrl(webhookUrl, url)).toBeUndefined();
	});

	const [path = '', query = ''] = signed.split('?');
	const spellings: Array<[string, string]> = [
		['unchanged', signed],
		['with spaces around it', ` ${signed} `],
		['with its parameters in another order', `${path}?${query.split('&').reverse().join('&')}`],
		['escaped for HTML', signed.replaceAll('&', '&amp;')],
		['escaped for HTML with character codes', signed.replaceAll('&', '&#38;')],
		['with encoded slashes', signed.replaceAll('/', '%2F').replace(':%2F%2F', '://')],
		['encoded as a whole', encodeURIComponent(signed)],
		['encoded twice', encodeURIComponent(encodeURIComponent(signed))],
		['with an encoded query', `${path}?${encodeURIComponent(query)}`],
		['with an encoded question mark', `${path}%3F${query}`],
		['escaped for HTML and encoded', encodeURIComponent(signed.replaceAll('&', '&amp;'))],
		['with scheme and host in upper case', signed.replace('https://n8n.', 'HTTPS://N8N.')],
		['with the default port', signed.replace('n8n.example', 'n8n.example:443')],
	];
	test.each(spellings)('reads an event URL %s', (_, url) => {
		expect(readEventUrl(webhookUrl, url)).toEqual(own);
	});

	test.each([
		['another path', 'https://n8n.example/webhook/abd/webhook?event=createTask'],
		['a longer path', `${webhookUrl}/x?event=createTask`],
		['another host', 'https://other.example/webhook/abc/webhook?event=createTask'],
		['another protocol', 'http://n8n.example/webhook/abc/webhook?event=createTask'],
		['the test URL', 'https://n8n.example/webhook-test/abc/webhook?event=createTask'],
		['another parameter', `${webhookUrl}?event=createTask&x=1`],
		['an unknown event', `${webhookUrl}?event=deleteTask`],
		['an empty event', `${webhookUrl}?event=`],
		['no event', webhookUrl],
		['two events', `${webhookUrl}?event=createTask&event=createTask`],
		['an empty workflow', `${webhookUrl}?event=createTask&workflow=`],
		['two workflows', `${webhookUrl}?event=createTask&workflow=w1&workflow=w1`],
		['an empty signature', `${webhookUrl}?event=createTask&signature=`],
		['an invalid signature', `${webhookUrl}?event=createTask&signature=${'g'.repeat(64)}`],
		['a longer signature', `${webhookUrl}?event=createTask&signature=${'a'.repeat(65)}`],
		[
			'two signatures',
			`${webhookUrl}?event=createTask&signature=${'a'.repeat(64)}&signature=${'a'.repeat(64)}`,
		],
		['a fragment', `${webhookUrl}?event=createTask#x`],
		['text that is not a URL', 'not a URL'],
		['text that cannot be decoded', '%E0%A4%A'],
		['empty text', ''],
	])('returns undefined for %s', (_, url) => {
		expect(readEventUrl(webhookUrl, url)).toBeUndefined();
	});

	test.each([
		webhookUrl,
		encodeURIComponent(webhookUrl),
		'HTTPS://n8n.example:443/webhook/abc/webhook',
	])('isBareUrl accepts the webhook URL in the spelling %s', (url) => {
		expect(isBareUrl(webhookUrl, url)).toBe(true);
	});

	test.each([signed, `${webhookUrl}/`, `${webhookUrl}?a=1`, 'hook', ''])(
		'isBareUrl rejects %j',
		(url) => {
			expect(isBareUrl(webhookUrl, url)).toBe(false);
		},
	);
});

describe('decodeQuery', () => {
	const plain = queryOf(eventUrlFor(owner, 'updateTask', signer));
	const text = new URLSearchParams(plain).toString();

	test.each<[string, Record<string, unknown>]>([
		['unchanged', plain],
		['escaped for HTML', queryOf(`${webhookUrl}?${text.replaceAll('&', '&amp;')}`)],
		['encoded', { [text]: '' }],
		['encoded and escaped for HTML', { [text.replaceAll('&', '&amp;')]: '' }],
	])('decodes a signed query that is %s', (_, query) => {
		expect(decodeQuery(query)).toEqual(plain);
		expect(isSigned(decodeQuery(query), signer)).toBe(true);
	});

	test.each<[string, Record<string, unknown>]>([
		['in two spellings', { ...plain, 'amp;signature': plain.signature }],
		['next to an encoded one', { ...plain, [`signature=${plain.signature}`]: '' }],
		['as a list', { ...plain, signature: [plain.signature] }],
	])('returns no valid signature for a signature %s', (_, query) => {
		expect(isSigned(decodeQuery(query), signer)).toBe(false);
		expect(hasKnownSignature(decodeQuery(query), [digestFor('updateTask', signer)])).toBe(false);
	});

	test('keeps other parameters unchanged', () => {
		expect(decodeQuery({ a: '', b: ['1'], c: { d: '1' } })).toEqual({
			a: '',
			b: ['1'],
			c: { d: '1' },
		});
	});
});

describe('eventInQuery', () => {
	test.each(eventNames)('returns %s when the query names it', (event) => {
		expect(eventInQuery(queryOf(eventUrlFor(owner, event)))).toBe(event);
	});

	test.each([{}, { event: 'deleteTask' }, { event: ['createTask'] }, { Event: 'createTask' }])(
		'returns undefined for the query %j',
		(query) => {
			expect(eventInQuery(query)).toBeUndefined();
		},
	);
});

describe('hasKnownSignature', () => {
	const digests = [digestFor('createTask', signer), digestFor('updateTask', signer)];

	test('recognizes a signature by its digest, for its own event only', () => {
		expect(hasKnownSignature(signedQuery(), digests)).toBe(true);
		expect(hasKnownSignature(signedQuery({ event: 'createTask' }), digests)).toBe(false);
		expect(hasKnownSignature(signedQuery(), digests.slice(0, 1))).toBe(false);
		expect(hasKnownSignature(signedQuery(), [])).toBe(false);
	});

	test('rejects the digest itself as a signature', () => {
		const [, digest = ''] = digests;
		expect(hasKnownSignature(signedQuery({ signature: digest }), digests)).toBe(false);
		expect(digest).not.toContain(String(signedQuery().signature));
	});
});

describe('isSigned', () => {
	test('accepts every event URL of the same signer', () => {
		for (const event of eventNames)
			expect(isSigned(queryOf(eventUrlFor(owner, event, signer)), signer)).toBe(true);
	});

	test('rejects a signature for another event, secret or identity', () => {
		expect(isSigned(signedQuery({ event: 'createTask' }), signer)).toBe(false);
		expect(isSigned(signedQuery(), { ...signer, secret: 'other' })).toBe(false);
		expect(isSigned(signedQuery(), { ...signer, identity: 'test\nw1' })).toBe(false);
	});

	test.each<[string, Record<string, unknown>]>([
		['a missing signature', { signature: undefined }],
		['an empty signature', { signature: '' }],
		['a list of signatures', { signature: [signedQuery().signature] }],
		['a signature with trailing characters', { signature: `${String(signedQuery().signature)}zz` }],
		['a truncated signature', { signature: String(signedQuery().signature).slice(0, 62) }],
		['a signature of 64 non-ASCII characters', { signature: 'é'.repeat(64) }],
		['a missing event', { event: undefined }],
		['an unknown event', { event: 'deleteTask' }],
	])('rejects %s', (_, changes) => {
		expect(isSigned(signedQuery(changes), signer)).toBe(false);
	});

	test('rejects a signature with one changed character', () => {
		const valid = String(signedQuery().signature);
		fc.assert(
			fc.property(
				fc.nat({ max: valid.length - 1 }),
				fc.constantFrom(...'0123456789abcdefABCDEFg '),
				(position, character) => {
					fc.pre(valid[position] !== character);
					const signature = valid.slice(0, position) + character + valid.slice(position + 1);
					expect(isSigned(signedQuery({ signature }), signer)).toBe(false);
				},
			),
		);
	});

	test('rejects any other text', () => {
		fc.assert(
			fc.property(
				fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-f]{64}$/)),
				(signature) => !isSigned(signedQuery({ signature }), signer),
			),
		);
	});
});
