import { once } from 'node:events';
import http from 'node:http';

import express from 'express';

import { pageRouter } from '../page/serve';
import { onlyFromHere } from '../service/control';
import { Feed } from '../service/feed';
import { adminApi, type Call } from './api';
import { openBorder } from './border';
import { Control, controlRouter } from './control';
import { Shop } from './shop';
import { Webhooks } from './webhooks';

const host = '127.0.0.1';
const maxShownOnPage = 100;

/** How to start the shop; every member has a default. */
export interface ShopOptions {
	/** 0 (default): a port that is free. */
	readonly port?: number;
	/** Clock of all times in the shop; default the machine's. */
	readonly now?: () => number;
}

/** The running stand-in for Shopify, with one shop. */
export interface Shopify {
	/** Its page, for a person. */
	readonly url: string;
	/** The shop's address, as n8n knows it. */
	readonly domain: string;
	/** What n8n's credential for an access token wants to know. */
	readonly credential: {
		readonly shopSubdomain: string;
		readonly accessToken: string;
		readonly appSecretKey: string;
	};
	/** Environment variables with which n8n finds the shop; it then finds nothing else outside. */
	readonly env: NodeJS.ProcessEnv;
	readonly shop: Shop;
	readonly webhooks: Webhooks;
	readonly control: Control;
	/** The calls of the Admin API, oldest first. */
	calls(): Call[];
	/** Forgets orders, webhooks, and calls. */
	reset(): void;
	/** Ends it at once; resolves when nothing is left. */
	close(): Promise<void>;
}

/**
 * Starts the stand-in for Shopify on the loopback address: its page, and the proxy that leads n8n's
 * calls of the shop to the Admin API, at one port. Rejects when the port is taken.
 */
export async function startShopify({
	port = 0,
	now = Date.now,
}: ShopOptions = {}): Promise<Shopify> {
	const credential = {
		shopSubdomain: 'larch-and-linen',
		accessToken: 'shpat_local',
		appSecretKey: 'shpss_local',
	};
	const domain = `${credential.shopSubdomain}.myshopify.com`;
	const calls: Call[] = [];

	const feed: Feed = new Feed(() => ({
		domain,
		orders: shop.orders().slice(-maxShownOnPage).reverse(),
		webhooks: webhooks.list(),
		messages: webhooks
			.messages()
			.slice(-maxShownOnPage)
			.reverse()
			.map(({ id, at, topic, address, about, answers }) => ({
				id,
				at,
				topic,
				address,
				about,
				answers,
			})),
		told: shop.notifications().map(({ orderId }) => orderId),
	}));
	const { changed } = feed;
	const webhooks = new Webhooks({
		shopDomain: domain,
		secret: credential.appSecretKey,
		now,
		changed,
	});
	const shop = new Shop({
		now,
		report: (topic, subject) => {
			webhooks.report(topic, subject);
			changed();
		},
	});
	const control = new Control(shop);

	const app = express().disable('x-powered-by').disable('etag');
	app.use('/control', onlyFromHere, controlRouter(control, feed));
	app.use(pageRouter(__dirname, onlyFromHere));
	const server = http.createServer(app);
	server.listen(port, host);
	await once(server, 'listening');
	const { accessToken } = credential;
	const record = (call: Call) => void calls.push(call);
	const api = adminApi({ shop, webhooks, accessToken, record });
	const border = await openBorder(server, domain, api);

	return {
		url: border.url,
		domain,
		credential,
		env: border.env,
		shop,
		webhooks,
		control,
		calls: () => [...calls],
		reset() {
			shop.clear();
			webhooks.clear();
			calls.length = 0;
			changed();
		},
		async close() {
			feed.close();
			webhooks.close();
			await border.close();
			server.close();
			server.closeAllConnections();
			await once(server, 'close');
		},
	};
}
