import { inspect, isDeepStrictEqual } from 'node:util';

import type { DeliveryRow, DemoResult, DemoServers } from './demo';
import type { LocalService } from '../service/server';

/** Something that the demo run must show. */
export interface Expectation {
	text: string;
	/** The actual value if the expectation failed, otherwise undefined. */
	actual: string | undefined;
}

/** The expected delivery of a fulfillment order of a sample order. */
interface ExpectedDelivery {
	status: string;
	/** The weight in kg and the price of its only package. */
	weight: number;
	price: number;
	cod?: number;
	fallbackEmail?: true;
}

/** Derived by hand from orders.json: the deliveries of each order, or why it has none. */
const expectedOrders: Record<string, readonly ExpectedDelivery[] | string> = {
	'#1001': [{ status: 'processing', weight: 0.85, price: 54 }],
	// It ships from two locations.
	'#1002': [
		{ status: 'processing', weight: 1.52, price: 52.2 },
		{ status: 'processing', weight: 1.2, price: 37.8 },
	],
	'#1003': [{ status: 'processing', weight: 1.4, price: 57.5, cod: 64.4 }],
	'#1004': [{ status: 'processing', weight: 1.32, price: 48.6, cod: 35.5, fallbackEmail: true }],
	'#1005': 'was canceled',
	'#1006': 'nothing to ship',
	'#1007': 'test order',
	'#1008': [{ status: 'processing', weight: 0.64, price: 48 }],
	'#1009': [{ status: 'pending review', weight: 0.7, price: 29 }],
	'#1010': [{ status: 'processing', weight: 17.6, price: 215.88 }],
	'#1011': [{ status: 'processing', weight: 0.9, price: 44 }],
};

/** A refunded order, for which Shopify has no fulfillment order. */
const orderWithoutRow = '#1012';

/** Compares the result of the demo run with the expected one. */
export function checkExpectations(
	result: DemoResult,
	{ n8nUrl, service, shopify, mailbox }: DemoServers,
): Expectation[] {
	const { connections, firstRun, requestsOfSecondRun, readdressedOrder, splitOrder, rows } = result;
	const { control } = service;
	const requests = control.requests().filter(({ path }) => path === '/v1/deliveries');
	const deliveries = Object.values(expectedOrders).flatMap((expected) =>
		typeof expected === 'string' ? [] : expected,
	);
	const split = shopify.shop.orders().find(({ name }) => name === splitOrder.name);
	const splitRows = rows.filter(({ orderName }) => orderName === splitOrder.name);
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
				.map(({ topic, address }) => ({ topic, toN8n: isN8nWebhook(address, n8nUrl) }))
				.sort((one, other) => one.topic.localeCompare(other.topic)),
		),
		expectation(
			'The Delivery Service has one webhook, for updates',
			[{ action: 3, toN8n: true }],
			control.webhooks().map(({ action, url }) => ({ action, toN8n: isN8nWebhook(url, n8nUrl) })),
		),
		...Object.entries(expectedOrders).map(([name, expected]) =>
			orderExpectation(name, expected, firstRun, service),
		),
		expectation(
			`${orderWithoutRow} has no fulfillment order, and no row in the table`,
			[],
			rows.filter(({ orderName }) => orderName === orderWithoutRow),
		),
		expectation('Each delivery was sent in its own request', deliveries.length, requests.length),
		expectation('Orders that Shopify reports again are not sent', 0, requestsOfSecondRun),
		expectation('No delivery was created twice', deliveries.length, control.deliveries().length),
		expectation('The delivery of an edited order has the new address', '#1011', readdressedOrder),
		expectation(
			'The split order is fulfilled part by part',
			['unfulfilled', 'partial', 'fulfilled'],
			splitOrder.fulfillmentStatuses,
		),
		expectation(
			'Shopify shows both parts as delivered, each with its tracking link',
			splitRows.map(({ trackingLink }) => ({ status: 'delivered', trackingLink })),
			split?.fulfillments.map(({ shipment_status: status, tracking_url: trackingLink }) => ({
				status,
				trackingLink,
			})),
		),
		expectation(
			'Its customer was notified of each part',
			splitRows.map(() => split?.email),
			shopify.shop.notifications().map(({ to }) => to),
		),
		expectation(
			'The owner got one email, about the order that is pending review',
			['#1009'],
			mailbox.emails().map(({ subject }) => /#\d+/.exec(subject)?.[0]),
		),
	];
}

function isN8nWebhook(url: string, n8nUrl: string): boolean {
	return url.startsWith(`${n8nUrl}/webhook/`);
}

function orderExpectation(
	name: string,
	expected: readonly ExpectedDelivery[] | string,
	rows: readonly DeliveryRow[],
	service: LocalService,
): Expectation {
	const own = rows
		.filter(({ orderName }) => orderName === name)
		.sort((one, other) => Number(one.fulfillmentOrderId) - Number(other.fulfillmentOrderId));
	if (typeof expected === 'string') {
		const isSkipped =
			own.length === 1 && own[0]?.status === 'skipped' && own[0].message.includes(expected);
		return expectation(`${name} is skipped (${expected})`, true, isSkipped || own);
	}
	const wanted = expected.map((one) => ({
		cod: undefined,
		fallbackEmail: false,
		packages: 1,
		...one,
	}));
	const count = expected.length > 1 ? `${expected.length} deliveries` : 'a delivery';
	const found = own.map((row) => describeDelivery(row, service));
	return expectation(`${name} has ${count} (${expected[0]?.status})`, wanted, found);
}

/** Combines a row of the table with what the service received. */
function describeDelivery(
	{ orderName, fulfillmentOrderId, deliveryId, status, message }: DeliveryRow,
	{ control }: LocalService,
): unknown {
	const stored = control.deliveries().find(({ record }) => record.id === deliveryId);
	if (stored?.record.referenceId !== `${orderName}-${fulfillmentOrderId}`) return message;
	const { packages, cod, dropoff } = stored.request;
	return {
		status,
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
