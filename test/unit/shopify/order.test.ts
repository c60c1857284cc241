import fc from 'fast-check';

import {
	outcomeOf,
	problemOf,
	deliveryOf,
	sampleAddress,
	sampleLine,
	sampleOrder,
} from '../../support/sampleOrder';

const connectNode =
	"Connect a Shopify node, or set the field Order to an order in the format of Shopify's REST or GraphQL API.";
const addLines = 'If the Shopify node limits the fields that it returns, add line_items.';

describe('readOrder', () => {
	test('reads an order in the field "order"', () => {
		expect(deliveryOf({ order: sampleOrder() })).toEqual(deliveryOf(sampleOrder()));
	});

	test('ignores a field "order" of an object that has line items', () => {
		const order = sampleOrder({ order: { line_items: [] } });
		expect(deliveryOf(order)).toEqual(deliveryOf(sampleOrder()));
	});

	test.each([
		[undefined, 'the value is empty'],
		[null, 'the value is empty'],
		['', 'the value is empty'],
		['#1042', 'the value is the text "#1042"'],
		['x'.repeat(50), `the value is the text "${'x'.repeat(40)}..."`],
		[42, 'the value is 42'],
		[true, 'the value is true'],
		[10n, 'the value is a bigint'],
		[[sampleOrder()], 'the value is a list'],
		[{ order: 'abc' }, 'the value is the text "abc"'],
	])('rejects %p, which is not an order', (value, expected) => {
		expect(problemOf(value)).toEqual({
			message: `This is not a Shopify order: expected an object, but ${expected}. ${connectNode}`,
		});
	});

	test.each([[{}], [{ id: 1 }], [{ order: {} }], [{ line_items: null }], [{ body: {} }]])(
		'rejects %j because it has no line items',
		(value) => {
			expect(problemOf(value)).toEqual({
				message: `This is not a Shopify order: it has no "line_items". ${connectNode} ${addLines}`,
			});
		},
	);

	test('names the order, or the Webhook node, if the line items are missing', () => {
		expect(problemOf({ body: { id: 1, name: '#1042' } })).toEqual({
			message: `Order #1042 has no "line_items", so it is unclear what to send. ${addLines}`,
		});
		const call = { headers: { 'x-shopify-topic': 'orders/create' }, body: {} };
		expect(problemOf(call)).toEqual({
			message:
				'This webhook call has no order in its body. Create the webhook in Shopify in JSON, for Order creation or Order payment; if Raw Body is on in the Webhook node, add an Extract From File node.',
		});
	});

	const orders = [sampleOrder()];
	const response = { headers: { 'content-type': 'application/json' }, statusCode: 200 };

	test.each([
		['orders', { orders }],
		['orders', { orders: [] }],
		['data', { data: orders }],
		['data.orders.nodes', { data: { orders: { nodes: orders } } }],
		['data.orders.edges', { data: { orders: { edges: [{ node: sampleOrder() }] } } }],
		['data.orders.nodes', { data: { orders: { nodes: [{ name: '#1' }] } } }],
		['body.orders', { ...response, body: { orders } }],
		['body', { headers: {}, params: {}, query: {}, body: orders }],
	])('rejects a list of orders in "%s", and names Split Out', (field, item) => {
		expect(problemOf(item)).toEqual({
			message: `This is a list of Shopify orders, not a single order. Add a Split Out node for the field "${field}" before this node, so that each order becomes a separate item.`,
		});
	});

	test.each([
		[{ fulfillments: [sampleOrder({ order_id: 1, financial_status: undefined })] }],
		[{ ...response, statusCode: 401, body: { errors: 'Unauthorized' } }],
	])('takes no other record or response for orders or a webhook: %j', (item) => {
		expect(problemOf(item).message).toMatch(/^This is not a Shopify order: it has no "line_items"/);
	});

	test('reads an order in the body of a Webhook node', () => {
		const item = { headers: { 'x-shopify-topic': 'orders/create' }, params: {}, query: {} };
		expect(deliveryOf({ ...item, body: sampleOrder() })).toEqual(deliveryOf(sampleOrder()));
		expect(deliveryOf({ ...item, body: { order: sampleOrder() } })).toEqual(
			deliveryOf(sampleOrder()),
		);
	});

	test('ignores a field "body" of an order', () => {
		const order = sampleOrder({ body: sampleOrder({ name: '#2' }) });
		expect(deliveryOf(order).referenceId).toBe('#1042');
	});

	const draft = sampleOrder({
		name: '#D1',
		status: 'open',
		invoice_url: 'https://shop.example/invoices/1',
		order_id: null,
	});
	const fulfillment = sampleOrder({
		name: '#1042.1',
		order_id: 820982911946154,
		financial_status: undefined,
		line_items: [sampleLine({ fulfillable_quantity: 0 })],
	});

	test.each([
		['a draft order', draft, 'a draft order: it has "invoice_url"'],
		[
			'a draft order without an invoice URL',
			{ ...draft, invoice_url: undefined, financial_status: undefined },
			'"order_id"',
		],
		[
			'a checkout',
			sampleOrder({ abandoned_checkout_url: 'https://shop.example/1' }),
			'a checkout that the customer may still abandon: it has "abandoned_checkout_url"',
		],
		['a fulfillment', fulfillment, 'such as a fulfillment or a refund: it has "order_id"'],
		['a refund', { id: 1, order_id: 2, refund_line_items: [] }, 'it has "order_id"'],
		['a draft order in the field "order"', { order: draft }, 'a draft order'],
		['a draft order in the body of a Webhook node', { headers: {}, body: draft }, 'a draft order'],
	])('rejects %s and names the trigger events for orders', (_, value, expected) => {
		const outcome = outcomeOf(value);
		expect(outcome).toEqual({
			kind: 'invalid',
			needed: '',
			problem: { message: expect.stringContaining(expected) },
		});
		expect(problemOf(value).message).toMatch(
			/^This is not a Shopify order, but .* Order Created or Order Paid\.$/,
		);
	});

	test('accepts an order to which a workflow has added order_id', () => {
		expect(outcomeOf(sampleOrder({ order_id: 5 })).kind).toBe('delivery');
	});

	test('never throws, whatever the value', () => {
		const fieldNames = [
			'line_items',
			'order',
			'orders',
			'lineItems',
			'nodes',
			'edges',
			'node',
			'data',
			'body',
			'refundLineItems',
			'refunds',
			'shipping_address',
			'id',
			'name',
		];
		const field = fc.oneof(fc.constantFrom(...fieldNames), fc.string());
		const value = fc.oneof(
			fc.anything({ withBigInt: true, withNullPrototype: true, key: field }),
			fc.dictionary(field, fc.anything({ key: field })).map((changes) => sampleOrder(changes)),
			fc.anything().map((line) => sampleOrder({ line_items: [line] })),
		);
		fc.assert(
			fc.property(value, (order) => {
				const outcome = outcomeOf(order);
				expect(['delivery', 'skipped', 'invalid']).toContain(outcome.kind);
				if (outcome.kind === 'invalid') expect(outcome.problem.message).not.toBe('');
			}),
			{ numRuns: 1000 },
		);
	});
});

