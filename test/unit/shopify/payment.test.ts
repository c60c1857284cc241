/**
 * What the customer owes: open returns, authorized money, settled orders, payment terms and other
 * currencies, after public reports. Each kind has two cases besides the reported one.
 */
import { toGraphqlOrder } from '../../support/graphqlOrder';
import { samplePart, samplePartLine } from '../../support/sampleFulfillmentOrder';
import { deliveryOf, outcomeOf, sampleLine, sampleOrder } from '../../support/sampleOrder';

type Fields = Record<string, unknown>;

const cash = { payment_gateway_names: ['Cash on Delivery (COD)'] };
const card = { payment_gateway_names: ['shopify_payments'] };

/** What the driver collects of an order, or why it is skipped; and what a person should know. */
function resultOf(order: Fields, mapping: Fields = {}, part?: Fields) {
	const whole = 'id' in order ? order : sampleOrder(order);
	const value = part ? { order: whole, fulfillmentOrder: part } : whole;
	const outcome = outcomeOf(value, mapping);
	if (outcome.kind === 'invalid') return outcome.problem;
	const { needed } = outcome;
	return outcome.kind === 'skipped'
		? { skip: outcome.code, needed }
		: { cod: outcome.delivery.cod, needed };
}

describe('an order with an open return', () => {
	const fulfilled = { fulfillable_quantity: 0, fulfillment_status: 'fulfilled' };
	const [small, large] = [
		sampleLine({ id: 1, name: 'Shirt - S', quantity: 1, current_quantity: 1, price: '80.00' }),
		sampleLine({ id: 2, name: 'Shirt - L', quantity: 1, fulfillable_quantity: 1, price: '80.00' }),
	];
	const exchange = (price: string, changes: Fields = {}) => ({
		currency: 'USD',
		financial_status: 'partially_paid',
		current_total_price: String(80 + Number(price)),
		total_outstanding: price,
		line_items: [
			{ ...small, ...fulfilled },
			{ ...large, current_quantity: 1, price },
		],
		returns: [{ status: 'open', return_line_items: [{ line_item_id: 1, quantity: 1 }] }],
		...changes,
	});
	const fulfillments = [{ status: 'success', line_items: [{ id: 1, quantity: 1 }] }];
	const part = samplePart({
		line_items: [samplePartLine({ line_item_id: 2, quantity: 1, fulfillable_quantity: 1 })],
	});
	const notCollected = (unpaid: string, after: string) =>
		`: no cash is collected, because the order has an open return. Shopify says that ${unpaid} is unpaid, ${after}. If the driver should collect something, set the cash of this delivery with the operation Update.`;

	test.each<[string, Fields, string]>([
		[
			'an even exchange',
			exchange('80.00'),
			notCollected('80.00 USD', 'or 0.00 USD without the returned items'),
		],
		[
			'a dearer item',
			exchange('95.50'),
			notCollected('95.50 USD', 'or 15.50 USD without the returned items'),
		],
		[
			'a cheaper item',
			exchange('70.00'),
			notCollected('70.00 USD', 'or 0.00 USD without the returned items'),
		],
		[
			'a return whose items are not known',
			exchange('80.00', { returns: [{ status: 'OPEN' }] }),
			notCollected('80.00 USD', 'but not how much of it the returned items settle'),
		],
		[
			'a state of all returns, as in GraphQL',
			exchange('80.00', { returns: null, return_status: 'IN_PROGRESS' }),
			notCollected('80.00 USD', 'but not how much of it the returned items settle'),
		],
	])('by cash on delivery collects nothing, and names both amounts: %s', (_, order, needed) => {
		const expected = { cod: undefined, needed: `Order #1042${needed}` };
		expect(resultOf({ ...order, ...cash, fulfillments })).toEqual(expected);
		expect(resultOf({ ...order, ...cash, fulfillments }, {}, part)).toEqual({
			cod: undefined,
			needed: `Order #1042 (Harbor Warehouse)${needed}`,
		});
		const mapping = { cod: 'unpaid' };
		expect(resultOf({ ...order, ...card, fulfillments }, mapping)).toEqual(expected);
		expect(resultOf({ ...order, ...cash }, { cod: 'never' })).toEqual({ needed: '' });
	});

	test('by card is sent if the exchange is even or cheaper, and waits for a dearer one', () => {
		expect(resultOf({ ...exchange('80.00'), ...card })).toEqual({ needed: '' });
		expect(resultOf({ ...exchange('70.00'), ...card })).toEqual({ needed: '' });
		expect(resultOf({ ...exchange('95.50'), ...card, total_capturable: '0.00' })).toEqual({
			skip: 'notPaid',
			needed:
				'Order #1042 was not sent: it is only partly paid. Shopify says that 95.50 USD of 175.50 USD is unpaid, or 15.50 USD without the returned items. Collect or capture the rest, or mark the order as paid in Shopify: then it is sent.',
		});
	});

	test.each(['closed', 'canceled', 'declined', 'requested'])(
		'is one only while it is open, not %s',
		(status) => {
			const returns = [{ status, return_line_items: [{ line_item_id: 1, quantity: 1 }] }];
			expect(resultOf({ ...exchange('80.00', { returns }), ...cash })).toEqual({
				cod: 80,
				needed: '',
			});
		},
	);

	test('has no effect on an order that is paid', () => {
		const paid = exchange('80.00', { financial_status: 'paid' });
		expect(resultOf({ ...paid, ...cash })).toEqual({ needed: '' });
	});
});

