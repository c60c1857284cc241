import { once } from 'node:events';
import http from 'node:http';

import axios from 'axios';
import { z } from 'zod';

import { startShopify, type Shopify } from '../../playground/shopify/server';
import { callThroughProxy, type Answered, type CallOptions } from '../support/shopifyClient';

const start = Date.UTC(2026, 0, 5, 12);
let nowMs = start;
let shopify: Shopify;

beforeAll(async () => {
	shopify = await startShopify({ now: () => nowMs });
});
beforeEach(() => {
	nowMs = start;
	shopify.reset();
});
afterAll(async () => await shopify.close());

const call = async (method: string, path: string, options?: CallOptions) =>
	await callThroughProxy(shopify, method, `/admin/api/2024-07/${path}`, options);

const fulfillmentOrderShape = z.object({ id: z.number(), status: z.string() });
const fulfillmentOrdersOf = async (orderId: number) => {
	const { data } = await call('GET', `orders/${orderId}/fulfillment_orders.json`);
	return z.object({ fulfillment_orders: z.array(fulfillmentOrderShape.passthrough()) }).parse(data)
		.fulfillment_orders;
};

/** Places a number of orders and returns the last one. */
function place(count: number) {
	const order = shopify.control.placeOrders(count).at(-1);
	if (order === undefined) throw new Error('No order was placed');
	return order;
}

const tracking = { number: 'D-1', url: 'https://track.example/D-1', company: 'Couriers' };

async function fulfill(orderId: number, overrides: object = {}): Promise<Answered> {
	const [open] = await fulfillmentOrdersOf(orderId);
	const fulfillment = {
		line_items_by_fulfillment_order: [{ fulfillment_order_id: open?.id }],
		tracking_info: tracking,
		...overrides,
	};
	return await call('POST', 'fulfillments.json', { body: { fulfillment } });
}

describe('the proxy', () => {
	test('rejects other hosts with the reason', async () => {
		await expect(call('GET', 'x', { hostName: 'other-shop.myshopify.com' })).rejects.toThrow(
			/^403: .*can only reach larch-and-linen.myshopify.com/,
		);
	});

	test('the Admin API requires the access token', async () => {
		const rejected = await call('GET', 'products.json', { accessToken: 'shpat_other' });
		expect(rejected.status).toBe(401);
		expect(rejected.data).toEqual({ errors: expect.stringContaining('Invalid API key') });
		expect(shopify.calls()).toEqual([
			{ method: 'GET', path: '/admin/api/2024-07/products.json', status: 401 },
		]);
	});
});

describe('fulfillments', () => {
	test('the refunds of a sample that is placed again are for its own line items', () => {
		for (let count = 0; count < 24; count += 1) shopify.shop.place();
		const [refunded] = shopify.shop
			.orders()
			.slice(12)
			.filter(({ name }) => name === '#1020');
		const text = JSON.stringify(refunded?.refunds);
		expect(refunded?.line_items.some(({ id }) => text.includes(`"line_item_id":${id},`))).toBe(
			true,
		);
	});

	test('fulfilling a closed fulfillment order is rejected and changes nothing', async () => {
		const order = place(3);
		await fulfill(order.id);
		const before = shopify.shop.order(order.id);
		expect(before.closed_at).toBeNull();
		expect(await fulfill(order.id, { notify_customer: true })).toMatchObject({
			status: 422,
			data: { errors: [expect.stringContaining('unfulfillable status= closed')] },
		});
		expect(shopify.shop.order(order.id)).toBe(before);
		expect(shopify.shop.notifications()).toEqual([]);
	});

	test('a fulfillment can be partial, but not exceed the remaining quantity', async () => {
		const order = place(2);
		const [open] = await fulfillmentOrdersOf(order.id);
		const lines = z.array(z.object({ id: z.number() })).parse(open?.line_items);
		const part = (quantity: number) => ({
			line_items_by_fulfillment_order: [
				{
					fulfillment_order_id: open?.id,
					fulfillment_order_line_items: [{ id: lines[0]?.id, quantity }],
				},
			],
		});
		expect(await fulfill(order.id, part(5))).toMatchObject({ status: 422 });
		expect(await fulfill(order.id, part(3))).toMatchObject({ status: 201 });
		expect(await fulfillmentOrdersOf(order.id)).toMatchObject([{ status: 'in_progress' }]);
		expect(await fulfill(order.id, part(2))).toMatchObject({ status: 422 });
	});

	test('a canceled order cannot be fulfilled, and an order with nothing to ship has no fulfillment order', async () => {
		const cancelled = place(5);
		expect(await fulfillmentOrdersOf(cancelled.id)).toMatchObject([{ status: 'cancelled' }]);
		expect(await fulfill(cancelled.id)).toMatchObject({ status: 422 });
		const nothingLeft = place(7);
		expect(nothingLeft.name).toBe('#1012');
		expect(await fulfillmentOrdersOf(nothingLeft.id)).toEqual([]);
	});
});

