import { createHmac } from 'node:crypto';

import { eventNames } from '../../../nodes/DeliveryService/service/events';
import {
	isAuthentic,
	isOwnUrl,
	subscriptionFor,
	type Signer,
	type UrlOwner,
} from '../../../nodes/DeliveryService/trigger/urls';

const webhookUrl = 'https://n8n.example/webhook/abc/webhook';
const owner: UrlOwner = { webhookUrl, workflowId: 'w1' };
const signer: Signer = { secret: 's3cret', identity: 'live\nw1\n42' };
const rotated: Signer = { ...signer, secret: 'rotated' };
const otherCompany: Signer = { ...signer, identity: 'live\nw1\n43' };
const subscription = subscriptionFor(owner, 'updateTask', signer, true);

/** The query of the signed URL as n8n passes it to the node, with changes. */
function query(changes: Record<string, unknown> = {}): Record<string, unknown> {
	return { ...Object.fromEntries(new URL(subscription.url).searchParams), ...changes };
}

describe('subscriptionFor', () => {
	test('signs identity and event with HMAC-SHA-256 and the API secret', () => {
		const signed = 'n8n-nodes-delivery-service trigger URL\nlive\nw1\n42\nupdateTask';
		const signature = createHmac('sha256', 's3cret').update(signed).digest('hex');
		expect(subscription).toMatchObject({
			url: `${webhookUrl}?event=updateTask&workflow=w1&signature=${signature}`,
			action: 3,
		});
	});

	test('adds only event and workflow without a signature', () => {
		const { url } = subscriptionFor(owner, 'createTask', signer, false);
		expect(url).toBe(`${webhookUrl}?event=createTask&workflow=w1`);
	});

	test.each([true, false])('has another digest for each event and company (%s)', (isSigned) => {
		const digests = eventNames.flatMap((event) =>
			[signer, otherCompany].map((one) => subscriptionFor(owner, event, one, isSigned).digest),
		);
		expect(new Set(digests).size).toBe(6);
		expect(digests.join()).not.toContain(new URL(subscription.url).searchParams.get('signature'));
	});
});

describe('isOwnUrl', () => {
	test.each([
		subscription.url,
		subscriptionFor(owner, 'createTask', rotated, true).url,
		subscriptionFor(owner, 'createTask', signer, false).url,
	])('recognizes its own URL %s', (url) => {
		expect(isOwnUrl(owner, url)).toBe(true);
	});

	test.each([
		'',
		'hello',
		webhookUrl,
		`${webhookUrl}?event=updateTask`,
		`${webhookUrl}?event=updateTask&workflow=w2`,
		`${webhookUrl}/x?event=updateTask&workflow=w1`,
		subscription.url.replace('https:', 'http:'),
		subscription.url.replace('n8n.example', 'n8n.example:8443'),
		subscription.url.replace('/webhook/', '/webhook-test/'),
	])('never takes "%s" for its own', (url) => {
		expect(isOwnUrl(owner, url)).toBe(false);
	});
});

describe('isAuthentic', () => {
	test('accepts the signature of the event', () => {
		expect(isAuthentic(query(), signer, [])).toBe(true);
	});

	test('accepts a signature of an earlier API secret by its digest, for the same company', () => {
		const { digest } = subscription;
		expect(isAuthentic(query(), rotated, [digest])).toBe(true);
		expect(isAuthentic(query(), rotated, [])).toBe(false);
		expect(isAuthentic(query(), { ...otherCompany, secret: 'rotated' }, [digest])).toBe(false);
		expect(isAuthentic(query({ event: 'createTask' }), rotated, [digest])).toBe(false);
	});

	const plain = subscriptionFor(owner, 'updateTask', signer, false);
	test.each<[string, Record<string, unknown>]>([
		['no signature', { signature: undefined }],
		['an empty one', { signature: '' }],
		['a list', { signature: [query().signature, query().signature] }],
		['an upper-case one', { signature: String(query().signature).toUpperCase() }],
		['a longer one', { signature: `${String(query().signature)}00` }],
		['the digest', { signature: subscription.digest }],
		['an unsigned URL with a known digest', { signature: plain.url }],
		['another event', { event: 'createTask' }],
		['an unknown event', { event: 'deleteTask' }],
	])('rejects a call with %s', (_, changes) => {
		expect(isAuthentic(query(changes), signer, [subscription.digest, plain.digest])).toBe(false);
	});
});
