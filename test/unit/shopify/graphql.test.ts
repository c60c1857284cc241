import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { buildSchema, parse, validate } from 'graphql';
import { z } from 'zod/v4';

import {
	graphqlFulfillmentOrderFields,
	graphqlOrderFields,
} from '../../../nodes/DeliveryService/shopify/graphql';
import { orderToChanges } from '../../../nodes/DeliveryService/shopify/toChanges';
import { toGraphqlOrder } from '../../support/graphqlOrder';
import {
	deliveryOf,
	mappingOf,
	outcomeOf,
	problemOf,
	sampleAddress,
	sampleLine,
	sampleOrder,
} from '../../support/sampleOrder';
import { mugs, payableInCash, refund, shopifyOrder } from '../../support/shopifyOrders';

type Fields = Record<string, unknown>;

/** The selected fields of a query, by name; those of a leaf are empty. */
interface Selection {
	[field: string]: Selection;
}

/** Parses the selection set of a query; arguments are skipped. */
function parseQuery(query: string): Selection {
	const tokens = query.replace(/\([^)]*\)/g, '').match(/[{}]|\w+/g) ?? [];
	const root: Selection = {};
	const open = [root];
	let last = root;
	for (const token of tokens) {
		const current = open.at(-1);
		if (!current) throw new Error('Unbalanced braces');
		if (token === '{') open.push(last);
		else if (token === '}') open.pop();
		else last = current[token] = {};
	}
	return root;
}

/** What a server returns of an object for a selection. */
function select(value: unknown, selection: Selection): unknown {
	if (Array.isArray(value)) return value.map((item) => select(item, selection));
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(selection).map(([name, fields]) => {
			const child: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
			return [name, select(child, fields)];
		}),
	);
}

const [documentedQuery = '', fulfillmentOrderLines = ''] = [
	...readFileSync('docs/queries.md', 'utf8').matchAll(/```graphql\n([^]*?)```/g),
].map(([, query]) => query);
const selection = parseQuery(documentedQuery).query?.order ?? {};

type Table = typeof graphqlOrderFields;

function missingFrom(selected: Selection, table: Table): string[] {
	return Object.values(table).flatMap(({ name, fields }) => {
		const child = selected[name];
		if (!child) return [name];
		return fields ? missingFrom(child.nodes ?? child, fields) : [];
	});
}

describe('the query in docs/queries.md', () => {
	test('contains every field that is read from GraphQL', () => {
		expect(Object.keys(selection)).not.toEqual([]);
		expect(missingFrom(selection, graphqlOrderFields)).toEqual([]);
		for (const list of ['lineItems', 'shippingLines'])
			expect(selection[list]?.pageInfo).toEqual({ hasNextPage: {} });
	});

	test('contains no field that is not read', () => {
		const names = new Set(JSON.stringify(graphqlOrderFields).match(/\w+/g));
		const pages = ['nodes', 'pageInfo'];
		const unused = Object.keys(selection).filter((name) => !names.has(name));
		expect(unused.filter((name) => !pages.includes(name))).toEqual([]);
	});
});

describe('the lines for fulfillment orders in docs/queries.md', () => {
	const schema = buildSchema(readFileSync('playground/shopify/schema.graphql', 'utf8'));
	const lastBraces = '  }\n}\n';
	const combinedQuery = `${documentedQuery.slice(0, -lastBraces.length)}${fulfillmentOrderLines}${lastBraces}`;

	test('the documented query is valid with and without the lines for fulfillment orders', () => {
		expect(documentedQuery.endsWith(lastBraces)).toBe(true);
		expect(combinedQuery).toContain('fulfillmentOrders(');
		for (const query of [documentedQuery, combinedQuery])
			expect(validate(schema, parse(query))).toEqual([]);
	});

	test('the lines for fulfillment orders contain every field that is read', () => {
		const { nodes = {}, pageInfo } =
			parseQuery(combinedQuery).query?.order?.fulfillmentOrders ?? {};
		expect(missingFrom(nodes, graphqlFulfillmentOrderFields)).toEqual([]);
		expect(pageInfo).toEqual({ hasNextPage: {} });
		expect(nodes.lineItems?.pageInfo).toEqual({ hasNextPage: {} });
	});
});