test.each<[string, Fields, unknown]>([
	['all of the rest is authorized', { total_capturable: '30.00' }, { needed: '' }],
	[
		'nothing is authorized',
		{},
		{
			skip: 'notPaid',
			needed:
				'Order #1042 was not sent: it is only partly paid. Shopify says that 30.00 MXN of 55.00 MXN is unpaid. Collect or capture the rest, or mark the order as paid in Shopify: then it is sent.',
		},
	],
	[
		'a return is open',
		{ return_status: 'in_progress' },
		{
			skip: 'notPaid',
			needed:
				'Order #1042 was not sent: it is only partly paid. Shopify says that 30.00 MXN of 55.00 MXN is unpaid, but not how much of it the returned items settle. Collect or capture the rest, or mark the order as paid in Shopify: then it is sent.',
		},
	],
])('reads from GraphQL whether %s', (_, changes, expected) => {
	const partlyPaid = { financial_status: 'partially_paid', total_outstanding: '30.00' };
	const order = sampleOrder({ ...partlyPaid, current_total_price: '55.00', ...card, ...changes });
	expect(resultOf(toGraphqlOrder(order))).toEqual(expected);
});

describe('an order of which only some was captured', () => {
	const first = sampleLine({ fulfillable_quantity: 0, fulfillment_status: 'fulfilled' });
	const second = sampleLine({ id: 7002, name: 'Cap', price: '30.00', quantity: 1 });
	const rest = { current_quantity: 1, fulfillable_quantity: 1 };
	const order = {
		...card,
		currency: 'USD',
		financial_status: 'partially_paid',
		current_total_price: '55.00',
		total_outstanding: '30.00',
		line_items: [first, { ...second, ...rest }],
		fulfillments: [{ status: 'success', line_items: [{ id: 7001, quantity: 2 }] }],
	};
	const part = samplePart({
		line_items: [samplePartLine({ line_item_id: 7002, quantity: 1, fulfillable_quantity: 1 })],
	});

	test.each<[string, Fields]>([
		['all of the rest', { total_capturable: '30.00' }],
		['more than the rest', { total_capturable: '31.00' }],
		[
			'the rest, with its amounts in both currencies',
			{
				total_capturable_set: {
					shop_money: { amount: '30.00' },
					presentment_money: { amount: '30.00' },
				},
			},
		],
	])('is sent if %s is authorized, as an authorized order is', (_, authorized) => {
		expect(resultOf({ ...order, ...authorized }, {}, part)).toEqual({ needed: '' });
		expect(resultOf({ ...order, ...authorized, ...cash }, {}, part)).toEqual({ needed: '' });
	});

	test('is not sent without this, and says what it takes', () => {
		expect(resultOf(order, {}, part)).toEqual({
			skip: 'notPaid',
			needed:
				'Order #1042 (Harbor Warehouse) was not sent: it is only partly paid. Shopify says that 30.00 USD of 55.00 USD is unpaid. Collect or capture the rest, or mark the order as paid in Shopify: then it is sent. If the rest is authorized by card, send it with Send Anyway.',
		});
		expect(resultOf({ ...order, total_capturable: '12.00' }, {}, part)).toEqual({
			skip: 'notPaid',
			needed:
				'Order #1042 (Harbor Warehouse) was not sent: it is only partly paid. Shopify says that 18.00 USD of 55.00 USD is unpaid. Collect or capture the rest, or mark the order as paid in Shopify: then it is sent.',
		});
		const unknown = { total_outstanding: null, total_capturable: '12.00' };
		expect(resultOf({ ...order, ...unknown }, {}, part)).toMatchObject({
			needed: expect.stringMatching(/ was not sent: it is only partly paid\. Collect/),
		});
	});

	test('collects in cash what is neither captured nor authorized', () => {
		const byBoth = { payment_gateway_names: ['shopify_payments', 'Cash on Delivery (COD)'] };
		const authorized = { total_capturable: '12.00' };
		expect(resultOf({ ...order, ...byBoth, ...authorized })).toEqual({ cod: 18, needed: '' });
	});
});

test.each(['pending', 'partially_paid', 'partially_refunded', 'expired', null])(
	'an order with the status %s of which 0.00 is outstanding is paid',
	(financial_status) => {
		const settled = { financial_status, total_outstanding: '0.00' };
		for (const methods of [cash, card])
			expect(resultOf({ ...settled, ...methods })).toEqual({ needed: '' });
		expect(resultOf({ ...settled, ...card }, { cod: 'unpaid' })).toEqual({ needed: '' });
	},
);

