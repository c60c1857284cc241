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

function answer(status: number, body?: unknown): Exchange {
	return { kind: 'response', status, headers: {}, body };
}

/** A client that notes its requests and always gives the same answer. */
function clientThatGets(exchange: Exchange, companyId: number | undefined = 42) {
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

describe('listing', () => {
	test.each([
		['Active', 'active'],
		['active', 'active'],
		['Banned', 'blacklisted'],
		[' BANNED ', 'blacklisted'],
		['blacklisted', 'blacklisted'],
		['BlackListed', 'blacklisted'],
		['Paused', 'paused'],
		[undefined, ''],
	])('gives the status %j as %j and keeps the raw one', async (rawStatus, status) => {
		const { client } = clientThatGets(answer(200, [{ ...subscription, status: rawStatus }]));
		const {
			webhooks: [webhook],
		} = await companyWebhooksClient(node, client, 42).list();
		expect(webhook).toMatchObject({ status, ...(rawStatus && { rawStatus }) });
	});

	test('names the event and keeps what the document does not name', async () => {
		const hooks = [
			{ url: 'https://a.example/1', action: 1, status: 'Active', since: 2020 },
			{ url: 'https://a.example/9', action: 9, status: 'Active' },
		];
		const { client } = clientThatGets(answer(200, hooks));
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
	])('takes a status that is %s for none', async (_, hook) => {
		const { client } = clientThatGets(answer(200, [hook]));
		const { webhooks, unreadable: others } = await companyWebhooksClient(node, client, 42).list();
		expect(webhooks).toMatchObject([{ ...subscription, status: '', raw: hook }]);
		expect(others).toEqual([]);
	});

	test.each<[string, unknown]>([
		['no URL', { action: 1 }],
		['an empty URL', { url: '', action: 1 }],
		['no event', { url: 'https://a.example' }],
		['an event that is no number', { url: 'https://a.example', action: 'one' }],
		['no members', {}],
		['no object', 'https://a.example'],
		['nothing', null],
	])('reads the hooks beside one with %s', async (_, odd) => {
		const { client } = clientThatGets(answer(200, [odd, { ...subscription, status: 'Active' }]));
		const { webhooks, unreadable: others } = await companyWebhooksClient(node, client, 42).list();
		expect(webhooks).toMatchObject([{ ...subscription, status: 'active' }]);
		expect(others).toEqual([odd]);
	});

	const hooks = [{ ...subscription, status: 'Active' }];
	test.each<[string, unknown]>([
		['under a member', { hooks }],
		['with code and message', { code: 'OK', message: 'Success', payload: hooks }],
		['two members deep', { code: 'OK', data: { total: 1, items: hooks } }],
	])('finds the list %s', async (_, body) => {
		const { client } = clientThatGets(answer(200, body));
		expect(await companyWebhooksClient(node, client, 42).list()).toMatchObject({
			webhooks: [subscription],
			others: [],
		});
	});

	test.each<[string, Exchange]>([
		['an empty list', answer(200, [])],
		['an empty object', answer(200, {})],
		['null', answer(200, null)],
		['an object without one', answer(200, { code: 'OK', message: 'Success', payload: null })],
		['a bare success', answer(200, { code: 'OK', message: 'Success' })],
		['no content (204)', answer(204)],
		['no content (200)', { kind: 'response', status: 200, headers: {}, body: undefined }],
	])('takes %s for a list of none', async (_, exchange) => {
		const { client } = clientThatGets(exchange);
		const nothing = { webhooks: [], others: [] };
		expect(await companyWebhooksClient(node, client, 42).list()).toEqual(nothing);
	});

	test('takes 404 for a list of none, and keeps what the service said', async () => {
		const { client } = clientThatGets(answer(404, { code: 'NOT_FOUND', message: 'No webhooks' }));
		expect(await companyWebhooksClient(node, client, 42).list()).toEqual({
			webhooks: [],
			others: [],
			notFound: 'The service says: No webhooks (NOT_FOUND)',
		});
	});

	test.each<[string, Exchange]>([
		[
			'HTML',
			{ kind: 'response', status: 200, headers: { 'content-type': 'text/html' }, body: undefined },
		],
		['text', answer(200, 'hello')],
		['a number', answer(200, 5)],
		['an error', answer(200, { code: 'ERROR', message: 'Out of order' })],
		['a list of errors', answer(200, { errors: [{ reason: 'Out of order' }] })],
		['other members', answer(200, { name: 'Another service' })],
		['two lists', answer(200, { one: [], other: [] })],
	])('refuses %s, in which there is no list of webhooks', async (_, exchange) => {
		const { client } = clientThatGets(exchange);
		await expect(companyWebhooksClient(node, client, 42).list()).rejects.toThrow(
			'The response is not a valid Delivery Service response',
		);
	});
});

describe('subscribing and unsubscribing', () => {
	test.each([200, 201, 204])('take any success (%d), whatever its body', async (status) => {
		const { client, sent } = clientThatGets(answer(status, '<html>'));
		const webhooks = companyWebhooksClient(node, client, 42);
		await expect(webhooks.subscribe(subscription)).resolves.toMatchObject({ isDone: true });
		await expect(webhooks.unsubscribe(subscription)).resolves.toMatchObject({ isDone: true });
		expect(sent.map(({ method }) => method)).toEqual(['POST', 'DELETE']);
	});

	test('tell apart a subscription that is new and one that was there before', async () => {
		const there = companyWebhooksClient(node, clientThatGets(answer(409)).client, 42);
		await expect(there.subscribe(subscription)).resolves.toMatchObject({ isDone: false });
	});

	test('tell apart a subscription that is gone and one that could not be removed', async () => {
		const gone = companyWebhooksClient(node, clientThatGets(answer(404)).client, 42);
		await expect(gone.unsubscribe(subscription)).resolves.toMatchObject({ isDone: false });
		await expect(gone.subscribe(subscription)).rejects.toThrow(NodeApiError);
		const refused = companyWebhooksClient(node, clientThatGets(answer(403)).client, 42);
		await expect(refused.unsubscribe(subscription)).rejects.toThrow(NodeApiError);
		const unreachable = clientThatGets({ kind: 'noResponse', code: 'ECONNREFUSED' }).client;
		await expect(
			companyWebhooksClient(node, unreachable, 42).unsubscribe(subscription),
		).rejects.toThrow('Could not connect to the Base URL of the Delivery Service');
	});
});

describe('success', () => {
	test.each([200, 299])('is the status %d', (status) => {
		const exchange = answer(status);
		expect(requireSuccess(node, exchange)).toBe(exchange);
	});

	test.each([199, 300, 401, 500])('is not the status %d, which is kept in the error', (status) => {
		const refused: unknown = (() => {
			try {
				return requireSuccess(node, answer(status, { code: 'E', message: 'Because' }));
			} catch (error) {
				return error;
			}
		})();
		expect(refused).toBeInstanceOf(NodeApiError);
		expect(refused).toMatchObject({ httpCode: String(status) });
	});

	test('is not a connection that failed', () => {
		expect(() => requireSuccess(node, { kind: 'noResponse', code: '' })).toThrow(
			'The Delivery Service could not be reached',
		);
	});
});
