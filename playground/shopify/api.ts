import express, { Router } from 'express';
import type { ErrorRequestHandler, Express, Request } from 'express';
import { z } from 'zod';

import type { Access, App } from './app';
import { runGraphql } from './graphql';
import { oauthRouter } from './oauth';
import { findOrders } from './orderList';
import {
	fulfillmentRequestShape,
	ShopRejection,
	webhookRequestShape,
	type FulfillmentRequest,
} from './shapes';
import type { Shop } from './shop';
import { servedVersion } from './versions';
import type { Webhooks } from './webhooks';

/** A request to the Admin API, with the status of the response. */
export interface ApiCall {
	readonly method: string;
	readonly path: string;
	readonly status: number;
}

interface ApiOptions {
	readonly shop: Shop;
	readonly webhooks: Webhooks;
	readonly app: App;
	readonly now: () => number;
	/** Called with each request when its response has been sent. */
	readonly record: (call: ApiCall) => void;
}

const idShape = z.coerce.number().int();
const maxBodyBytes = 1_000_000;

/**
 * Returns Shopify's Admin API, of any version, as far as n8n's Shopify nodes and the examples use it:
 * https://shopify.dev/docs/api/admin-rest. GraphQL is in `graphql.ts`.
 */
export function adminApi({ shop, webhooks, app: shopApp, now, record }: ApiOptions): Express {
	const router = Router();
	const parseId = (req: Request) => {
		const id = idShape.safeParse(req.params.id);
		if (!id.success) throw new ShopRejection(404, 'Not Found');
		return id.data;
	};
	const accessOf = (req: Request): Access => {
		const access = shopApp.access(req.get('X-Shopify-Access-Token') ?? '');
		if (access) return access;
		const reason = 'unrecognized login or wrong password';
		throw new ShopRejection(401, `[API] Invalid API key or access token (${reason})`);
	};
	const allow = (req: Request, scope: string): Access => {
		const access = accessOf(req);
		access.require(scope);
		return access;
	};
	// n8n tests its Shopify credential with this endpoint.
	router.get('/products{.json}', (req, res) => {
		allow(req, 'read_products');
		res.json({ products: [] });
	});

	router.get('/orders/:id/fulfillment_orders{.json}', (req, res) => {
		allow(req, 'read_merchant_managed_fulfillment_orders');
		res.json({ fulfillment_orders: shop.fulfillmentOrders(parseId(req)) });
	});
	router.get('/orders/:id{.json}', (req, res) => {
		const access = allow(req, 'read_orders');
		const order = shop.order(parseId(req));
		if (!access.sees(order)) throw new ShopRejection(404, 'Not Found');
		res.json({ order: access.visible(order) });
	});
	router.get('/orders{.json}', (req, res) => {
		const access = allow(req, 'read_orders');
		const { orders, ...pages } = findOrders(shop.orders().filter(access.sees), req.query);
		const url = `https://${req.get('host') ?? ''}${req.baseUrl}${req.path}`;
		const links = Object.entries(pages).flatMap(([rel, query]) =>
			query ? `<${url}?${query.toString()}>; rel="${rel}"` : [],
		);
		if (links.length > 0) res.set('Link', links.join(', '));
		res.json({ orders: orders.map((order) => access.visible(order)) });
	});
	router.post('/fulfillments{.json}', (req, res) => {
		allow(req, 'write_merchant_managed_fulfillment_orders');
		res.status(201).json({ fulfillment: shop.fulfill(parseFulfillmentRequest(req.body)) });
	});

	router.post('/graphql{.json}', async (req, res) => {
		res.json(await runGraphql(shop, req.body, accessOf(req)));
	});

	router.get('/webhooks{.json}', (req, res) => {
		allow(req, 'read_orders');
		const { topic } = z.object({ topic: z.string().optional() }).parse(req.query);
		res.json({ webhooks: webhooks.list(topic) });
	});
	router.post('/webhooks{.json}', (req, res) => {
		allow(req, 'read_orders');
		const body = webhookRequestShape.safeParse(req.body);
		if (!body.success) throw missingParameter('webhook');
		const { topic, address } = body.data.webhook;
		res.status(201).json({ webhook: webhooks.subscribe(topic, address) });
	});
	router.delete('/webhooks/:id{.json}', (req, res) => {
		allow(req, 'read_orders');
		webhooks.unsubscribe(parseId(req));
		res.json({});
	});

	const app = express().disable('x-powered-by').disable('etag');
	app.use((req, res, next) => {
		// n8n's Shopify nodes write two slashes after the version.
		req.url = req.url.replace(/\/{2,}/g, '/');
		const { method, path } = req;
		res.on('finish', () => record({ method, path, status: res.statusCode }));
		next();
	});
	app.use('/admin/oauth', oauthRouter(shopApp));
	app.use(
		(req, _res, next) => {
			accessOf(req);
			next();
		},
		express.json({ limit: maxBodyBytes }),
	);
	app.use('/admin/api/:version', (req, res, next) => {
		res.set('X-Shopify-API-Version', servedVersion(req.params.version, now()));
		next();
	});
	app.use(/^\/admin\/api\/\d{4}-\d{2}/, router);
	app.use(() => {
		throw new ShopRejection(404, 'Not Found');
	});
	app.use(handleError);
	return app;
}

function parseFulfillmentRequest(body: unknown): FulfillmentRequest {
	const request = fulfillmentRequestShape.safeParse(body);
	if (!request.success) throw missingParameter('fulfillment');
	return request.data.fulfillment;
}

function missingParameter(parameter: string): ShopRejection {
	return new ShopRejection(400, { [parameter]: 'Required parameter missing or invalid' });
}

const handleError: ErrorRequestHandler = (error, _req, res, next) => {
	if (error instanceof ShopRejection) res.status(error.status).json({ errors: error.errors });
	else next(error);
};