test('an order with a total of 0.00 is paid, even if it does not say what is outstanding', () => {
	const free = {
		financial_status: 'pending',
		total_outstanding: null,
		current_total_price: '0.00',
	};
	expect(resultOf({ ...free, ...card })).toEqual({ needed: '' });
});

describe('payment terms', () => {
	const unpaid = {
		payment_gateway_names: ['Bank Deposit'],
		financial_status: 'pending',
		total_outstanding: '25.00',
	};
	const terms = (changes: Fields, ...dates: Fields[]) => ({
		...unpaid,
		payment_terms: { payment_schedules: dates, ...changes },
	});
	const inMay = { due_at: '2027-05-01T00:00:00-06:00', completed_at: null };
	const inOctober = { due_at: '2026-10-01T00:00:00-06:00', completed_at: null };

	test.each<[string, Fields]>([
		['on receipt', terms({ payment_terms_type: 'RECEIPT' }, { due_at: null })],
		['on fulfillment', terms({ payment_terms_type: 'fulfillment' }, { due_at: null })],
		['on receipt, by their name', terms({ payment_terms_name: 'Due on receipt' }, inMay)],
		['since October', terms({ payment_terms_type: 'net' }, inOctober)],
		['in part since October', terms({ payment_terms_type: 'fixed' }, inMay, inOctober)],
		['because they are overdue', terms({ overdue: true })],
	])('that are due %s make an order unpaid', (_, order) => {
		expect(resultOf(order)).toEqual({ skip: 'notPaid', needed: '' });
		expect(resultOf(order, { cod: 'unpaid' })).toEqual({ cod: 25, needed: '' });
	});

	test.each<[string, Fields]>([
		['in May', terms({ payment_terms_type: 'NET', overdue: false }, inMay)],
		[
			'in May for the rest',
			terms({}, { ...inOctober, completed_at: '2026-10-02T00:00:00Z' }, inMay),
		],
		['on a day that is not known', terms({ payment_terms_type: 'net' })],
	])('that are due %s count as paid, without cash', (_, order) => {
		expect(resultOf(order)).toEqual({ needed: '' });
		expect(resultOf(order, { cod: 'unpaid' })).toEqual({ needed: '' });
		expect(resultOf({ ...order, ...cash })).toMatchObject({ cod: 25 });
	});
});

describe('an order in another currency than the shop', () => {
	const money = (shop: string, presentment: string) => ({
		shop_money: { amount: shop, currency_code: 'USD' },
		presentment_money: { amount: presentment, currency_code: 'MXN' },
	});
	const abroad = {
		...cash,
		financial_status: 'pending',
		currency: 'USD',
		presentment_currency: 'MXN',
		total_outstanding: '25.00',
		current_total_price: '25.00',
		current_total_price_set: money('25.00', '455.20'),
		total_price_set: money('30.00', '544.06'),
	};
	const shown = (amount: string, customers: string, order = 'Order #1042') =>
		`${order}: the driver collects ${amount}, in the currency of the shop. The customer was shown ${customers}. If the driver should collect another amount, set the cash of this delivery with the operation Update.`;

	test.each<[string, Fields, number, string]>([
		['everything is unpaid', {}, 25, shown('25.00 USD', '455.20 MXN')],
		[
			'the outstanding amount has its own set',
			{ total_outstanding: '10.00', total_outstanding_set: money('10', '181.4') },
			10,
			shown('10.00 USD', '181.40 MXN'),
		],
		['a part is paid', { total_outstanding: '12.50' }, 12.5, shown('12.50 USD', '227.60 MXN')],
		[
			'only the original total has both',
			{ current_total_price_set: null },
			25,
			shown('25.00 USD', '453.38 MXN'),
		],
		[
			'nothing has both',
			{ current_total_price_set: { shop_money: {} }, total_price_set: money('0', '0') },
			25,
			shown('25.00 USD', 'an amount in MXN'),
		],
		[
			'the other one has no decimals',
			{ presentment_currency: 'JPY', current_total_price_set: money('25.00', '3700') },
			25,
			shown('25.00 USD', '3700 JPY'),
		],
		['both are the same', { presentment_currency: 'USD' }, 25, ''],
		["the customer's is not known", { presentment_currency: null }, 25, ''],
	])("collects the amount in the shop's, and names both, if %s", (_, changes, cod, needed) => {
		expect(resultOf({ ...abroad, ...changes })).toEqual({ cod, needed });
	});

	test('names the amounts of a fulfillment order', () => {
		const part = samplePart({
			line_items: [samplePartLine({ quantity: 1, fulfillable_quantity: 1 })],
		});
		expect(resultOf(abroad, {}, part)).toEqual({
			cod: 12.5,
			needed: shown('12.50 USD', '227.60 MXN', 'Order #1042 (Harbor Warehouse)'),
		});
	});

	test('is sent without cash if drivers never collect any', () => {
		expect(deliveryOf(sampleOrder(abroad), { cod: 'never' }).cod).toBeUndefined();
	});
});
