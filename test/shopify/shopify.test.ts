import { createHmac } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import http from 'node:http';

import axios from 'axios';
import { z } from 'zod';

import { samples } from '../../playground/shopify/samples';
import { startShopify, type Shopify } from '../../playground/shopify/server';
import { callThroughProxy, type Answered, type CallOptions } from '../support/shopifyClient';
import { startSubscriber, until } from '../support/localService';

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
	test('passes requests to the shop for clients that trust its authority', async () => {
		expect(await call('GET', 'products.json')).toMatchObject({ status: 200 });
		await expect(call('GET', 'products.json', { ca: [] })).rejects.toThrow(/certificate/);
	});

	test('rejects other hosts with the reason', async () => {
		await expect(call('GET', 'x', { hostName: 'other-shop.myshopify.com' })).rejects.toThrow(
			/^403: .*can only reach larch-and-linen.myshopify.com/,
		);
	});

	test('closing stops the proxy and deletes the certificate file', async () => {
		const other = await startShopify();
		const file = String(other.env.NODE_EXTRA_CA_CERTS);
		await access(file);
		await callThroughProxy(other, 'GET', '/admin/api/2024-07/products.json');
		await other.close();
		await expect(access(file)).rejects.toThrow('ENOENT');
		await expect(axios.get(other.url, { proxy: false })).rejects.toThrow('ECONNREFUSED');
	});

	test('the Admin API requires the access token', async () => {
		const rejected = await call('GET', 'products.json', { accessToken: 'shpat_other' });
		expect(rejected.status).toBe(401);
		expect(rejected.data).toEqual({ errors: expect.stringContaining('Invalid API key') });
		expect(shopify.calls()).toEqual([
			{ method: 'GET', path: '/admin/api/2024-07/products.json', status: 401 },
		]);
	});

	test('the Admin API responds 404 to unknown paths', async () => {
		expect(await call('GET', 'customers.json')).toMatchObject({
			status: 404,
			data: { errors: 'Not Found' },
		});
	});
});

describe('orders', () => {
	test('gives new IDs and times to orders when the samples start over', () => {
		const first = place(1);
		nowMs += 3_600_000;
		const repeated = place(12);
		expect(first).toMatchObject({ name: '#1001', id: 5600007927919 });
		expect(repeated).toMatchObject({
			name: '#1013',
			email: first.email,
			created_at: '2026-01-05T13:00:00+00:00',
		});
		const all = shopify.shop.orders();
		expect(new Set(all.map(({ id }) => id)).size).toBe(13);
		const items = all.flatMap(({ line_items: lines }) => lines.map(({ id }) => id));
		expect(new Set(items).size).toBe(items.length);
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
		expect(shopify.shop.order(order.id)).toMatchObject({
			fulfillment_status: 'partial',
			line_items: [{ fulfillment_status: 'partial', fulfillable_quantity: 1 }, {}],
		});
		expect(await fulfillmentOrdersOf(order.id)).toMatchObject([{ status: 'in_progress' }]);
		expect(await fulfill(order.id)).toMatchObject({ status: 201 });
		expect(shopify.shop.order(order.id)).toMatchObject({ fulfillment_status: 'fulfilled' });
	});

	test('a canceled order cannot be fulfilled, and an order with nothing to ship has no fulfillment order', async () => {
		const cancelled = place(5);
		expect(await fulfillmentOrdersOf(cancelled.id)).toMatchObject([{ status: 'cancelled' }]);
		expect(await fulfill(cancelled.id)).toMatchObject({ status: 422 });
		const nothingLeft = place(7);
		expect(nothingLeft.name).toBe('#1012');
		expect(await fulfillmentOrdersOf(nothingLeft.id)).toEqual([]);
	});

	test('rejects a fulfillment without fields or for an unknown fulfillment order', async () => {
		expect(await call('POST', 'fulfillments.json', { body: {} })).toMatchObject({
			status: 400,
			data: { errors: { fulfillment: expect.any(String) } },
		});
		const body = {
			fulfillment: { line_items_by_fulfillment_order: [{ fulfillment_order_id: 1 }] },
		};
		expect(await call('POST', 'fulfillments.json', { body })).toMatchObject({ status: 422 });
	});
});