describe('GraphQL', () => {
	const run = async (query: string, variables?: object) => {
		const { data } = await call('POST', 'graphql.json', { body: { query, variables } });
		return data;
	};

	test('rejects a field that Shopify does not have', async () => {
		expect(await run('{ orders(first: 1) { nodes { total } } }')).toMatchObject({
			errors: [{ message: expect.stringContaining('Cannot query field "total"') }],
		});
		expect(await run('')).toMatchObject({ errors: [{ message: expect.any(String) }] });
	});
});

describe('webhooks', () => {
	const subscribe = async (topic: string, address: string) =>
		// Two slashes, as n8n's nodes send them.
		await call('POST', '/webhooks.json', { body: { webhook: { topic, address, format: 'json' } } });

	test('rejects webhooks for other machines', async () => {
		expect(await subscribe('orders/create', 'https://n8n.example/webhook')).toMatchObject({
			status: 422,
		});
		expect(await call('POST', 'webhooks.json', { body: { webhook: {} } })).toMatchObject({
			status: 400,
		});
	});

	test('a repeated message keeps the time of its event, and a cancellation is a topic of its own', async () => {
		const received: Array<[string, string]> = [];
		const subscriber = http.createServer((req, res) => {
			const { 'x-shopify-topic': topic, 'x-shopify-triggered-at': at } = req.headers;
			received.push([String(topic), String(at)]);
			res.writeHead(503).end();
		});
		subscriber.listen(0, '127.0.0.1');
		await once(subscriber, 'listening');
		const { port } = z.object({ port: z.number() }).parse(subscriber.address());
		await subscribe('orders/cancelled', `http://127.0.0.1:${port}/`);
		shopify.shop.cancel(place(1).id);
		await shopify.webhooks.settled();
		await shopify.passTime(60_000);
		subscriber.close();
		const message = ['orders/cancelled', new Date(start).toISOString()];
		expect(received).toEqual([message, message]);
	});
});

describe('the list of orders', () => {
	test('lists orders by ID, and those updated since a time', async () => {
		const [first, second] = shopify.control.placeOrders(3);
		nowMs += 60_000;
		shopify.shop.cancel(second!.id);
		const names = async (query: string) => {
			const { data } = await call('GET', `orders.json?status=any&${query}`);
			return z
				.object({ orders: z.array(z.object({ name: z.string() })) })
				.parse(data)
				.orders.map(({ name }) => name);
		};
		expect(await names(`ids=${first!.id},1`)).toEqual([first!.name]);
		expect(await names(`updated_at_min=${new Date(nowMs).toISOString()}`)).toEqual([second!.name]);
	});
});

describe('the page', () => {
	test('the page loads nothing from other servers', async () => {
		const { data, headers } = await axios.get<string>(shopify.url, { proxy: false });
		expect(headers['content-security-policy']).toContain("default-src 'none'");
		expect(data).toContain('<title>Shopify');
		expect(data).not.toMatch(/https?:\/\/|innerHTML/);
	});

	test('the page is controlled from this machine only', async () => {
		const client = axios.create({ baseURL: shopify.url, proxy: false, validateStatus: null });
		expect((await client.post('/control/orders', { count: 3 })).status).toBe(201);
		expect((await client.post('/control/orders/1/address')).status).toBe(404);
		expect((await client.post('/control/orders', { count: 0 })).status).toBe(400);
		const headers = { Origin: 'https://elsewhere.example' };
		expect((await client.post('/control/orders', { count: 1 }, { headers })).status).toBe(403);
		expect(shopify.shop.orders()).toHaveLength(3);
	});
});
