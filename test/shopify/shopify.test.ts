import { createHmac } from 'node:crypto';
import { access } from 'node:fs/promises';
import http from 'node:http';

import axios from 'axios';
import { z } from 'zod';

import { startShopify, type Shopify } from '../../playground/shopify/server';
import { callThroughBorder, type Answered, type CallOptions } from '../support/shopifyClient';
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
	await callThroughBorder(shopify, method, `/admin/api/2024-07/${path}`, options);

const ordersShape = z.object({ orders: z.array(z.object({ name: z.string() }).passthrough()) });
const namesIn = ({ data }: Answered) => ordersShape.parse(data).orders.map(({ name }) => name);
const namesOf = async (query: string) => namesIn(await call('GET', `orders.json?${query}`));

const openShape = z.object({ id: z.number(), status: z.string() });
const openOf = async (orderId: number) => {
	const { data } = await call('GET', `orders/${orderId}/fulfillment_orders.json`);
	return z.object({ fulfillment_orders: z.array(openShape.passthrough()) }).parse(data)
		.fulfillment_orders;
};

/** Places so many orders and gives the last one. */
function place(count: number) {
	const order = shopify.control.placeOrders(count).at(-1);
	if (order === undefined) throw new Error('No order was placed');
	return order;
}

const tracking = { number: 'D-1', url: 'https://track.example/D-1', company: 'Couriers' };

async function fulfill(orderId: number, more: object = {}): Promise<Answered> {
	const [open] = await openOf(orderId);
	const fulfillment = {
		line_items_by_fulfillment_order: [{ fulfillment_order_id: open?.id }],
		tracking_info: tracking,
		...more,
	};
	return await call('POST', 'fulfillments.json', { body: { fulfillment } });
}

describe('the border', () => {
	test('leads to the shop, for who trusts its authority', async () => {
		expect(await call('GET', 'products.json')).toMatchObject({ status: 200 });
		await expect(call('GET', 'products.json', { ca: [] })).rejects.toThrow(/certificate/);
	});

	test('leads nowhere else, and says so', async () => {
		await expect(call('GET', 'x', { hostName: 'other-shop.myshopify.com' })).rejects.toThrow(
			/^403: .*reaches larch-and-linen.myshopify.com and nothing else/,
		);
	});

	test('is gone once it is closed', async () => {
		const other = await startShopify();
		const file = String(other.env.NODE_EXTRA_CA_CERTS);
		await access(file);
		await callThroughBorder(other, 'GET', '/admin/api/2024-07/products.json');
		await other.close();
		await expect(access(file)).rejects.toThrow('ENOENT');
		await expect(axios.get(other.url, { proxy: false })).rejects.toThrow('ECONNREFUSED');
	});

	test('lets in with the access token only', async () => {
		const refused = await call('GET', 'orders.json', { accessToken: 'shpat_other' });
		expect(refused.status).toBe(401);
		expect(refused.data).toEqual({ errors: expect.stringContaining('Invalid API key') });
		expect(shopify.calls()).toEqual([
			{ method: 'GET', path: '/admin/api/2024-07/orders.json', status: 401 },
		]);
	});

	test('knows no other paths', async () => {
		expect(await call('GET', 'customers.json')).toMatchObject({
			status: 404,
			data: { errors: 'Not Found' },
		});
	});
});

