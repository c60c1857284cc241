import { setTimeout as sleep } from 'node:timers/promises';

import express, { Router } from 'express';
import { z } from 'zod';
import type { ErrorRequestHandler } from 'express';

import type { Feed } from '../service/feed';
import { ShopRefusal, type Order } from './shapes';
import type { Shop } from './shop';

const maxOrders = 100;
/** Between orders that are placed in turn. */
const pauseMs = 1_000;

/** Where the customers of the sample orders move to, one after the other. */
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
	latitude: null,
	longitude: null,
}));

/** Does in the shop what customers and staff do. */
export class Control {
	private moves = 0;

	constructor(private readonly shop: Shop) {}

	/** Customers place so many of the sample orders. */
	placeOrders(count: number): Order[] {
		return Array.from({ length: count }, () => this.shop.place());
	}

	/** As `placeOrders`, one after the other with a pause, as it happens in a shop. */
	async placeOrdersInTurn(count: number): Promise<Order[]> {
		const orders = this.placeOrders(1);
		while (orders.length < count) {
			await sleep(pauseMs, undefined, { ref: false });
			orders.push(...this.placeOrders(1));
		}
		return orders;
	}

	/**
	 * Somebody edits an order: it is to be shipped to another address. Gives the order as it is now.
	 * Throws a ShopRefusal when it is unknown or needs no address.
	 */
	changeAddress(orderId: number): Order {
		const address = newAddresses[this.moves % newAddresses.length] ?? {};
		this.moves += 1;
		return this.shop.changeAddress(orderId, address);
	}
}

const orderIdShape = z.coerce.number().int();
const countShape = z.object({ count: z.number().int().min(1).max(maxOrders) });

/** The control over HTTP, for the page. */
export function controlRouter(control: Control, feed: Feed): Router {
	const router = Router();
	router.use(express.json());
	router.post('/orders', async (req, res) => {
		const { count } = countShape.parse(req.body);
		res.status(201).json(await control.placeOrdersInTurn(count));
	});
	router.post('/orders/:id/address', (req, res) => {
		res.json(control.changeAddress(orderIdShape.parse(req.params.id)));
	});
	router.get('/stream', (_req, res) => feed.watch(res));
	router.use(answerFailure);
	return router;
}

const answerFailure: ErrorRequestHandler = (error, _req, res, next) => {
	if (error instanceof ShopRefusal) res.status(error.status).json({ message: error.message });
	else if (error instanceof z.ZodError) res.status(400).json({ message: error.message });
	else next(error);
};
