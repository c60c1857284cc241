import fc from 'fast-check';

import {
	outcomeOf,
	problemOf,
	deliveryOf,
	sampleLine,
	sampleOrder,
} from '../../support/sampleOrder';

describe('what is an order', () => {
	test('an order wrapped in a member "order" is read as the order itself', () => {
		expect(deliveryOf({ order: sampleOrder() })).toEqual(deliveryOf(sampleOrder()));
	});

	test('a member "order" beside line items is not taken for the order', () => {
		const order = sampleOrder({ order: { line_items: [] } });
		expect(deliveryOf(order)).toEqual(deliveryOf(sampleOrder()));
	});

	test.each([
		[undefined, 'this is empty'],
		[null, 'this is empty'],
		['', 'this is empty'],
		['#1042', 'this is the text "#1042"'],
		['x'.repeat(50), `this is the text "${'x'.repeat(40)}..."`],
		[42, 'this is 42'],
		[true, 'this is true'],
		[10n, 'this is a bigint'],
		[[sampleOrder()], 'this is a list'],
		[{ order: 'abc' }, 'this is the text "abc"'],
	])('%p is refused', (value, expected) => {
		const { message, description } = problemOf(value);
		expect(message).toContain('This is not a Shopify order: an object was expected');
		expect(message).toContain(expected);
		expect(message).toContain('Connect the output of a Shopify node');
		expect(description).toBeUndefined();
	});

	test.each([[{}], [{ id: 1 }], [{ order: {} }], [{ line_items: null }], [{ body: {} }]])(
		'%j is told to lack its line items',
		(value) => {
			expect(problemOf(value)).toEqual({
				message: expect.stringContaining('This is not a Shopify order: it has no "line_items".'),
			});
		},
	);

	test('an item that holds many orders is told to be split first', () => {
		expect(problemOf({ orders: [sampleOrder()] })).toEqual({
			message: expect.stringMatching(/list of Shopify orders.*Split Out node.*"orders"/),
		});
	});

	test('a webhook item is told where its order is', () => {
		expect(problemOf({ headers: {}, body: sampleOrder() })).toEqual({
			message: expect.stringContaining('Set "Order" to {{ $json.body }}'),
		});
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
			'a draft order without its invoice',
			{ ...draft, invoice_url: undefined, financial_status: undefined },
			'"order_id"',
		],
		[
			'a checkout',
			sampleOrder({ abandoned_checkout_url: 'https://shop.example/1' }),
			'a checkout, which the customer may still leave: it has "abandoned_checkout_url"',
		],
		['a fulfillment', fulfillment, 'such as a fulfillment or a refund: it has "order_id"'],
		['a refund', { id: 1, order_id: 2, refund_line_items: [] }, 'it has "order_id"'],
		['one that is wrapped', { order: draft }, 'a draft order'],
	])('%s is refused, with the topic that gives orders', (_, value, expected) => {
		const outcome = outcomeOf(value);
		expect(outcome).toEqual({
			kind: 'invalid',
			problem: { message: expect.stringContaining(expected) },
		});
		expect(problemOf(value).message).toMatch(
			/^This is not a Shopify order, but .* Order Created or Order Paid\.$/,
		);
	});

	test('an order to which a workflow has added its ID stays one', () => {
		expect(outcomeOf(sampleOrder({ order_id: 5 })).kind).toBe('delivery');
	});

	test('no value makes it throw', () => {
		const names = ['line_items', 'order', 'orders', 'refunds', 'shipping_address', 'id', 'name'];
		const member = fc.oneof(fc.constantFrom(...names), fc.string());
		const value = fc.oneof(
			fc.anything({ withBigInt: true, withNullPrototype: true, key: member }),
			fc.dictionary(member, fc.anything({ key: member })).map((changes) => sampleOrder(changes)),
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

describe('members of the wrong kind are named', () => {
	test.each([
		[
			{ line_items: 'none' },
			`Order #1042's "line_items" should be a list, but is the text "none".`,
		],
		[
			{ shipping_address: [] },
			`Order #1042's "shipping_address" should be an object, but is a list.`,
		],
		[{ name: {} }, `Order 1042's "name" should be text, but is an object.`],
		[{ test: 'yes' }, `Order #1042's "test" should be true or false, but is the text "yes".`],
		[
			{ total_outstanding: true },
			`Order #1042's "total_outstanding" should be a number, but is true.`,
		],
		[{ line_items: [null] }, `Order #1042's "line_items[0]" should be an object.`],
		[{ line_items: [undefined] }, `Order #1042's "line_items[0]" is missing.`],
		[
			{ line_items: [sampleLine(), sampleLine({ quantity: '1,5' })] },
			`Order #1042's "line_items[1].quantity" should be a whole number of 0 or more, but is the text "1,5".`,
		],
		[
			{ line_items: [sampleLine({ quantity: 1.5 })] },
			`Order #1042's "line_items[0].quantity" should be a whole number of 0 or more, but is 1.5.`,
		],
		[
			{ line_items: [sampleLine({ quantity: -1 })] },
			`Order #1042's "line_items[0].quantity" should be a whole number of 0 or more, but is -1.`,
		],
		[
			{ line_items: [sampleLine({ quantity: null })] },
			`Order #1042's "line_items[0].quantity" is missing.`,
		],
		[
			{ line_items: [sampleLine({ current_quantity: 'two' })] },
			`Order #1042's "line_items[0].current_quantity" should be a whole number, but is the text "two".`,
		],
	])('%j', (changes, expected) => {
		expect(problemOf(sampleOrder(changes))).toEqual({ message: expected });
	});

	test('each of several is told', () => {
		expect(problemOf(sampleOrder({ id: [], name: {} }))).toEqual({
			message: `Order 1042's "id" should be text, but is a list.`,
			description: `Order 1042's "name" should be text, but is an object.`,
		});
	});

	test('an order without a name is called the order', () => {
		const nameless = sampleOrder({ id: null, name: '', order_number: {}, test: 'yes' });
		expect(problemOf(nameless).message).toMatch(/^The order's "order_number" should be text/);
	});

	test('the order is told, to find it again', () => {
		const order = sampleOrder({ total_outstanding: 'x' });
		expect(outcomeOf(order)).toMatchObject({
			kind: 'invalid',
			referenceId: '#1042',
			shopifyOrder: { id: '820982911946154', name: '#1042' },
		});
		const unnamed = { ...order, name: {} };
		expect(outcomeOf({ order: unnamed }, { referenceIdFrom: 'orderNumber' })).toMatchObject({
			referenceId: '1042',
			shopifyOrder: { id: '820982911946154', name: undefined },
		});
		expect(outcomeOf(order, { overrides: { referenceId: 'R-1' } })).toMatchObject({
			referenceId: 'R-1',
		});
	});
});

describe('the totals of an order', () => {
	const inCash = { payment_gateway_names: ['Cash on Delivery (COD)'], financial_status: 'pending' };
	const odd = { current_total_price: '-5.00', total_price: 'x' };

	test.each([
		['its outstanding amount is given', { ...inCash, ...odd, total_outstanding: '12.00' }, 12],
		['it is paid', { ...inCash, ...odd, financial_status: 'paid', total_outstanding: null }, 0],
		[
			'the other one is given',
			{ ...inCash, current_total_price: '30.00', total_price: {}, total_outstanding: null },
			30,
		],
	])('are not needed when %s', (_, changes, expected) => {
		expect(deliveryOf(sampleOrder(changes)).cod ?? 0).toBe(expected);
	});

	test.each([
		[odd, `"current_total_price" should be a number of 0 or more, but is the text "-5.00".`],
		[
			{ ...odd, current_total_price: null },
			`"total_price" should be a number of 0 or more, but is the text "x".`,
		],
		[
			{ current_total_price: 'x', total_price: '30.00' },
			`"current_total_price" should be a number of 0 or more, but is the text "x".`,
		],
	])('are not guessed at when they are to be collected: %j', (totals, expected) => {
		for (const financial_status of ['pending', 'authorized']) {
			const changes = { ...inCash, financial_status, total_outstanding: null, ...totals };
			expect(problemOf(sampleOrder(changes))).toEqual({ message: `Order #1042's ${expected}` });
		}
	});
});

describe('either way of writing a value is read', () => {
	test('numbers as text and text as numbers', () => {
		const texts = sampleOrder({
			id: '820982911946154',
			order_number: '1042',
			shipping_address: { ...address, zip: '72000', latitude: '19.0433', longitude: '-98.198' },
			line_items: [
				sampleLine({ quantity: '2', grams: '350', price: '12.5', fulfillable_quantity: ' 2 ' }),
			],
		});
		const numbers = sampleOrder({
			shipping_address: { ...address, zip: 72000, latitude: 19.0433, longitude: -98.198 },
			line_items: [sampleLine({ price: 12.5 })],
		});
		expect(deliveryOf(texts)).toEqual(deliveryOf(numbers));
	});

	test('empty, blank, null and absent members count as not given', () => {
		for (const nothing of ['', '  ', null, undefined])
			expect(
				deliveryOf(
					sampleOrder({ email: nothing, tags: nothing, note_attributes: undefined, refunds: null }),
				),
			).toMatchObject({
				dropoff: { contact: { email: 'ana.contact@example.com' } },
				tags: undefined,
			});
	});
});

const address = { name: 'Ana Lopez', address1: 'Calle Luna 12' };