describe('fulfillment orders', () => {
	const split = [
		{ lines: [0], location: 'store' as const },
		{
			lines: [1],
			location: 'warehouse' as const,
			method: 'local' as const,
			information: { instructions: 'Blue door', phone: '+1 217-555-0142' },
		},
	];

	test('an order can have fulfillment orders at several locations with different methods', async () => {
		const order = shopify.shop.place(samples[1], split);
		expect(await fulfillmentOrdersOf(order.id)).toMatchObject([
			{
				status: 'open',
				assigned_location: { name: 'Main Street Store' },
				delivery_method: { method_type: 'shipping', additional_information: null },
				destination: { address1: '9 Harbour Street', email: order.email },
				line_items: [{ line_item_id: order.line_items[0]?.id }],
			},
			{
				assigned_location: { name: 'Harbor Warehouse' },
				delivery_method: {
					method_type: 'local',
					additional_information: { instructions: 'Blue door', phone: '+1 217-555-0142' },
				},
				line_items: [{ line_item_id: order.line_items[1]?.id }],
			},
		]);
	});

	test('a fulfillment order can be held, scheduled, opened and moved', async () => {
		const order = shopify.shop.place(samples[0]);
		const [open] = await fulfillmentOrdersOf(order.id);
		const { shop } = shopify;
		shop.hold(open!.id);
		expect(await fulfillmentOrdersOf(order.id)).toMatchObject([
			{
				status: 'on_hold',
				supported_actions: [],
				fulfillment_holds: [{ reason: 'high_risk_of_fraud' }],
			},
		]);
		expect(await fulfill(order.id)).toMatchObject({ status: 422 });
		shop.hold(open!.id, false);
		shop.schedule(open!.id, '2026-02-01T00:00:00Z');
		expect(await fulfillmentOrdersOf(order.id)).toMatchObject([
			{ status: 'scheduled', fulfill_at: '2026-02-01T00:00:00Z', fulfillment_holds: [] },
		]);
		shop.schedule(open!.id, null);
		shop.move(open!.id, 'warehouse');
		expect(await fulfillmentOrdersOf(order.id)).toMatchObject([
			{ status: 'open', fulfill_at: null, assigned_location_id: 61_000_000_002 },
		]);
		expect(() => shop.hold(1)).toThrow('Not Found');
	});
});

describe('GraphQL', () => {
	const run = async (query: string, variables?: object) => {
		const { data } = await call('POST', 'graphql.json', { body: { query, variables } });
		return data;
	};

	test('returns every field of the query in docs/queries.md', async () => {
		const docs = await readFile('docs/queries.md', 'utf8');
		const [, query = ''] = /```graphql\n([^]*?)```/.exec(docs) ?? [];
		const order = shopify.shop.place(samples[1], [{ lines: [0] }, { lines: [1] }]);
		await fulfill(order.id);
		const [shipped, open] = order.line_items;
		expect(await run(query, { id: `gid://shopify/Order/${order.id}` })).toMatchObject({
			data: {
				order: {
					name: '#1001',
					lineItems: {
						nodes: [
							{
								id: `gid://shopify/LineItem/${shipped?.id}`,
								unfulfilledQuantity: 0,
								variant: {
									inventoryItem: { measurement: { weight: { value: 380, unit: 'GRAMS' } } },
								},
							},
							{ id: `gid://shopify/LineItem/${open?.id}`, unfulfilledQuantity: 1 },
						],
					},
					fulfillments: [
						{
							status: 'SUCCESS',
							fulfillmentLineItems: {
								nodes: [{ lineItem: { id: `gid://shopify/LineItem/${shipped?.id}` }, quantity: 4 }],
							},
						},
					],
				},
			},
		});
	});

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
	const listWebhooks = async (query = '') => {
		const { data } = await call('GET', `/webhooks${query}`);
		return z
			.object({ webhooks: z.array(z.object({ id: z.number(), address: z.string() })) })
			.parse(data).webhooks;
	};

	test('a webhook is created once, listed by topic, and deleted', async () => {
		const address = 'http://127.0.0.1:1/webhook/a';
		expect(await subscribe('orders/create', address)).toMatchObject({
			status: 201,
			data: { webhook: { topic: 'orders/create', address } },
		});
		expect(await subscribe('orders/updated', address)).toMatchObject({ status: 201 });
		expect(await subscribe('orders/create', address)).toMatchObject({
			status: 422,
			data: { errors: { address: ['for this topic has already been taken'] } },
		});
		const [webhook] = await listWebhooks('?topic=orders/create');
		expect(await listWebhooks()).toHaveLength(2);
		expect((await call('DELETE', `webhooks/${webhook?.id}.json`)).status).toBe(200);
		expect(await listWebhooks('?topic=orders/create')).toEqual([]);
		expect((await call('DELETE', `webhooks/${webhook?.id}.json`)).status).toBe(404);
	});

	test('rejects webhooks for other machines', async () => {
		expect(await subscribe('orders/create', 'https://n8n.example/webhook')).toMatchObject({
			status: 422,
		});
		expect(await call('POST', 'webhooks.json', { body: { webhook: {} } })).toMatchObject({
			status: 400,
		});
	});

	test('sends signed webhook messages for all events', async () => {
		const subscriber = await startShopSubscriber();
		for (const topic of ['orders/create', 'orders/updated', 'orders/fulfilled']) {
			await subscribe(topic, subscriber.url);
		}
		const order = place(1);
		await shopify.webhooks.settled();
		await fulfill(order.id);
		await shopify.webhooks.settled();
		const updated = shopify.control.changeAddress(order.id);
		await shopify.webhooks.settled();
		expect(subscriber.received.map(({ topic }) => topic).sort()).toEqual([
			'orders/create',
			'orders/fulfilled',
			'orders/updated',
			'orders/updated',
			'orders/updated',
		]);
		for (const { signature, body, shop } of subscriber.received) {
			const hmac = createHmac('sha256', shopify.credential.appSecretKey).update(body);
			expect(signature).toBe(hmac.digest('base64'));
			expect(shop).toBe(shopify.domain);
		}
		expect(updated.shipping_address).toMatchObject({
			address1: '12 Birch Walk',
			name: 'Maya Okafor',
		});
		expect(JSON.parse(subscriber.received.at(-1)?.body ?? '')).toEqual(updated);
		await subscriber.close();
	});

	test('sends a message to the newest subscriber first', async () => {
		const older = await startSubscriber();
		const newer = await startSubscriber();
		await subscribe('orders/create', older.url);
		await subscribe('orders/create', newer.url);
		place(1);
		await newer.arrived(1);
		expect(older.received).toEqual([]);
		await shopify.webhooks.settled();
		expect(older.received).toHaveLength(1);
		await Promise.all([older.close(), newer.close()]);
	});
});