const sampleOrders = {
	'a paid order': sampleOrder(),
	'an order with all fields': shopifyOrder(),
	'a cash on delivery order': shopifyOrder(payableInCash),
	'a canceled order': sampleOrder({ cancelled_at: '2026-03-02T08:47:00Z' }),
	'a test order': sampleOrder({ test: true }),
	'a refunded order': sampleOrder({ financial_status: 'refunded' }),
	'a pickup order': sampleOrder({ shipping_address: null, shipping_lines: [{ title: 'Store' }] }),
	'a partly fulfilled and canceled order': shopifyOrder({
		line_items: [mugs({ quantity: 3, current_quantity: 2, fulfillable_quantity: 2 })],
		refunds: [
			{
				refund_line_items: [{ line_item_id: 13200000000074, quantity: 1, restock_type: 'cancel' }],
			},
		],
		fulfillments: [{ status: 'success', line_items: [{ id: 13200000000074, quantity: 1 }] }],
	}),
	'an order with a returned unit': shopifyOrder({ refunds: [refund(13200000000074, 1)] }),
	'an order with a customer only': sampleOrder({
		email: null,
		customer: { first_name: 'Cus', last_name: 'Tomer', email: 'c@example.com', phone: '3' },
		shipping_address: sampleAddress({ name: null, first_name: null, last_name: null, phone: null }),
	}),
	'an order in another currency': sampleOrder({
		...payableInCash,
		presentment_currency: 'EUR',
		total_outstanding: '10.00',
		total_outstanding_set: {
			shop_money: { amount: '10.00' },
			presentment_money: { amount: '0.55' },
		},
	}),
};

/** GraphQL has no contact_email, and no refunds or fulfillments mean empty lists. */
function comparable(order: Fields): Fields {
	return {
		...order,
		contact_email: null,
		refunds: order.refunds ?? [],
		fulfillments: order.fulfillments ?? [],
	};
}

const mappings = [
	{},
	{ packagesPer: 'unit', referenceIdFrom: 'id' },
	{ referenceIdFrom: 'orderNumber', cod: 'unpaid' },
];

