import { readFileSync } from 'node:fs';

import fc from 'fast-check';
import { buildSchema, parse, validate } from 'graphql';
import { z } from 'zod/v4';

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

/** Parses the selection set of a query, by the names in the response; arguments are skipped. */
function parseQuery(query: string): Selection {
	const tokens = query.replace(/\([^)]*\)|:\s*\w+/g, '').match(/[{}]|\w+/g) ?? [];
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
	...readFileSync('examples/queries.md', 'utf8').matchAll(/```graphql\n([^]*?)```/g),
].map(([, query]) => query);
const selection = parseQuery(documentedQuery).query?.order ?? {};

const lastBraces = '  }\n}\n';
const combinedQuery = `${documentedQuery.slice(0, -lastBraces.length)}${fulfillmentOrderLines}${lastBraces}`;
const partSelection = parseQuery(combinedQuery).query?.order?.fulfillmentOrders?.nodes ?? {};

describe('the query in examples/queries.md', () => {
	const schema = buildSchema(readFileSync('playground/shopify/schema.graphql', 'utf8'));

	test('is valid with and without the lines for fulfillment orders', () => {
		expect(documentedQuery.endsWith(lastBraces)).toBe(true);
		expect(combinedQuery).toContain('fulfillmentOrders(');
		for (const query of [documentedQuery, combinedQuery])
			expect(validate(schema, parse(query))).toEqual([]);
	});

	test('requests no field that is not read', () => {
		const code = ['graphql', 'orderSchema', 'addressSchema', 'fulfillmentOrder'].map((name) =>
			readFileSync(`nodes/DeliveryService/shopify/${name}.ts`, 'utf8'),
		);
		const read = new Set(code.join(' ').match(/\w+/g));
		const texts = ['emailAddress', 'phoneNumber', 'isFulfillmentService'];
		const requested = JSON.stringify([selection, partSelection]).match(/\w+/g) ?? [];
		expect(requested.length).toBeGreaterThan(100);
		expect(requested.filter((name) => !read.has(name) && !texts.includes(name))).toEqual([]);
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

/** GraphQL has no contact_email, says what is authorized, and has empty lists for no refunds or fulfillments. */
function comparable(order: Fields): Fields {
	return {
		...order,
		contact_email: null,
		total_capturable: '0.00',
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
			expect(outcomeOf(toGraphqlOrder(order), mapping)).toEqual(expected);
			expect(outcomeOf(select(toGraphqlOrder(order), selection), mapping)).toEqual(expected);
			const options = mappingOf(mapping);
			expect(orderToChanges(toGraphqlOrder(order), options)).toEqual(
				orderToChanges(comparable(order), options),
			);
		}
	});

	test.each([
		['unfulfilled', {}],
		['partly fulfilled', { fulfillments: [{ line_items: [{ id: 13200000000074, quantity: 1 }] }] }],
	])('is not sent during a hold, as from REST: %s', (_, changes) => {
		const created_at = new Date().toISOString();
		const orderWith = (fulfillable_quantity: number, fulfillment_status: string | null) => {
			const line_items = [mugs({ fulfillable_quantity })];
			return shopifyOrder({ created_at, line_items, fulfillment_status, ...changes });
		};
		const graphql = toGraphqlOrder(orderWith(2, 'on_hold'));
		const rest = comparable(orderWith(0, null));
		expect(outcomeOf(graphql)).toMatchObject({ code: 'nothingToShip', isHeld: true });
		for (const mapping of [{}, { sendAnyway: true }])
			expect(outcomeOf(graphql, mapping)).toEqual(outcomeOf(rest, mapping));
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
				const graphql = select(toGraphqlOrder(rest), selection);
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
		['the item itself', graphql],
		['order', { order: graphql }],
		['data.order', { data: { order: graphql } }],
		['body', { headers: {}, body: graphql }],
		['body.order', { headers: {}, body: { order: graphql } }],
		['body.data.order', { headers: {}, body: { data: { order: graphql } } }],
	])('is found in %s', (_, item) => {
		expect(deliveryOf(item)).toEqual(expected);
	});

	test.each([
		[{ data: { orders: { nodes: [graphql] } } }, 'data.orders.nodes'],
		[{ data: { orders: { edges: [{ node: graphql }, { node: graphql }] } } }, 'data.orders.edges'],
		[{ orders: [graphql, graphql] }, 'orders'],
	])('is rejected in a list, with the field to split out', (item, field) => {
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
			{ data: { order: { id: 'gid://shopify/DraftOrder/5', line_items: { nodes: [] } } } },
			/^This is a Shopify DraftOrder, not an order/,
		],
		[{ ...graphql, id: 'gid://shopify/AbandonedCheckout/5' }, /a Shopify AbandonedCheckout, not/],
	])('is not what %j is', (item, message) => {
		expect(problemOf(item)).toEqual({ message: expect.stringMatching(message) });
	});

	const part = z.record(z.string(), z.unknown());
	const connection = z.object({ nodes: z.tuple([part]) }).parse(graphql.line_items);
	const lines = (changes: Fields) => ({
		...graphql,
		line_items: {
			nodes: [{ ...connection.nodes[0], ...changes }],
			pageInfo: { hasNextPage: false },
		},
	});
	const queriesPage =
		'https://github.com/delivery-service-integrations/n8n-nodes-delivery-service/blob/main/examples/queries.md';

	test('is rejected without fields that decide about money or skipping, all of which are named', () => {
		const order = {
			...lines({ quantity: undefined, fulfillable_quantity: undefined }),
			cancelled_at: undefined,
			financial_status: undefined,
			payment_terms: undefined,
			total_outstanding_set: { presentment_money: { amount: '1' } },
			shipping_lines: { edges: [] },
			refunds: [{ refund_line_items: { nodes: [] } }],
		};
		const { message } = problemOf(order);
		expect(message.replaceAll(/"[^"]+"/g, '…')).toBe(
			`Order #1042 lacks ${Array(9).fill('…').join(', ')}. Copy the GraphQL query from ${queriesPage}, which names the fields as the REST API does.`,
		);
		expect(Array.from(message.matchAll(/"([^"]+)"/g), ([, field]) => field).sort()).toEqual([
			'cancelled_at',
			'financial_status',
			'line_items.fulfillable_quantity',
			'line_items.quantity',
			'payment_terms',
			'refunds.refund_line_items.pageInfo',
			'shipping_lines.nodes',
			'shipping_lines.pageInfo',
			'total_outstanding_set.shop_money',
		]);
		expect(outcomeOf(order)).toMatchObject({
			referenceId: '#1042',
			shopifyOrder: { id: '820982911946154' },
		});
	});

	test('is rejected with the names of GraphQL', () => {
		const { name, id } = graphql;
		const item = { name, id, cancelledAt: null, lineItems: { nodes: [] } };
		expect(problemOf(item).message).toMatch(/^Order #1042 lacks .*"line_items"/);
	});

	const requiredFields = Object.keys(selection).filter(
		(name) =>
			!['id', 'name', 'order_number', 'email', 'phone', 'note'].includes(name) &&
			!['billing_address', 'customer', 'order_status_url', 'updated_at'].includes(name) &&
			name !== 'fulfillment_status',
	);
	test.each(requiredFields)('is rejected without "%s"', (field) => {
		expect(problemOf({ ...graphql, [field]: undefined }).message).toContain(` lacks "${field}". `);
	});

	test.each([
		'phone',
		'note',
		'billing_address',
		'customer',
		'fulfillment_status',
		'order_number',
		'order_status_url',
		'updated_at',
	])('is sent without "%s"', (field) => {
		expect(outcomeOf({ ...graphql, [field]: undefined }).kind).toBe('delivery');
	});

	test('is rejected with the name of an unreadable field', () => {
		expect(problemOf(lines({ quantity: 'two' }))).toEqual({
			message: `Order #1042's "line_items[0].quantity" should be a whole number of 0 or more, but is the text "two".`,
		});
	});

	test('is rejected without a name or a payment status', () => {
		expect(problemOf({ ...graphql, name: undefined }).message).toBe(
			'Order 1042 has no "name" to use as the reference ID. Request this field in the Shopify node or the query.',
		);
		expect(
			problemOf({ ...graphql, financial_status: null, total_outstanding_set: null }).message,
		).toBe(
			'Order #1042 has no "financial_status", so it\'s unclear whether it is paid. Request this field in the Shopify node or the query.',
		);
	});

	test('is rejected if the query returned only a part of its lists', () => {
		const pageInfo = { hasNextPage: true };
		const refunds = [{ refund_line_items: { nodes: [], pageInfo } }];
		expect(problemOf({ ...graphql, line_items: { ...connection, pageInfo }, refunds })).toEqual({
			message:
				'Order #1042 has more "line_items", "refunds.refund_line_items" than the GraphQL query returned. Raise "first" in the query, up to 250. If it has even more, create its delivery with the operation Create.',
		});
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
		expect(deliveryOf(lines({ grams: variant })).packages[0]?.weight).toBe(weight);
	});
});