describe('the page', () => {
	test('the page loads nothing from other servers', async () => {
		const { data, headers } = await axios.get<string>(shopify.url, { proxy: false });
		expect(headers['content-security-policy']).toContain("default-src 'none'");
		expect(data).toContain('<title>Shopify');
		expect(data).not.toMatch(/https?:\/\/|innerHTML/);
	});

	test('the page places orders and changes addresses, from this machine only', async () => {
		const client = axios.create({ baseURL: shopify.url, proxy: false, validateStatus: null });
		expect((await client.post('/control/orders', { count: 3 })).status).toBe(201);
		const [order] = shopify.shop.orders();
		expect((await client.post(`/control/orders/${order?.id}/address`)).status).toBe(200);
		expect((await client.post('/control/orders/1/address')).status).toBe(404);
		expect((await client.post('/control/orders', { count: 0 })).status).toBe(400);
		shopify.webhooks.subscribe('orders/create', 'http://127.0.0.1:1/webhook');
		expect((await client.post('/control/webhooks/delete')).status).toBe(200);
		expect(shopify.webhooks.list()).toEqual([]);
		const { clientId, clientSecret } = shopify.app;
		const { access_token: token } = shopify.app.createToken({
			...{ client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials' },
		});
		expect(shopify.app.access(token)).toBeDefined();
		expect((await client.post('/control/tokens/expire')).status).toBe(200);
		expect(shopify.app.access(token)).toBeUndefined();
		const headers = { Origin: 'https://elsewhere.example' };
		expect((await client.post('/control/orders', { count: 1 }, { headers })).status).toBe(403);
		expect(shopify.shop.orders()).toHaveLength(3);
	});
});

interface ShopMessage {
	readonly topic: unknown;
	readonly signature: unknown;
	readonly shop: unknown;
	readonly body: string;
}

/** Starts a subscriber that records messages with their signatures. */
async function startShopSubscriber() {
	const received: ShopMessage[] = [];
	const server = http.createServer((req, res) => {
		const chunks: Buffer[] = [];
		req.on('data', (chunk: Buffer) => chunks.push(chunk));
		req.on('end', () => {
			received.push({
				topic: req.headers['x-shopify-topic'],
				signature: req.headers['x-shopify-hmac-sha256'],
				shop: req.headers['x-shopify-shop-domain'],
				body: Buffer.concat(chunks).toString(),
			});
			res.end();
		});
	});
	server.listen(0, '127.0.0.1');
	await until(() => server.listening);
	const address = server.address();
	if (address === null || typeof address === 'string') throw new Error('The server has no port');
	return {
		url: `http://127.0.0.1:${address.port}/webhook`,
		received,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
