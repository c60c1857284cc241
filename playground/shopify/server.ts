import { once } from 'node:events';
import http from 'node:http';

import express from 'express';
import { z } from 'zod';

import { pageRouter, portOf, type PageLink } from '../page/serve';
import { allowLocalOnly } from '../service/control';
import { Feed } from '../service/feed';
import type { LocalService } from '../service/server';
import { adminApi, type ApiCall } from './api';
import { App } from './app';
import { attachShopProxy, type ShopProxy } from './proxy';
import { Control, controlRouter } from './control';
import { orderDeliveries } from './orderDeliveries';
import { Shop } from './shop';
import { Webhooks } from './webhooks';

const host = '127.0.0.1';
const maxShownOnPage = 100;

/** How to start the shop. */
export interface ShopOptions {
	/** Defaults to 0, a free port. */
	readonly port?: number;
	/** The clock of all times in the shop. Defaults to Date.now. */
	readonly now?: () => number;
	/** The local service whose deliveries the page shows. Defaults to none. */
	readonly service?: Pick<LocalService, 'url' | 'control' | 'onChange'>;
	/** Links at the top of the page. Defaults to none. */
	readonly links?: readonly PageLink[];
	/** A running shop whose n8n also reaches this one. The orders of both have the same names. */
	readonly beside?: Pick<Shopify, 'proxy'>;
}

const savedShape = z.object({ shop: z.unknown(), app: z.unknown(), webhooks: z.unknown() });

/** The running stand-in for Shopify, with one shop. */
export interface Shopify {
	/** The URL of its page. */
	readonly url: string;
	/** The shop's domain, as n8n knows it. */
	readonly domain: string;
	/** The fields of n8n's Shopify Access Token credential, for an app made in the admin before 2026. */
	readonly credential: {
		readonly shopSubdomain: string;
		readonly accessToken: string;
		readonly appSecretKey: string;
	};
	readonly app: App;
	/** Environment variables that make n8n reach the shop, and nothing on the internet. */
	readonly env: NodeJS.ProcessEnv;
	readonly proxy: ShopProxy;
	readonly shop: Shop;
	readonly webhooks: Webhooks;
	readonly control: Control;
	/** The requests to the Admin API, oldest first. */
	calls(): ApiCall[];
	/**
	 * Lets time pass: tokens expire, and messages to n8n without a successful response are sent again, as
	 * Shopify does within four hours. Orders keep the real time, since n8n's clock doesn't move.
	 */
	passTime(ms: number): Promise<void>;
	/** All data, for {@link restore} after a restart. */
	save(): z.input<typeof savedShape>;
	/** Adds saved data. Throws a ZodError if it was not saved by {@link save}. */
	restore(saved: unknown): void;
	/** Deletes orders, webhooks and recorded requests. */
	reset(): void;
	/** Shows on the page why fulfillment orders have no delivery, by their ID, as n8n says. */
	explain(reasons: ReadonlyMap<string, string>): void;
	/** Stops it immediately. Resolves when everything is closed. */
	close(): Promise<void>;
}

/**
 * Starts the stand-in for Shopify on the loopback address. One port serves its page and the proxy
 * that passes n8n's requests for the shop to the Admin API.
 *
 * @param options how to start it
 * @returns the running stand-in
 * @throws Error with the code EADDRINUSE if the port is in use
 */
export async function startShopify({
	port = 0,
	now: realNow = Date.now,
	service,
	links,
	beside,
}: ShopOptions = {}): Promise<Shopify> {
	let passedMs = 0;
	const now = () => realNow() + passedMs;
	const shopSubdomain = beside ? 'birch-and-bell' : 'larch-and-linen';
	const domain = `${shopSubdomain}.myshopify.com`;
	const shopApp = new App({ domain, now });
	const { clientSecret: appSecretKey, permanentToken } = shopApp;
	const credential = { shopSubdomain, accessToken: permanentToken, appSecretKey };
	const calls: ApiCall[] = [];
	let reasons: ReadonlyMap<string, string> = new Map();

	const feed: Feed = new Feed(() => ({
		domain,
		serviceUrl: service?.url ?? null,
		orders: shop
			.orders()
			.slice(-maxShownOnPage)
			.reverse()
			.map((order) => ({
				...order,
				deliveries:
					service &&
					orderDeliveries(
						order,
						shop.fulfillmentOrders(order.id),
						service.control.deliveries(),
						reasons,
					),
			})),
		webhooks: [...webhooks.list(), ...webhooks.adminList()],
		problems: control.problems(),
		adminKey: webhooks.adminKey,
		app: {
			clientId: shopApp.clientId,
			clientSecret: shopApp.clientSecret,
			token: shopApp.permanentToken,
		},
		messages: webhooks
			.messages()
			.slice(-maxShownOnPage)
			.reverse()
			.map((message) => ({ ...message, body: undefined })),
		notified: shop.notifications().map(({ orderId }) => orderId),
	}));
	const onChange = feed.scheduleUpdate;
	service?.onChange(onChange);
	const webhooks = new Webhooks({ shopDomain: domain, app: shopApp, now, onChange });
	const shop = new Shop({
		domain,
		// Shopify's IDs are different in each shop.
		idsBefore: beside ? 500_000 : 0,
		now: realNow,
		report: (topic, resource) => {
			webhooks.report(topic, resource);
			onChange();
		},
	});
	const control = new Control(shop, shopApp, webhooks);

	const app = express().disable('x-powered-by').disable('etag');
	app.use('/control', allowLocalOnly, controlRouter(control, feed));
	app.use(pageRouter(__dirname, allowLocalOnly, links));
	const server = http.createServer(app);
	server.listen(port, host);
	await once(server, 'listening');
	const record = (call: ApiCall) => void calls.push(call);
	const api = adminApi({ shop, webhooks, app: shopApp, now, record });
	const proxy = beside?.proxy ?? (await attachShopProxy(server, ['*.myshopify.com']));
	proxy.serve(domain, api);

	return {
		url: `http://${host}:${portOf(server)}`,
		domain,
		credential,
		app: shopApp,
		env: proxy.env,
		proxy,
		shop,
		webhooks,
		control,
		calls: () => [...calls],
		explain(found) {
			reasons = found;
			onChange();
		},
		async passTime(ms) {
			passedMs += ms;
			await webhooks.retryDue();
		},
		save: () => ({ shop: shop.save(), app: shopApp.save(), webhooks: webhooks.save() }),
		restore(saved) {
			const data = savedShape.parse(saved);
			shop.restore(data.shop);
			shopApp.restore(data.app);
			webhooks.restore(data.webhooks);
		},
		reset() {
			shop.clear();
			webhooks.clear();
			calls.length = 0;
			onChange();
		},
		async close() {
			feed.close();
			webhooks.close();
			if (!beside) await proxy.close();
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}
