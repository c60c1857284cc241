import { NodeApiError, type INode } from 'n8n-workflow';

import type {
	Exchange,
	ServiceClient,
	ServiceRequest,
} from '../../../nodes/DeliveryService/service/client';
import {
	requireSuccess,
	companyWebhooksClient,
} from '../../../nodes/DeliveryService/service/webhooks';

const node: INode = {
	id: 'n1',
	name: 'Delivery Service',
	type: 'n8n-nodes-delivery-service.deliveryService',
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};

function responseWith(status: number, body?: unknown): Exchange {
	return { kind: 'response', status, headers: {}, body };
}

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
		const { client } = clientReturning(responseWith(200, [{ ...subscription, status: rawStatus }]));
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
		const { client } = clientReturning(responseWith(200, hooks));
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
		const { client } = clientReturning(responseWith(200, [hook]));
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
			responseWith(200, [invalid, { ...subscription, status: 'Active' }]),
		);
		const { webhooks, unreadable } = await companyWebhooksClient(node, client, 42).list();
		expect(webhooks).toMatchObject([{ ...subscription, status: 'active' }]);
		expect(unreadable).toEqual([invalid]);
	});

	const hooks = [{ ...subscription, status: 'Active' }];
	test.each<[string, unknown]>([
		['in a field', { hooks }],
		['next to code and message', { code: 'OK', message: 'Success', payload: hooks }],
		['two levels deep', { code: 'OK', data: { total: 1, items: hooks } }],
	])('finds the list of webhooks %s', async (_, body) => {
		const { client } = clientReturning(responseWith(200, body));
		expect(await companyWebhooksClient(node, client, 42).list()).toMatchObject({
			webhooks: [subscription],
			unreadable: [],
		});
	});

	test('returns an empty list as it is', async () => {
		const { client } = clientReturning(responseWith(200, { code: 'OK', payload: [] }));
		const nothing = { webhooks: [], unreadable: [] };
		expect(await companyWebhooksClient(node, client, 42).list()).toEqual(nothing);
	});

	test.each<[string, Exchange]>([
		['an empty object', responseWith(200, {})],
		['null', responseWith(200, null)],
		[
			'an object without a list',
			responseWith(200, { code: 'OK', message: 'Success', payload: null }),
		],
		['a bare success', responseWith(200, { code: 'OK', message: 'Success' })],
		['no content (204)', responseWith(204)],
		['no content (200)', { kind: 'response', status: 200, headers: {}, body: undefined }],
	])('treats %s as an empty list that is inferred', async (_, exchange) => {
		const { client } = clientReturning(exchange);
		const nothing = { webhooks: [], unreadable: [], isInferred: true };
		expect(await companyWebhooksClient(node, client, 42).list()).toEqual(nothing);
	});

	test('treats a 404 as an empty list and keeps the message of the service', async () => {
		const { client } = clientReturning(
			responseWith(404, { code: 'NOT_FOUND', message: 'No webhooks' }),
		);
		expect(await companyWebhooksClient(node, client, 42).list()).toEqual({
			webhooks: [],
			unreadable: [],
			notFoundDetail: 'The service says: No webhooks (NOT_FOUND)',
		});
	});

	test.each<[string, Exchange]>([
		[
			'HTML',
			{ kind: 'response', status: 200, headers: { 'content-type': 'text/html' }, body: undefined },
		],
		['text', responseWith(200, 'hello')],
		['a number', responseWith(200, 5)],
		['an error', responseWith(200, { code: 'ERROR', message: 'Out of order' })],
		['a list of errors', responseWith(200, { errors: [{ reason: 'Out of order' }] })],
		['other fields', responseWith(200, { name: 'Another service' })],
		['two lists', responseWith(200, { one: [], other: [] })],
	])('rejects %s, which contains no list of webhooks', async (_, exchange) => {
		const { client } = clientReturning(exchange);
		await expect(companyWebhooksClient(node, client, 42).list()).rejects.toThrow(
			'The response is not a valid Delivery Service response',
		);
	});
});

describe('subscribing and unsubscribing', () => {
	test.each([200, 201, 204])('accepts any success (%d) regardless of its body', async (status) => {
		const { client, sent } = clientReturning(responseWith(status, '<html>'));
		const webhooks = companyWebhooksClient(node, client, 42);
		await expect(webhooks.subscribe(subscription)).resolves.toMatchObject({ isDone: true });
		await expect(webhooks.unsubscribe(subscription)).resolves.toMatchObject({ isDone: true });
		expect(sent.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
	});

	test('reports an existing subscription on a 409', async () => {
		const conflicting = companyWebhooksClient(node, clientReturning(responseWith(409)).client, 42);
		await expect(conflicting.subscribe(subscription)).resolves.toMatchObject({ isDone: false });
	});

	test('distinguish a missing subscription from a failed removal', async () => {
		const missing = companyWebhooksClient(node, clientReturning(responseWith(404)).client, 42);
		await expect(missing.unsubscribe(subscription)).resolves.toMatchObject({ isDone: false });
		await expect(missing.subscribe(subscription)).rejects.toThrow(NodeApiError);
		const rejected = companyWebhooksClient(node, clientReturning(responseWith(403)).client, 42);
		await expect(rejected.unsubscribe(subscription)).rejects.toThrow(NodeApiError);
		const unreachable = clientReturning({ kind: 'noResponse', code: 'ECONNREFUSED' }).client;
		await expect(
			companyWebhooksClient(node, unreachable, 42).unsubscribe(subscription),
		).rejects.toThrow('Could not connect to the Delivery Service');
	});
});

describe('requireSuccess', () => {
	test.each([200, 299])('returns a response with status %d', (status) => {
		const exchange = responseWith(status);
		expect(requireSuccess(node, exchange)).toBe(exchange);
	});

	test.each([199, 300, 401, 500])(
		'throws an error with the status for a response with status %d',
		(status) => {
			const thrown: unknown = (() => {
				try {
					return requireSuccess(node, responseWith(status, { code: 'E', message: 'Because' }));
				} catch (error) {
					return error;
				}
			})();
			expect(thrown).toBeInstanceOf(NodeApiError);
			expect(thrown).toMatchObject({ httpCode: String(status) });
		},
	);

	test('throws when the connection failed', () => {
		expect(() => requireSuccess(node, { kind: 'noResponse', code: '' })).toThrow(
			'The Delivery Service could not be reached',
		);
	});
});
