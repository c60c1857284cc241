import { NodeApiError, type INode } from 'n8n-workflow';

import type {
	Exchange,
	ServiceClient,
	ServiceRequest,
} from '../../../nodes/DeliveryService/service/client';
import {
	companyWebhooksClient,
	isSameUrl,
	webhookName,
} from '../../../nodes/DeliveryService/service/webhooks';
import { noResponse, respondWith } from '../../support/creations';

const node: INode = {
	id: 'n1',
	name: 'Delivery Service',
	type: 'n8n-nodes-delivery-service.deliveryService',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

/** A client that records its requests and always returns the same exchange. */
function clientReturning(exchange: Exchange, companyId: number | undefined = 42) {
	const sent: ServiceRequest[] = [];
	const client: ServiceClient = {
		credential: { baseUrl: 'https://a.example', apiKeyId: 'id', apiSecret: 's', companyId },
		send: (request) => {
			sent.push(request);
			return Promise.resolve(exchange);
		},
	};
	return { client, sent };
}

const subscription = { url: 'https://a.example/x', action: 3 };

describe('listing webhooks', () => {
	test.each([
		['Active', 'active'],
		['active', 'active'],
		['Banned', 'blacklisted'],
		[' BANNED ', 'blacklisted'],
		['blacklisted', 'blacklisted'],
		['BlackListed', 'blacklisted'],
		['Paused', 'paused'],
		[undefined, ''],
	])('normalizes the status %j to %j and keeps the raw one', async (rawStatus, status) => {
		const { client } = clientReturning(respondWith(200, [{ ...subscription, status: rawStatus }]));
		const {
			webhooks: [webhook],
		} = await companyWebhooksClient(node, client, 42).list();
		expect(webhook).toMatchObject({ status, ...(rawStatus && { rawStatus }) });
	});

	test('adds the event name and keeps undocumented fields', async () => {
		const hooks = [
			{ url: 'https://a.example/1', action: 1, status: 'Active', since: 2020 },
			{ url: 'https://a.example/9', action: 9, status: 'Active' },
		];
		const { client } = clientReturning(respondWith(200, hooks));
		const { webhooks } = await companyWebhooksClient(node, client, 42).list();
		expect(webhooks.map(({ url, action, event, raw }) => ({ url, action, event, raw }))).toEqual([
			{ url: 'https://a.example/1', action: 1, event: 'createTask', raw: hooks[0] },
			{ url: 'https://a.example/9', action: 9, event: undefined, raw: hooks[1] },
		]);
	});

	test.each<[string, unknown]>([
		['null', { ...subscription, status: null }],
		['a number', { ...subscription, status: 1 }],
		['an object', { ...subscription, status: { name: 'active' } }],
	])('treats a status that is %s as missing', async (_, hook) => {
		const { client } = clientReturning(respondWith(200, [hook]));
		const { webhooks, unreadable } = await companyWebhooksClient(node, client, 42).list();
		expect(webhooks).toMatchObject([{ ...subscription, status: '', raw: hook }]);
		expect(unreadable).toEqual([]);
	});

	test.each<[string, unknown]>([
		['no URL', { action: 1 }],
		['an empty URL', { url: '', action: 1 }],
		['no event', { url: 'https://a.example' }],
		['an event that is not a number', { url: 'https://a.example', action: 'one' }],
		['no fields', {}],
		['text instead of an object', 'https://a.example'],
		['null instead of an object', null],
	])('lists the other webhooks next to an entry with %s', async (_, invalid) => {
		const { client } = clientReturning(
			respondWith(200, [invalid, { ...subscription, status: 'Active' }]),
		);
		const { webhooks, unreadable } = await companyWebhooksClient(node, client, 42).list();
		expect(webhooks).toMatchObject([{ ...subscription, status: 'active' }]);
		expect(unreadable).toEqual([invalid]);
	});

	test.each<[string, Exchange]>([
		['HTML', respondWith(200, '<!doctype html><title>Welcome</title>')],
		['a body that is too large', { ...respondWith(200), unreadable: 'larger than 5 MB' }],
		['text', respondWith(200, 'hello')],
		['an object with a list', respondWith(200, { payload: [] })],
	])('rejects %s, which contains no list of webhooks', async (_, exchange) => {
		const { client } = clientReturning(exchange);
		await expect(companyWebhooksClient(node, client, 42).list()).rejects.toThrow(
			'The response is not a valid Delivery Service response',
		);
	});

	test.each([
		[
			'The Delivery Service did not complete the request',
			{ code: 'ERROR', message: 'Out of order' },
			'The service says: Out of order (ERROR)',
		],
		[
			'The response is not a valid Delivery Service response',
			{ code: 'OK', payload: [] },
			'Check the Base URL in the credential: it must be the URL of the Delivery Service itself. The service says: (OK) {"payload":[]}',
		],
	])('says what the service said instead of a list: %s', async (message, body, description) => {
		const { client } = clientReturning(respondWith(200, body));
		await expect(companyWebhooksClient(node, client, 42).list()).rejects.toMatchObject({
			message,
			description,
		});
	});

	test.each([200, 204])('reads a success (%d) without a body as an empty list', async (status) => {
		const { client } = clientReturning(respondWith(status));
		const webhooks = companyWebhooksClient(node, client, 42);
		expect(await webhooks.list()).toEqual({ webhooks: [], unreadable: [] });
		expect(await webhooks.listForTrigger()).toEqual({ webhooks: [], unreadable: [] });
	});

	test('for a trigger, a 404 of the service is an empty list, and one of another server an error', async () => {
		const ofService = clientReturning(respondWith(404, { code: 'NOT_FOUND' })).client;
		const webhooks = companyWebhooksClient(node, ofService, 42);
		expect(await webhooks.listForTrigger()).toEqual({ webhooks: [], unreadable: [] });
		await expect(webhooks.list()).rejects.toMatchObject({
			message: 'The Delivery Service responded, but this company or URL was not found',
			description:
				'Check Company ID and Base URL. If both are right, the company does not have any webhooks yet. The service says: (NOT_FOUND)',
		});
		const ofOther = clientReturning(respondWith(404, '<html>')).client;
		await expect(companyWebhooksClient(node, ofOther, 42).listForTrigger()).rejects.toMatchObject({
			description: 'Check the Base URL: its host responded, but not as the Delivery Service.',
		});
	});
});

describe('subscribing and unsubscribing', () => {
	test.each([200, 201, 204])('accepts any success (%d) regardless of its body', async (status) => {
		const { client, sent } = clientReturning(respondWith(status, '<html>'));
		const webhooks = companyWebhooksClient(node, client, 42);
		await expect(webhooks.subscribe(subscription)).resolves.toBeUndefined();
		await expect(webhooks.unsubscribe(subscription)).resolves.toMatchObject({ existed: true });
		expect(sent.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
	});

	test.each([
		['OK', true],
		['<!doctype html><title>Welcome</title>', false],
	])('a success of the type HTML with the body %j is one: %p', async (body, isDone) => {
		const headers = { 'content-type': 'text/html' };
		const { client } = clientReturning(respondWith(200, body, headers));
		const done = companyWebhooksClient(node, client, 42).subscribe(subscription);
		expect((await Promise.allSettled([done]))[0].status).toBe(isDone ? 'fulfilled' : 'rejected');
	});

	test('fail when a success has a code of failure, without the signature that it quotes', async () => {
		const url = `https://a.example/x?signature=${'5e'.repeat(32)}`;
		const body = { code: `NO ${url}`, message: `${url} is slow` };
		const webhooks = companyWebhooksClient(
			node,
			clientReturning(respondWith(200, body)).client,
			42,
		);
		const error: unknown = await webhooks
			.subscribe(subscription)
			.catch((thrown: unknown) => thrown);
		expect(error).toMatchObject({
			message: 'The Delivery Service did not complete the request',
			description: expect.stringContaining('signature=*** is slow'),
		});
		expect(JSON.stringify(error)).not.toContain('5e5e');
	});

	test('distinguish a missing subscription from a failed removal', async () => {
		const missing = companyWebhooksClient(node, clientReturning(respondWith(404)).client, 42);
		await expect(missing.unsubscribe(subscription)).resolves.toMatchObject({ existed: false });
		await expect(missing.subscribe(subscription)).rejects.toThrow(NodeApiError);
		const page = clientReturning(respondWith(404, '<title>Not Found</title>')).client;
		await expect(companyWebhooksClient(node, page, 42).unsubscribe(subscription)).rejects.toThrow(
			'this company or URL was not found',
		);
		const rejected = companyWebhooksClient(node, clientReturning(respondWith(403)).client, 42);
		await expect(rejected.unsubscribe(subscription)).rejects.toThrow(NodeApiError);
		const unreachable = clientReturning(noResponse('ECONNREFUSED')).client;
		await expect(
			companyWebhooksClient(node, unreachable, 42).unsubscribe(subscription),
		).rejects.toThrow('The connection to the Delivery Service at api.example.com failed');
	});
});

test('names a webhook without its query, which may contain a signature', () => {
	const signed = `https://a.example/x?signature=${'5e'.repeat(32)}`;
	expect(webhookName({ url: signed, action: 3 })).toBe('https://a.example/x for Delivery Updated');
	expect(webhookName({ url: `x?signature=1`, action: 9 })).toBe('x for Event 9');
});

test.each([
	['https://user:secret@n8n.example/hook', 'https://n8n.example/hook', true],
	['HTTPS://N8N.example:443/hook', 'https://n8n.example/hook', true],
	['https://n8n.example/hook?a=1', 'https://n8n.example/hook', false],
	['https://n8n.example/hook/', 'https://n8n.example/hook', false],
	['not a URL', 'not a URL', true],
])('whether %s and %s are one URL: %p', (one, other, isSame) => {
	expect(isSameUrl(one, other)).toBe(isSame);
	expect(isSameUrl(other, one)).toBe(isSame);
});