describe('orders', () => {
	test('are listed newest first, without those that are closed or cancelled', async () => {
		place(5);
		expect(await namesOf('')).toEqual(['#1004', '#1003', '#1002', '#1001']);
		expect(await namesOf('status=any')).toHaveLength(5);
		expect(await namesOf('status=cancelled')).toEqual(['#1005']);
		expect(await namesOf('status=closed')).toEqual([]);
	});

	test('have identifiers, line items and times of their own when the samples begin anew', () => {
		const first = place(1);
		nowMs += 3_600_000;
		const again = place(12);
		expect(first).toMatchObject({ name: '#1001', id: 5600007927919 });
		expect(again).toMatchObject({
			name: '#1013',
			email: first.email,
			created_at: '2026-01-05T13:00:00+00:00',
		});
		const all = shopify.shop.orders();
		expect(new Set(all.map(({ id }) => id)).size).toBe(13);
		const items = all.flatMap(({ line_items: lines }) => lines.map(({ id }) => id));
		expect(new Set(items).size).toBe(items.length);
	});

	test('are found by time, payment, identifier and fulfillment', async () => {
		const first = place(1);
		nowMs += 60_000;
		const third = place(2);
		const minute = encodeURIComponent('2026-01-05T12:01:00+00:00');
		expect(await namesOf(`created_at_min=${minute}`)).toEqual(['#1003', '#1002']);
		expect(await namesOf('updated_at_max=2026-01-05T12:00:30Z')).toEqual(['#1001']);
		expect(await namesOf('financial_status=unpaid')).toEqual(['#1003']);
		expect(await namesOf('financial_status=paid')).toEqual(['#1002', '#1001']);
		expect(await namesOf(`ids=${first.id},${third.id}`)).toEqual(['#1003', '#1001']);
		expect(await namesOf(`since_id=${first.id}`)).toEqual(['#1002', '#1003']);
		await fulfill(third.id);
		expect(await namesOf('fulfillment_status=shipped')).toEqual(['#1003']);
		expect(await namesOf('fulfillment_status=unfulfilled')).toEqual(['#1002', '#1001']);
	});

	test('come in pages, with links to those beside', async () => {
		place(4);
		const first = await call('GET', 'orders.json?limit=2&status=any');
		expect(namesIn(first)).toEqual(['#1004', '#1003']);
		expect(first.link).toMatch(/^<https:\/\/larch-and-linen.myshopify.com\/.*>; rel="next"$/);
		const next = /\/(orders\.json[^>]*)>; rel="next"/.exec(first.link ?? '')?.[1] ?? '';
		const second = await call('GET', next);
		expect(namesIn(second)).toEqual(['#1002', '#1001']);
		expect(second.link).toMatch(/rel="previous"$/);
		expect(await call('GET', `${next}&status=any`)).toMatchObject({
			status: 400,
			data: { errors: { status: expect.stringContaining('page_info') } },
		});
		expect(await call('GET', 'orders.json?page_info=x')).toMatchObject({ status: 400 });
	});

	test('name the page before first, as Shopify does', async () => {
		place(4);
		const first = await call('GET', 'orders.json?limit=1');
		const next = /\/(orders\.json[^>]*)>/.exec(first.link ?? '')?.[1] ?? '';
		expect((await call('GET', next)).link).toMatch(/rel="previous", <.*rel="next"$/);
	});

	test('are given alone, whole or in part', async () => {
		const order = place(1);
		expect((await call('GET', `orders/${order.id}.json`)).data).toEqual({ order });
		expect((await call('GET', `orders/${order.id}.json?fields=id,name`)).data).toEqual({
			order: { id: order.id, name: '#1001' },
		});
		expect(await call('GET', 'orders/1.json')).toMatchObject({ status: 404 });
		expect(await call('GET', 'orders/x.json')).toMatchObject({ status: 404 });
	});
});

