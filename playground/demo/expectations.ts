import { inspect, isDeepStrictEqual } from 'node:util';

import type { DemoResult, OrderResult, Places } from './demo';
import type { LocalService } from '../service/server';

/** One thing that the run-through must show. */
export interface Expectation {
	text: string;
	/** What was found instead, or undefined when it holds. */
	instead: string | undefined;
}

/** What a sample order must become at the service. */
interface ExpectedDelivery {
	status: string;
	/** Kilograms and price of its one package. */
	weight: number;
	price: number;
	cod?: number;
	fallbackEmail?: true;
}

type Expected = ExpectedDelivery | 'cancelled' | 'testOrder' | 'nothingToShip';

/** By order name: what is sent, or why nothing is. Worked out by hand from orders.json. */
const expectedOrders: Record<string, Expected> = {
	'#1001': { status: 'processing', weight: 0.85, price: 54 },
	'#1002': { status: 'processing', weight: 2.72, price: 90 },
	'#1003': { status: 'processing', weight: 1.4, price: 57.5, cod: 64.4 },
	'#1004': {
		status: 'processing',
		weight: 1.32,
		price: 48.6,
		cod: 35.5,
		fallbackEmail: true,
	},
	'#1005': 'cancelled',
	'#1006': 'nothingToShip',
	'#1007': 'testOrder',
	'#1008': { status: 'processing', weight: 0.64, price: 48 },
	'#1009': { status: 'pending review', weight: 0.7, price: 29 },
	'#1010': { status: 'processing', weight: 17.6, price: 215.88 },
	'#1011': { status: 'processing', weight: 0.9, price: 44 },
	'#1012': 'nothingToShip',
};

/** Holds what happened against what should. */
export function checkExpectations(
	{ connections, first, second, moved, arrived, rows }: DemoResult,
	{ n8nUrl, service, shopify }: Places,
): Expectation[] {
	const { control } = service;
	const requests = control.requests().filter(({ path }) => path === '/v1/deliveries');
	const expected = Object.values(expectedOrders).filter((one) => typeof one === 'object');
	const delivery = control.deliveries().find(({ record }) => record.id === arrived)?.record;
	const fulfilled = shopify.shop.orders().filter((order) => order.fulfillments.length > 0);
	return [
		expectation(
			'both connection tests succeed',
			['OK', 'OK'],
			connections.map(({ status }) => status),
		),
		expectation(
			'Shopify reports new and edited orders to n8n',
			[
				{ topic: 'orders/create', here: true },
				{ topic: 'orders/updated', here: true },
			],
			shopify.webhooks.list().map(({ topic, address }) => ({ topic, here: here(address, n8nUrl) })),
		),
		expectation(
			'the Delivery Service reports updates to n8n, once',
			[{ action: 3, here: true }],
			control.webhooks().map(({ action, url }) => ({ action, here: here(url, n8nUrl) })),
		),
		...Object.entries(expectedOrders).map((entry) => orderExpectation(entry, first, service)),
		expectation('each delivery went out alone', expected.length, requests.length),
		expectation(
			'reported a second time, all that were created are left out',
			expected.length,
			second.filter(({ outcome }) => 'skipped' in outcome && outcome.reason === 'alreadyCreated')
				.length,
		),
		expectation('none was created twice', expected.length, control.deliveries().length),
		expectation('the table has a row for each delivery', expected.length, rows.length),
		expectation('the delivery of an edited order goes to its new address', '#1011', moved),
		expectation(
			'the order of the delivery that arrived is fulfilled, once, with its tracking link',
			[{ name: delivery?.referenceId, tracking: [delivery?.trackLink] }],
			fulfilled.map(({ name, fulfillments }) => ({
				name,
				tracking: fulfillments.map(({ tracking_url: url }) => url),
			})),
		),
		expectation(
			'its customer was told, once',
			fulfilled.map(({ email }) => email),
			shopify.shop.notifications().map(({ to }) => to),
		),
	];
}

function here(address: string, n8nUrl: string): boolean {
	return address.startsWith(`${n8nUrl}/webhook/`);
}

function orderExpectation(
	[name, expected]: [string, Expected],
	orders: readonly OrderResult[],
	service: LocalService,
): Expectation {
	const found = outcomeOf(name, orders, service);
	if (typeof expected === 'string') {
		return expectation(`${name} is left out (${expected})`, expected, found);
	}
	const wanted = { cod: undefined, fallbackEmail: false, packages: 1, ...expected };
	return expectation(`${name} is delivered (${expected.status})`, wanted, found);
}

/** Puts together what n8n says of an order and what the service received. */
function outcomeOf(
	name: string,
	orders: readonly OrderResult[],
	{ control }: LocalService,
): unknown {
	const outcome = orders.find(({ order }) => order.name === name)?.outcome;
	if (outcome === undefined) return undefined;
	if ('skipped' in outcome) return outcome.reason;
	const stored = control.deliveries().find(({ record }) => record.id === outcome.id);
	if (stored?.record.referenceId !== name) return stored;
	const { packages, cod, dropoff } = stored.request;
	return {
		status: outcome.statusDelivery,
		cod,
		fallbackEmail: dropoff.contact.email === 'orders@example.com',
		packages: packages.length,
		weight: packages[0]?.weight,
		price: packages[0]?.price,
	};
}

function expectation(text: string, wanted: unknown, found: unknown): Expectation {
	const held = isDeepStrictEqual(found, wanted);
	return { text, instead: held ? undefined : inspect(found, { breakLength: Infinity }) };
}
