import { z } from 'zod';

import { findOrders } from '../../playground/shopify/orderList';
import { samples } from '../../playground/shopify/samples';
import { startShopify, type Shopify } from '../../playground/shopify/server';
import { endOfVersion, servedVersion } from '../../playground/shopify/versions';
import { codesIn, page, section } from '../../tools/markdown';
import { parametersOf } from '../support/examples';
import { callThroughProxy, type CallOptions } from '../support/shopifyClient';

const start = Date.UTC(2026, 10, 24, 12);
let shopify: Shopify;

beforeEach(async () => {
	shopify = await startShopify({ now: () => start });
});
afterEach(async () => await shopify.close());

const call = async (path: string, accessToken?: string, options: CallOptions = {}) =>
	await callThroughProxy(shopify, options.body ? 'POST' : 'GET', path, { ...options, accessToken });
const get = async (path: string, accessToken?: string) =>
	await call(`/admin/api/2026-10/${path}`, accessToken);

const redirectUri = 'http://127.0.0.1:5678/rest/oauth2-credential/callback';
const n8nScopes = 'write_orders read_orders write_products read_products';
const authorization = (change: Record<string, string> = {}) =>
	new URLSearchParams({
		client_id: shopify.app.clientId,
		redirect_uri: redirectUri,
		scope: n8nScopes,
		state: 'a b',
		...change,
	});

const tokenShape = z.object({ access_token: z.string(), expires_in: z.number().optional() });

async function requestToken(body: object) {
	const { clientId, clientSecret } = shopify.app;
	const credentials = { client_id: clientId, client_secret: clientSecret };
	const path = '/admin/oauth/access_token';
	return await call(path, undefined, { body: { ...credentials, ...body } });
}

/** Installs the app. Returns the token of the authorization code grant. */
async function install(scope = n8nScopes): Promise<string> {
	const { searchParams } = new URL(shopify.app.authorize(authorization({ scope })));
	const { data } = await requestToken({ code: searchParams.get('code') });
	return tokenShape.parse(data).access_token;
}

describe('the authorization code grant', () => {
	test('rejects unknown clients and redirect URLs', () => {
		const { app } = shopify;
		app.settings = { ...app.settings, redirectUrls: [redirectUri] };
		app.checkAuthorization(authorization());
		for (const [name, value] of [
			['client_id', 'other'],
			['redirect_uri', 'http://127.0.0.1/other'],
		] as const)
			expect(() => app.authorize(authorization({ [name]: value }))).toThrow('invalid_request');
	});

	test('rejects a client secret that was rotated', async () => {
		const { clientSecret } = shopify.app;
		shopify.app.rotateSecret();
		const body = { grant_type: 'client_credentials', client_secret: clientSecret };
		expect((await requestToken(body)).status).toBe(400);
	});
});

describe('scopes', () => {
	test('responds with 403 and the missing scope', async () => {
		const token = await install('read_orders');
		const { id } = shopify.shop.place();
		expect((await get(`orders/${id}.json`, token)).status).toBe(200);
		expect(await get('products.json', token)).toMatchObject({
			status: 403,
			data: { errors: expect.stringContaining('read_products') },
		});
		expect((await get(`orders/${id}/fulfillment_orders.json`, token)).status).toBe(403);
	});

	test('the query of the full set needs the scopes in docs/setup.md, also for old orders', async () => {
		const { app, shop } = shopify;
		const listed = codesIn(section(page('docs/setup.md'), 'An app from the Dev Dashboard'));
		const scopes = [...new Set(listed.filter((code) => /^(read|write)_/.test(code)))];
		expect(scopes.sort()).toEqual([...app.settings.scopes].sort());
		const { id } = shop.place();
		shop.backdate(id, 61 * 86_400_000);
		const parameters = JSON.stringify(parametersOf('fulfillment-orders', 'Get Order'));
		const query: unknown = JSON.parse(/"query","value":("query.*?\}")/.exec(parameters)?.[1] ?? '');
		const runWithout = async (missing = '') => {
			app.settings = { ...app.settings, scopes: scopes.filter((scope) => scope !== missing) };
			const { data } = await requestToken({ grant_type: 'client_credentials' });
			const token = tokenShape.parse(data).access_token;
			const body = { query, variables: { id: `gid://shopify/Order/${id}` } };
			return (await call('/admin/api/2026-10/graphql.json', token, { body })).data;
		};
		expect(await runWithout()).not.toHaveProperty('errors');
		for (const [scope, field] of [
			['read_customers', 'customer'],
			['read_payment_terms', 'paymentTerms'],
			['read_locations', 'location'],
		] as const) {
			const message = `Access denied for ${field} field. Required access: \`${scope}\` access scope.`;
			expect(await runWithout(scope)).toMatchObject({
				errors: expect.arrayContaining([
					expect.objectContaining({ message, extensions: { code: 'ACCESS_DENIED' } }),
				]),
				data: { order: { fulfillmentOrders: {} } },
			});
		}
		expect(await runWithout('read_all_orders')).toEqual({ data: { order: null } });
		expect((await get(`orders/${id}.json`, await install())).status).toBe(404);
	});

	test('hides protected customer data without custom distribution', async () => {
		const { app } = shopify;
		app.settings = { ...app.settings, isCustomDistribution: false };
		const { id, name } = shopify.shop.place();
		const { data } = await get(`orders/${id}.json`, await install());
		expect(data).toMatchObject({
			order: { name, email: null, shipping_address: { name: null, address1: null } },
		});
		expect(await get(`orders/${id}.json`)).toMatchObject({
			data: { order: { email: expect.any(String) } },
		});
	});
});

test('serves a version for a year, then the oldest one that is left', () => {
	expect(servedVersion('2026-10', start)).toBe('2026-10');
	expect(servedVersion('2026-01', start)).toBe('2026-01');
	expect(servedVersion('2024-07', start)).toBe('2026-01');
	expect(endOfVersion('2026-10')).toBe(Date.UTC(2027, 9, 1));
});

test('lists open, unfulfilled orders in pages', async () => {
	const { shop } = shopify;
	const orders = Array.from({ length: 5 }, () => shop.place(samples[0]));
	shop.cancel(orders[4]!.id);
	const names = (listed: ReadonlyArray<{ name: string }>) => listed.map(({ name }) => name);
	const query = { status: 'open', fulfillment_status: 'unfulfilled', limit: '3' };
	const first = findOrders(shop.orders(), query);
	expect(names(first.orders)).toEqual(['#1004', '#1003', '#1002']);
	const last = findOrders(shop.orders(), Object.fromEntries(first.next ?? []));
	expect(names(last.orders)).toEqual(['#1001']);
	expect(last.next).toBeUndefined();
	expect(findOrders(shop.orders(), Object.fromEntries(last.previous ?? []))).toEqual(first);
	const since = findOrders(shop.orders(), { ...query, since_id: String(orders[1]!.id) });
	expect(names(since.orders)).toEqual(['#1003', '#1004']);
	const { data } = await get('orders.json?created_at_min=2026-11-25T00:00:00Z');
	expect(data).toEqual({ orders: [] });
	const { link } = await get('orders.json?since_id=1&limit=1');
	const second = await get(`orders.json?${link?.split(/[?>]/)[1]}`);
	expect([second, second.link?.match(/"\w+"/g)]).toEqual([
		expect.objectContaining({ data: { orders: [expect.objectContaining({ name: '#1002' })] } }),
		['"previous"', '"next"'],
	]);
});