describe('an order with a field of the wrong type', () => {
	test.each([
		[
			{ line_items: 'none' },
			`Order #1042's "line_items" should be a list, but is the text "none".`,
		],
		[{ name: {} }, `Order 1042's "name" should be text, but is an object.`],
		[{ test: 'yes' }, `Order #1042's "test" should be true or false, but is the text "yes".`],
		[
			{ cancelled_at: '[object Object]' },
			`Order #1042's "cancelled_at" should be a time such as 2026-12-24T09:00:00Z, but is the text "[object Object]".`,
		],
		[
			{ cancelled_at: 'No' },
			`Order #1042's "cancelled_at" should be a time such as 2026-12-24T09:00:00Z, but is the text "No".`,
		],
		[
			{ created_at: '01/11/2026' },
			`Order #1042's "created_at" should be a time such as 2026-12-24T09:00:00Z, but is the text "01/11/2026".`,
		],
		[
			{ created_at: 1_764_000_000 },
			`Order #1042's "created_at" should be a time such as 2026-12-24T09:00:00Z, but is 1764000000.`,
		],
		[{ line_items: [undefined] }, `Order #1042's "line_items[0]" is missing.`],
		[
			{ line_items: [sampleLine(), sampleLine({ quantity: '1,5' })] },
			`Order #1042's "line_items[1].quantity" should be a whole number of 0 or more, but is the text "1,5".`,
		],
		[
			{ line_items: [sampleLine({ quantity: null })] },
			`Order #1042's "line_items[0].quantity" is missing.`,
		],
	])(
		'rejects an order with a field of the wrong type and names the field: %j',
		(changes, expected) => {
			expect(problemOf(sampleOrder(changes))).toEqual({ message: expected });
		},
	);

	test('names every field of the wrong type', () => {
		expect(problemOf(sampleOrder({ id: [], name: {} }))).toEqual({
			message: `Order 1042's "id" should be text, but is a list.`,
			description: `Order 1042's "name" should be text, but is an object.`,
		});
	});

	test('calls an order without identifiers "The order" in messages', () => {
		const nameless = sampleOrder({ id: null, name: '', order_number: {}, test: 'yes' });
		expect(problemOf(nameless)).toEqual({
			message: `The order's "order_number" should be text, but is an object.`,
			description: `The order's "test" should be true or false, but is the text "yes".`,
		});
	});

	test('returns the reference ID, Shopify ID and name of an invalid order', () => {
		const order = sampleOrder({ total_outstanding: 'x' });
		expect(outcomeOf(order)).toMatchObject({
			kind: 'invalid',
			referenceId: '#1042',
			shopifyOrder: { id: '820982911946154', name: '#1042' },
		});
		const nameless = { ...order, name: {} };
		expect(outcomeOf({ order: nameless }, { referenceIdFrom: 'orderNumber' })).toMatchObject({
			referenceId: '1042',
			shopifyOrder: { id: '820982911946154', name: undefined },
		});
		expect(outcomeOf(order, { overrides: { referenceId: 'R-1' } })).toMatchObject({
			referenceId: 'R-1',
		});
	});
});

