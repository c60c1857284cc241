import { inspect, isDeepStrictEqual } from 'node:util';

import type { DemoResult, OrderResult } from './demo';
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

/**
 * Holds what happened against what should. `n8nUrl` is the address that its subscriptions must lead
 * to.
 */
export function checkExpectations(
	result: DemoResult,
	service: LocalService,
	n8nUrl: string,
): Expectation[] {
	const { connection, first, second, advanced, updates } = result;
	const { control } = service;
	const requests = control.requests().filter(({ path }) => path === '/v1/deliveries');
	const expected = Object.values(expectedOrders).filter((one) => typeof one === 'object');
	const hooks = control.webhooks();
	const [update] = updates;
	return [
		expectation('the connection test succeeds', 'OK', connection.status),
		expectation('"Shopify orders to deliveries" succeeds', 'success', first.execution.status),
		...Object.entries(expectedOrders).map((entry) =>
			orderExpectation(entry, first.orders, service),
		),
		expectation('each delivery went out alone', expected.length, requests.length),
		expectation(
			'the second run on the same orders leaves out all that were created',
			expected.length,
			second.orders.filter(
				({ outcome }) => 'skipped' in outcome && outcome.reason === 'alreadyCreated',
			).length,
		),
		expectation('none was created twice', expected.length, control.deliveries().length),
		expectation(
			'"Delivery updates" is subscribed to updates, once',
			[{ action: 3, here: true }],
			hooks.map(({ action, url }) => ({ action, here: url.startsWith(`${n8nUrl}/webhook/`) })),
		),
		expectation(
			'the update started it, once',
			['success'],
			updates.map(({ execution }) => execution.status),
		),
		expectation(
			'it received the delivery with its new status',
			{ event: 'updateTask', ...advanced },
			update && { event: update.event.event, id: update.event.id, status: update.event.status },
		),
	];
}

function orderExpectation(
	[name, expected]: [string, Expected],
	orders: OrderResult[],
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
function outcomeOf(name: string, orders: OrderResult[], { control }: LocalService): unknown {
	const outcome = orders.find(({ order }) => order === name)?.outcome;
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
