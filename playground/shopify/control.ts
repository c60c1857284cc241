import { setTimeout as sleep } from 'node:timers/promises';

import express, { Router } from 'express';
import { z } from 'zod';
import type { ErrorRequestHandler } from 'express';

import type { Feed } from '../service/feed';
import type { App } from './app';
import { samples } from './samples';
import { orderShape, ShopRejection, type Order } from './shapes';
import type { Shop } from './shop';
import type { Webhooks } from './webhooks';

const maxOrders = 100;
/** The pause between orders that are placed one by one. */
const pauseMs = 1_000;

/** The new addresses of orders, used in turn. */
const newAddresses = [
	{ address1: '12 Birch Walk', address2: 'Apt 3', zip: '62702', phone: '+1 217-555-0131' },
	{ address1: '508 Canal Street', address2: null, zip: '62703', phone: '+1 217-555-0132' },
	{ address1: '91 Orchard Way', address2: 'Rear house', zip: '62704', phone: '+1 217-555-0133' },
].map((address) => ({
	...address,
	city: 'Springfield',
	province: 'Illinois',
	province_code: 'IL',
	country: 'United States',
	country_code: 'US',
	latitude: 39.8017,
	longitude: -89.6437,
}));

/** A problem that a visitor of the page can cause. */
const problems = {
	noStreet: {
		label: 'Order without a street',
		text: 'It is not sent, and an email says what to add. Change address corrects it: then it is sent.',
	},
	unknownAddress: {
		label: 'Order to an unknown address',
		text: 'Its delivery is pending review: an email asks whether the address is right.',
	},
	partlyPaid: {
		label: 'Order that is only partly paid',
		text: 'It is not sent, and an email names both amounts.',
	},
	expiredToken: {
		label: 'Expire the token',
		text: 'Every new order fails with an email, until you enter the new token below in the credential “Larch & Linen” in n8n.',
	},
	deletedWebhooks: {
		label: 'Delete the webhooks',
		text: 'As Shopify does after four hours without n8n. New orders no longer start the workflow: it must be published again.',
	},
} as const;

type ProblemName = keyof typeof problems;

const problemNames = z.enum([
	'noStreet',
	'unknownAddress',
	'partlyPaid',
	'expiredToken',
	'deletedWebhooks',
]);

/** Simulates customers and staff of the shop. */
export class Control {
	private addressChanges = 0;

	constructor(
		private readonly shop: Shop,
		private readonly app: App,
		private readonly webhooks: Webhooks,
	) {}

	/** The problems that the page offers. */
	problems() {
		return problemNames.options.map((name) => ({ name, ...problems[name] }));
	}

	/** Causes a problem. */
	cause(name: ProblemName): void {
		const [sample] = samples;
		const address = sample?.shipping_address;
		const place = (change: object) =>
			void this.shop.place(orderShape.parse({ ...sample, ...change }));
		switch (name) {
			case 'noStreet':
				return place({ shipping_address: { ...address, address1: null } });
			case 'unknownAddress':
				return place({
					shipping_address: {
						...address,
						address1: '13 Nowhere Road',
						latitude: null,
						longitude: null,
					},
				});
			case 'partlyPaid':
				return place({ financial_status: 'partially_paid', total_outstanding: '20.00' });
			case 'expiredToken':
				return this.app.replaceTokens();
			case 'deletedWebhooks':
				for (const { id } of this.webhooks.list()) this.webhooks.unsubscribe(id);
		}
	}

	/** Creates a webhook under Settings > Notifications. Throws a ShopRejection (422) for another machine. */
	createWebhook(topic: string, url: string): void {
		this.webhooks.subscribe(topic, url, true);
	}

	/** Cancels an order. Throws a ShopRejection (404). */
	cancel(orderId: number): Order {
		return this.shop.cancel(orderId);
	}

	/** Places a number of sample orders. */
	placeOrders(count: number): Order[] {
		return Array.from({ length: count }, () => this.shop.place());
	}

	/** Places a number of sample orders one by one, with a pause, as in a real shop. */
	async placeOrdersOneByOne(count: number): Promise<Order[]> {
		const orders = this.placeOrders(1);
		while (orders.length < count) {
			await sleep(pauseMs, undefined, { ref: false });
			orders.push(...this.placeOrders(1));
		}
		return orders;
	}

	/**
	 * Changes the shipping address of an order. Returns the updated order. Throws a ShopRejection if the
	 * order is unknown or has no shipping address.
	 */
	changeAddress(orderId: number): Order {
		const address = newAddresses[this.addressChanges % newAddresses.length] ?? {};
		this.addressChanges += 1;
		return this.shop.changeAddress(orderId, address);
	}
}

const orderIdShape = z.coerce.number().int();
const webhookShape = z.object({ topic: z.string(), url: z.string() });
const countShape = z.object({ count: z.number().int().min(1).max(maxOrders) });

/** The control over HTTP, for the shop page. */
export function controlRouter(control: Control, feed: Feed): Router {
	const router = Router();
	router.use(express.json());
	router.post('/orders', async (req, res) => {
		const { count } = countShape.parse(req.body);
		res.status(201).json(await control.placeOrdersOneByOne(count));
	});
	router.post('/orders/:id/address', (req, res) => {
		res.json(control.changeAddress(orderIdShape.parse(req.params.id)));
	});
	router.post('/webhooks', (req, res) => {
		const { topic, url } = webhookShape.parse(req.body);
		control.createWebhook(topic, url);
		res.status(201).json({});
	});
	router.post('/problems/:name', (req, res) => {
		control.cause(problemNames.parse(req.params.name));
		feed.scheduleUpdate();
		res.json({});
	});
	router.post('/orders/:id/cancel', (req, res) => {
		res.json(control.cancel(orderIdShape.parse(req.params.id)));
	});
	router.get('/stream', (_req, res) => feed.watch(res));
	router.use(handleError);
	return router;
}

const handleError: ErrorRequestHandler = (error, _req, res, next) => {
	if (error instanceof ShopRejection) res.status(error.status).json({ message: error.message });
	else if (error instanceof z.ZodError) res.status(400).json({ message: error.message });
	else next(error);
};