describe('an order from GraphQL', () => {
	test.each(Object.entries(sampleOrders))('gives the same result as from REST: %s', (_, order) => {
		for (const mapping of mappings) {
			const expected = outcomeOf(comparable(order), mapping);
			for (const form of ['nodes', 'edges'] as const)
				expect(outcomeOf(toGraphqlOrder(order, form), mapping)).toEqual(expected);
			expect(outcomeOf(select(toGraphqlOrder(order), selection), mapping)).toEqual(expected);
			const options = mappingOf(mapping);
			expect(orderToChanges(toGraphqlOrder(order), options)).toEqual(
				orderToChanges(comparable(order), options),
			);
		}
	});

	test('gives the same result as from REST for any values', () => {
		const text = fc.constantFrom(null, '', 'x', 'Puebla 5');
		const line = fc.record({
			id: fc.integer({ min: 1, max: 3 }),
			quantity: fc.integer({ min: 0, max: 4 }),
			current_quantity: fc.integer({ min: 0, max: 4 }),
			fulfillable_quantity: fc.integer({ min: 0, max: 4 }),
			grams: fc.integer({ min: 0, max: 5000 }),
			price: fc.constantFrom('1.00', '19.99'),
			gift_card: fc.boolean(),
			requires_shipping: fc.boolean(),
			discount_allocations: fc.constantFrom([], [{ amount: '0.50' }]),
		});
		const order = fc.record({
			line_items: fc.array(line.map(sampleLine), { maxLength: 4 }),
			refunds: fc.array(
				fc.record({
					refund_line_items: fc.array(
						fc.record({
							line_item_id: fc.integer({ min: 1, max: 3 }),
							quantity: fc.integer({ min: 0, max: 2 }),
							restock_type: fc.constantFrom('cancel', 'return', 'no_restock'),
						}),
					),
				}),
				{ maxLength: 2 },
			),
			fulfillments: fc.array(
				fc.record({
					status: fc.constantFrom('success', 'cancelled', 'error'),
					line_items: fc.array(
						fc.record({
							id: fc.integer({ min: 1, max: 3 }),
							quantity: fc.integer({ min: 0, max: 2 }),
						}),
					),
				}),
				{ maxLength: 2 },
			),
			financial_status: fc.constantFrom('paid', 'pending', 'partially_paid', 'voided'),
			payment_gateway_names: fc.subarray(['visa', 'Cash on Delivery (COD)']),
			total_outstanding: fc.constantFrom('0.00', '12.34'),
			tags: fc.constantFrom('', 'a', 'a, b'),
			note: text,
			phone: text,
			shipping_address: fc.option(
				fc.record({ company: text, address2: text, name: text, phone: text }).map(sampleAddress),
			),
			shipping_lines: fc.constantFrom([], [{ title: 'Standard' }]),
			note_attributes: fc.constantFrom([], [{ name: 'Slot', value: '8-12' }]),
		});
		fc.assert(
			fc.property(order, fc.constantFrom(...mappings), (changes, mapping) => {
				const rest = sampleOrder(changes);
				const graphql = select(toGraphqlOrder(rest, 'nodes'), selection);
				const expected = outcomeOf(comparable(rest), mapping);
				const actual = outcomeOf(graphql, mapping);
				if (expected.kind === 'invalid') expect(actual.kind).toBe('invalid');
				else expect(actual).toEqual(expected);
			}),
			{ numRuns: 500 },
		);
	});

	const graphql = toGraphqlOrder(sampleOrder({ contact_email: null }));
	const expected = deliveryOf(sampleOrder({ contact_email: null }));

	test.each<[string, unknown]>([
		['data.order', { data: { order: graphql } }],
		['data.node', { data: { node: graphql } }],
		['order', { order: graphql }],
		['data.orders.nodes', { data: { orders: { nodes: [graphql] } } }],
		['data.orders.edges', { data: { orders: { edges: [{ node: graphql }] } } }],
		['orders.nodes', { orders: { nodes: [graphql] } }],
		['a split out edge', { cursor: 'c', node: graphql }],
		['the body of an HTTP response', { headers: {}, body: { data: { order: graphql } } }],
	])('is found in %s', (_, item) => {
		expect(deliveryOf(item)).toEqual(expected);
	});

	test.each([
		[{ data: { orders: { nodes: [graphql, graphql] } } }, 'data.orders.nodes'],
		[{ data: { orders: { edges: [{ node: graphql }, { node: graphql }] } } }, 'data.orders.edges'],
		[{ orders: { nodes: [graphql, graphql] } }, 'orders.nodes'],
	])('is rejected in a list of several, with the field to split out', (item, field) => {
		expect(problemOf(item)).toEqual({
			message: `This is a list of Shopify orders, not a single order. Add a Split Out node for the field "${field}" before this node, so that each order becomes a separate item.`,
		});
	});

	test.each([
		[{ data: { order: null } }, /found no order: "data.order" is empty/],
		[{ data: { orders: { nodes: [] } } }, /found no order: "data.orders.nodes" is empty/],
		[
			{ errors: [{ message: "Field 'x' doesn't exist on type 'Order'" }] },
			/returned an error instead of an order: Field 'x' doesn't exist/,
		],
		[
			{ data: { node: { id: 'gid://shopify/DraftOrder/5', lineItems: { nodes: [] } } } },
			/^This is a Shopify DraftOrder, not an order/,
		],
		[{ ...graphql, id: 'gid://shopify/AbandonedCheckout/5' }, /a Shopify AbandonedCheckout, not/],
	])('is not what %j is', (item, message) => {
		expect(problemOf(item)).toEqual({ message: expect.stringMatching(message) });
	});

	const without = (field: string) => ({ ...graphql, [field]: undefined });
	const part = z.record(z.string(), z.unknown());
	const connection = z.object({ nodes: z.tuple([part]) }).parse(graphql.lineItems);
	const lines = (changes: Fields) => ({
		...graphql,
		lineItems: {
			nodes: [{ ...connection.nodes[0], ...changes }],
			pageInfo: { hasNextPage: false },
		},
	});

	test.each([
		[without('lineItems'), 'has no "lineItems". Add it to the GraphQL query.'],
		[without('shippingAddress'), 'has no "shippingAddress". Add it to the GraphQL query.'],
		[
			lines({ unfulfilledQuantity: undefined }),
			'has no "lineItems[0].unfulfilledQuantity". Add it to the GraphQL query.',
		],
	])('is rejected without a field that matters, which is named', (order, message) => {
		expect(problemOf(order)).toEqual({ message: `Order #1042 ${message}` });
		expect(outcomeOf(order)).toMatchObject({
			referenceId: '#1042',
			shopifyOrder: { id: '820982911946154' },
		});
	});

	test.each([
		[
			lines({ quantity: undefined }),
			`Order #1042's "lineItems[0].quantity" is missing. Add it to the GraphQL query.`,
		],
		[
			lines({ quantity: 'two' }),
			`Order #1042's "lineItems[0].quantity" should be a whole number of 0 or more, but is the text "two".`,
		],
	])('is rejected with the GraphQL name of an unreadable field', (order, message) => {
		expect(problemOf(order)).toEqual({ message });
	});

	test('is rejected without a name, an outstanding amount or a payment status, with GraphQL names', () => {
		expect(problemOf(without('name')).message).toBe(
			'Order 1042 has no "name" to use as the reference ID. Add this field to the GraphQL query.',
		);
		const unpaid = { ...without('totalOutstandingSet'), displayFinancialStatus: 'PARTIALLY_PAID' };
		expect(problemOf(unpaid, { cod: 'unpaid' }).message).toBe(
			'Order #1042 doesn\'t say how much is unpaid: it has no "totalOutstandingSet", and its "displayFinancialStatus" is "partially_paid". Add totalOutstandingSet to the GraphQL query, or set Cash on Delivery to Never if drivers never collect cash.',
		);
		expect(
			problemOf({ ...without('displayFinancialStatus'), totalOutstandingSet: null }).message,
		).toMatch(/has no "displayFinancialStatus".*Add this field to the GraphQL query/);
	});

	test('is rejected if the query returned only a part of its items', () => {
		const lineItems = { ...connection, pageInfo: { hasNextPage: true } };
		expect(problemOf({ ...graphql, lineItems })).toEqual({
			message:
				'Order #1042 has more "lineItems" than the GraphQL query returned. Raise "first" of lineItems in the query, up to 250.',
		});
		const refunds = [{ refundLineItems: { nodes: [], pageInfo: { hasNextPage: true } } }];
		expect(problemOf({ ...graphql, refunds }).message).toContain('has more "refundLineItems"');
	});

	test('is sent without a field that decides whether it is sent, with a note', () => {
		const order = {
			...without('cancelledAt'),
			lineItems: { ...connection, pageInfo: undefined },
		};
		expect(outcomeOf(order)).toMatchObject({
			kind: 'delivery',
			actions: [
				{
					code: 'missingFields',
					fields: [
						{ field: 'cancelled_at', shownField: 'cancelledAt' },
						{ field: 'lineItems.pageInfo.hasNextPage' },
					],
				},
			],
		});
	});

	test("is sent without the customer's currency, with a note unless no cash is collected", () => {
		const order = without('presentmentCurrencyCode');
		expect(outcomeOf(order)).toMatchObject({
			kind: 'delivery',
			actions: [
				{
					code: 'missingFields',
					fields: [{ field: 'presentment_currency', shownField: 'presentmentCurrencyCode' }],
				},
			],
		});
		expect(outcomeOf(order, { cod: 'never' })).not.toHaveProperty('actions.0');
	});

	test.each([
		[0.35, 'KILOGRAMS', 0.7],
		[350, 'GRAMS', 0.7],
		[1, 'POUNDS', 0.908],
		[1, 'OUNCES', 0.056],
		[1, 'STONES', undefined],
		['1', 'GRAMS', undefined],
	])('weighs %p %s per unit', (value, unit, weight) => {
		const variant = { inventoryItem: { measurement: { weight: { value, unit } } } };
		expect(deliveryOf(lines({ variant })).packages[0]?.weight).toBe(weight);
	});
});