describe('formats of values', () => {
	test('reads numbers as text and text as numbers', () => {
		const texts = sampleOrder({
			id: '820982911946154',
			order_number: '1042',
			shipping_address: { ...address, zip: '72000', latitude: '19.0433', longitude: '-98.198' },
			line_items: [
				sampleLine({
					quantity: '2',
					grams: '350',
					price: '12.5',
					fulfillable_quantity: ' 2 ',
					requires_shipping: 'TRUE',
					gift_card: '',
				}),
				sampleLine({ requires_shipping: ' false ' }),
			],
			test: 'false',
		});
		const numbers = sampleOrder({
			shipping_address: { ...address, zip: 72000, latitude: 19.0433, longitude: -98.198 },
			line_items: [sampleLine({ price: 12.5 })],
		});
		expect(deliveryOf(texts)).toEqual(deliveryOf(numbers));
	});

	test('reads lists and objects that n8n has turned into text', () => {
		const order = sampleOrder({
			note_attributes: [{ name: 'Delivery Date', value: '2026-12-24' }],
			tags: ['vip'],
		});
		const texts = Object.entries(order).map(([name, value]: [string, unknown]) => [
			name,
			typeof value === 'object' && value !== null ? JSON.stringify(value) : value,
		]);
		expect(deliveryOf(Object.fromEntries(texts))).toEqual(deliveryOf(order));
		const shipping_lines = ` ${JSON.stringify([{ title: 'Store Pickup' }])}`;
		expect(outcomeOf(sampleOrder({ shipping_lines }))).toMatchObject({ code: 'shippingMethod' });
	});

	test.each([
		['cancelled_at', 'undefined'],
		['test', 'undefined'],
		['note_attributes', '[object Object],[object Object]'],
		['shipping_lines', '[object Object]'],
	])('names %s as missing if n8n has turned it into the text %s', (field, text) => {
		expect(outcomeOf(sampleOrder({ [field]: text }))).toMatchObject({
			kind: 'delivery',
			actions: [{ code: 'missingFields', fields: [field] }],
		});
	});

	test('treats empty text, blank text, null and undefined as missing values, also as text', () => {
		for (const missing of ['', '  ', null, undefined, 'null', ' undefined'])
			expect(
				deliveryOf(
					sampleOrder({
						email: missing,
						cancelled_at: missing,
						tags: missing,
						note_attributes: undefined,
						refunds: null,
					}),
				),
			).toMatchObject({
				dropoff: { contact: { email: 'ana.contact@example.com' } },
				tags: undefined,
			});
	});
});

const address = { name: 'Ana Lopez', address1: 'Calle Luna 12' };

/** A customer writes most of these texts. */
const longTexts: Record<string, string> = {
	letters: `1${'a'.repeat(50_000)}`,
	digits: '1'.repeat(50_000),
	blanks: `Pickup${' '.repeat(50_000)}-`,
	brackets: '('.repeat(50_000),
	'a repeated word': `Recogida${'en'.repeat(25_000)}`,
};

test.each<[string, (text: string) => Record<string, unknown>]>([
	['the delivery date', (value) => ({ note_attributes: [{ name: 'Delivery Date', value }] })],
	['the delivery method', (value) => ({ note_attributes: [{ name: 'Delivery Method', value }] })],
	['the name of a detail', (name) => ({ note_attributes: [{ name, value: 'x' }] })],
	['the shipping method', (title) => ({ shipping_lines: [{ title }] })],
	['the payment method', (gateway) => ({ gateway })],
	[
		'the street',
		(text) => ({ shipping_address: sampleAddress({ address1: `Elm ${text}`, address2: '12' }) }),
	],
	['the second line', (address2) => ({ shipping_address: sampleAddress({ address2 }) })],
	['the recipient', (name) => ({ shipping_address: sampleAddress({ name }) })],
	['the phone number', (phone) => ({ shipping_address: sampleAddress({ phone }) })],
])('reads an order with 50,000 characters in %s in less than a second', (_, changes) => {
	for (const [kind, text] of Object.entries(longTexts)) {
		const start = process.cpuUsage();
		outcomeOf(sampleOrder(changes(text)));
		const { user } = process.cpuUsage(start);
		expect({ kind, isQuick: user < 1_000_000 }).toEqual({ kind, isQuick: true });
	}
});
