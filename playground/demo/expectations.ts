import { inspect, isDeepStrictEqual } from 'node:util';

import type { DemoResult, OrderResult, DemoServers } from './demo';
import type { LocalService } from '../service/server';

/** Something that the demo run must show. */
export interface Expectation {
	text: string;
	/** The actual value if the expectation failed, otherwise undefined. */
	actual: string | undefined;
}

/** The expected delivery of a sample order. */
interface ExpectedDelivery {
	status: string;
	/** The weight in kg and the price of its only package. */
	weight: number;
	price: number;
	cod?: number;
	fallbackEmail?: true;
}

type ExpectedResult = ExpectedDelivery | 'cancelled' | 'testOrder' | 'nothingToShip';

/** The expected delivery, or the reason for skipping, by order name. Derived by hand from orders.json. */
const expectedOrders: Record<string, ExpectedResult> = {
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
	// It is paid, so the update of its address sets the cash to 0.
	'#1011': { status: 'processing', weight: 0.9, price: 44, cod: 0 },
	'#1012': 'nothingToShip',
};

/** Compares the result of the demo run with the expected one. */
export function checkExpectations(
	{ connections, firstRun, secondRun, readdressedOrder, completedDelivery, rows }: DemoResult,
	{ n8nUrl, service, shopify }: DemoServers,
): Expectation[] {
	const { control } = service;
	const requests = control.requests().filter(({ path }) => path === '/v1/deliveries');
	const deliveries = Object.values(expectedOrders).filter((result) => typeof result === 'object');
	const delivery = control
		.deliveries()
		.find(({ record }) => record.id === completedDelivery)?.record;
	const fulfilled = shopify.shop.orders().filter((order) => order.fulfillments.length > 0);
	return [
		expectation(
			'Both connection tests succeed',
			['OK', 'OK'],
			connections.map(({ status }) => status),
		),
		expectation(
			'Shopify sends new and edited orders to n8n',
			[
				{ topic: 'orders/create', toN8n: true },
				{ topic: 'orders/updated', toN8n: true },
			],
			shopify.webhooks
				.list()
				.map(({ topic, address }) => ({ topic, toN8n: isN8nWebhook(address, n8nUrl) })),
		),
		expectation(
			'The Delivery Service has one webhook, for updates',
			[{ action: 3, toN8n: true }],
			control.webhooks().map(({ action, url }) => ({ action, toN8n: isN8nWebhook(url, n8nUrl) })),
		),
		...Object.entries(expectedOrders).map((entry) => orderExpectation(entry, firstRun, service)),
		expectation('Each delivery was sent in its own request', deliveries.length, requests.length),
		expectation(
			'Orders that Shopify reports again are skipped if they have a delivery',
			deliveries.length,
			secondRun.filter(({ outcome }) => 'skipped' in outcome && outcome.reason === 'alreadyCreated')
				.length,
		),
		expectation('No delivery was created twice', deliveries.length, control.deliveries().length),
		expectation('The data table has a row for each delivery', deliveries.length, rows.length),
		expectation('The delivery of an edited order has the new address', '#1011', readdressedOrder),
		expectation(
			'The order of the completed delivery is fulfilled once, with its tracking link',
			[{ name: delivery?.referenceId, tracking: [delivery?.trackLink] }],
			fulfilled.map(({ name, fulfillments }) => ({
				name,
				tracking: fulfillments.map(({ tracking_url: url }) => url),
			})),
		),
		expectation(
			'Its customer was notified once',
			fulfilled.map(({ email }) => email),
			shopify.shop.notifications().map(({ to }) => to),
		),
	];
}

function isN8nWebhook(url: string, n8nUrl: string): boolean {
	return url.startsWith(`${n8nUrl}/webhook/`);
}

function orderExpectation(
	[name, expected]: [string, ExpectedResult],
	orders: readonly OrderResult[],
	service: LocalService,
): Expectation {
	const found = describeOutcome(name, orders, service);
	if (typeof expected === 'string') {
		return expectation(`${name} is skipped (${expected})`, expected, found);
	}
	const wanted = { cod: undefined, fallbackEmail: false, packages: 1, ...expected };
	return expectation(`${name} has a delivery (${expected.status})`, wanted, found);
}

/** Combines what n8n returned for an order with what the service received. */
function describeOutcome(
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
	const isMet = isDeepStrictEqual(found, wanted);
	return { text, actual: isMet ? undefined : inspect(found, { breakLength: Infinity }) };
}
