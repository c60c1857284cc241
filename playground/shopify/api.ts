import { createHash, timingSafeEqual } from 'node:crypto';

import express, { Router } from 'express';
import type { ErrorRequestHandler, Express, Request, RequestHandler } from 'express';
import { z } from 'zod';

import { runGraphql } from './graphql';
import {
	fulfillmentRequestShape,
	ShopRejection,
	webhookRequestShape,
	type FulfillmentRequest,
} from './shapes';
import type { Shop } from './shop';
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
	readonly accessToken: string;
	/** Called with each request when its response has been sent. */
	readonly record: (call: ApiCall) => void;
}

const idShape = z.coerce.number().int();
const maxBodyBytes = 1_000_000;

/**
 * Returns Shopify's Admin API, of any version, as far as n8n's Shopify nodes and the examples use it:
 * https://shopify.dev/docs/api/admin-rest. GraphQL is in `graphql.ts`.
 */
export function adminApi({ shop, webhooks, accessToken, record }: ApiOptions): Express {
	const router = Router();
	const parseId = (req: Request) => {
		const id = idShape.safeParse(req.params.id);
		if (!id.success) throw new ShopRejection(404, 'Not Found');
		return id.data;
	};
	// n8n tests its Shopify credential with this endpoint.
	router.get('/products{.json}', (_req, res) => void res.json({ products: [] }));

	router.get('/orders/:id/fulfillment_orders{.json}', (req, res) => {
		res.json({ fulfillment_orders: shop.fulfillmentOrders(parseId(req)) });
	});
	router.get('/orders/:id{.json}', (req, res) => {
		res.json({ order: shop.order(parseId(req)) });
	});
	router.post('/fulfillments{.json}', (req, res) => {
		res.status(201).json({ fulfillment: shop.fulfill(parseFulfillmentRequest(req.body)) });
	});

	router.post('/graphql{.json}', async (req, res) => {
		res.json(await runGraphql(shop, req.body));
	});

	router.get('/webhooks{.json}', (req, res) => {
		const { topic } = z.object({ topic: z.string().optional() }).parse(req.query);
		res.json({ webhooks: webhooks.list(topic) });
	});
	router.post('/webhooks{.json}', (req, res) => {
		const body = webhookRequestShape.safeParse(req.body);
		if (!body.success) throw missingParameter('webhook');
		const { topic, address } = body.data.webhook;
		res.status(201).json({ webhook: webhooks.subscribe(topic, address) });
	});
	router.delete('/webhooks/:id{.json}', (req, res) => {
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
	app.use(authenticate(accessToken), express.json({ limit: maxBodyBytes }));
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

function authenticate(accessToken: string): RequestHandler {
	const digest = (text: string) => createHash('sha256').update(text).digest();
	const expected = digest(accessToken);
	return (req, _res, next) => {
		if (timingSafeEqual(expected, digest(req.get('X-Shopify-Access-Token') ?? ''))) return next();
		const reason = 'unrecognized login or wrong password';
		throw new ShopRejection(401, `[API] Invalid API key or access token (${reason})`);
	};
}

const handleError: ErrorRequestHandler = (error, _req, res, next) => {
	if (error instanceof ShopRejection) res.status(error.status).json({ errors: error.errors });
	else next(error);
};