describe('fulfillments', () => {
	test('close what was open, and give the order its tracking link', async () => {
		const order = place(2);
		expect(await openOf(order.id)).toMatchObject([
			{
				status: 'open',
				supported_actions: ['create_fulfillment', 'hold'],
				line_items: [
					{ line_item_id: order.line_items[0]?.id, fulfillable_quantity: 4 },
					{ line_item_id: order.line_items[1]?.id, fulfillable_quantity: 1 },
				],
			},
		]);
		const answer = await fulfill(order.id, { notify_customer: true });
		expect(answer).toMatchObject({
			status: 201,
			data: {
				fulfillment: {
					name: '#1002.1',
					tracking_number: tracking.number,
					tracking_urls: [tracking.url],
					tracking_company: tracking.company,
				},
			},
		});
		expect(await openOf(order.id)).toMatchObject([{ status: 'closed', supported_actions: [] }]);
		expect(shopify.shop.order(order.id)).toMatchObject({
			fulfillment_status: 'fulfilled',
			closed_at: '2026-01-05T12:00:00+00:00',
			fulfillments: [{ tracking_url: tracking.url }],
			line_items: [
				{ fulfillment_status: 'fulfilled', fulfillable_quantity: 0 },
				{ fulfillment_status: 'fulfilled', fulfillable_quantity: 0 },
			],
		});
		expect(shopify.shop.notifications()).toEqual([
			{ orderId: order.id, to: order.email, trackingUrl: tracking.url },
		]);
	});

	test('are refused for what is closed, and change nothing', async () => {
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

	test('may be of a part, and not of more than there is', async () => {
		const order = place(2);
		const [open] = await openOf(order.id);
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
		expect(await openOf(order.id)).toMatchObject([{ status: 'in_progress' }]);
		expect(await fulfill(order.id)).toMatchObject({ status: 201 });
		expect(shopify.shop.order(order.id)).toMatchObject({ fulfillment_status: 'fulfilled' });
	});

	test('are not made of a cancelled order, and are none where nothing is to be shipped', async () => {
		const cancelled = place(5);
		expect(await openOf(cancelled.id)).toMatchObject([{ status: 'cancelled' }]);
		expect(await fulfill(cancelled.id)).toMatchObject({ status: 422 });
		const nothingLeft = place(7);
		expect(nothingLeft.name).toBe('#1012');
		expect(await openOf(nothingLeft.id)).toEqual([]);
	});

	test('need a whole request about something that exists', async () => {
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

describe('webhooks', () => {
	const subscribe = async (topic: string, address: string) =>
		// Two slashes, as n8n's nodes write them.
		await call('POST', '/webhooks.json', { body: { webhook: { topic, address, format: 'json' } } });
	const listed = async (query = '') => {
		const { data } = await call('GET', `/webhooks${query}`);
		return z
			.object({ webhooks: z.array(z.object({ id: z.number(), address: z.string() })) })
			.parse(data).webhooks;
	};

	test('are made once, listed by topic, and removed', async () => {
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
		const [webhook] = await listed('?topic=orders/create');
		expect(await listed()).toHaveLength(2);
		expect((await call('DELETE', `webhooks/${webhook?.id}.json`)).status).toBe(200);
		expect(await listed('?topic=orders/create')).toEqual([]);
		expect((await call('DELETE', `webhooks/${webhook?.id}.json`)).status).toBe(404);
	});

	test('lead to this machine only', async () => {
		expect(await subscribe('orders/create', 'https://n8n.example/webhook')).toMatchObject({
			status: 422,
		});
		expect(await call('POST', 'webhooks.json', { body: { webhook: {} } })).toMatchObject({
			status: 400,
		});
	});

	test('bring what happens, signed', async () => {
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

	test('go to the newest subscriber first', async () => {
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

	test('that nobody has taken are sent again, with the same identifier', async () => {
		const down = await startSubscriber(503);
		await subscribe('orders/create', down.url);
		place(1);
		await shopify.webhooks.settled();
		expect(shopify.webhooks.messages()).toMatchObject([{ about: '#1001', answers: [503] }]);
		await shopify.webhooks.repeat();
		expect(shopify.webhooks.messages()).toMatchObject([{ answers: [503, 503] }]);
		await down.close();
		await shopify.webhooks.repeat();
		expect(shopify.webhooks.messages()).toMatchObject([{ answers: [503, 503, null] }]);
	});
});

describe('the page', () => {
	test('loads nothing from elsewhere', async () => {
		const { data, headers } = await axios.get<string>(shopify.url, { proxy: false });
		expect(headers['content-security-policy']).toContain("default-src 'none'");
		expect(data).toContain('<title>Shopify');
		expect(data).not.toMatch(/https?:\/\/|innerHTML/);
	});

	test('places orders and changes an address, only from this machine', async () => {
		const client = axios.create({ baseURL: shopify.url, proxy: false, validateStatus: null });
		expect((await client.post('/control/orders', { count: 3 })).status).toBe(201);
		const [order] = shopify.shop.orders();
		expect((await client.post(`/control/orders/${order?.id}/address`)).status).toBe(200);
		expect((await client.post('/control/orders/1/address')).status).toBe(404);
		expect((await client.post('/control/orders', { count: 0 })).status).toBe(400);
		const headers = { Origin: 'https://elsewhere.example' };
		expect((await client.post('/control/orders', { count: 1 }, { headers })).status).toBe(403);
		expect(shopify.shop.orders()).toHaveLength(3);
	});
});

interface FromShop {
	readonly topic: unknown;
	readonly signature: unknown;
	readonly shop: unknown;
	readonly body: string;
}

/** A subscriber that keeps what a message is signed with. */
async function startShopSubscriber() {
	const received: FromShop[] = [];
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
	if (address === null || typeof address === 'string') throw new Error('a port was expected');
	return {
		url: `http://127.0.0.1:${address.port}/webhook`,
		received,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
