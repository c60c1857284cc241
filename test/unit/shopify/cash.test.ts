import fc from 'fast-check';

import { deliveryOf, outcomeOf, problemOf, sampleOrder } from '../../support/sampleOrder';

const cashOrder = {
	payment_gateway_names: ['Cash on Delivery (COD)'],
	financial_status: 'pending',
	total_price: '30.00',
	current_total_price: '25.10',
	total_outstanding: '25.10',
};

const filters = { payment: 'any' };

function unpaidUnknown(status: string): string {
	return `Order #1042 doesn't say how much is unpaid: it has no "total_outstanding", and its "financial_status" is ${status}. Request total_outstanding in the Shopify node or the query, or set Cash on Delivery to Never if drivers never collect cash.`;
}

function codOf(changes: Record<string, unknown>, cod?: string): number | undefined {
	return deliveryOf(sampleOrder({ ...cashOrder, ...changes }), { cod, filters }).cod;
}

describe('the option Cash on Delivery', () => {
	test('collects the unpaid amount of cash on delivery orders by default', () => {
		expect(codOf({})).toBe(25.1);
		expect(codOf({ payment_gateway_names: ['visa'] })).toBeUndefined();
		expect(codOf({ payment_gateway_names: null, gateway: null })).toBeUndefined();
	});

	test('collects an order on payment terms only with Whenever Something Is Unpaid, once it is due', () => {
		const terms = (due_at: string | null, completed_at: string | null = null) => ({
			payment_gateway_names: [],
			payment_terms: { payment_schedules: [{ due_at, completed_at }] },
		});
		const past = '2026-11-20T00:00:00-06:00';
		expect(codOf(terms(past))).toBeUndefined();
		expect(codOf(terms(past), 'unpaid')).toBe(25.1);
		expect(codOf(terms('2026-11-23T23:00:00-06:00'), 'unpaid')).toBe(25.1);
		expect(codOf(terms('2026-11-24T05:00:00Z'), 'unpaid')).toBe(25.1);
		expect(codOf(terms('2026-12-20T00:00:00-06:00'), 'unpaid')).toBeUndefined();
		expect(codOf(terms(past, past), 'unpaid')).toBeUndefined();
		expect(codOf(terms(null), 'unpaid')).toBeUndefined();
		expect(codOf({ ...terms(null), payment_gateway_names: ['COD'] })).toBe(25.1);
	});
});

describe('an order without total_outstanding', () => {
	test.each([
		['paid', undefined],
		['pending', 25.1],
		['authorized', undefined],
	])('derives the amount from the total for the status %s: %p', (financial_status, expected) => {
		expect(codOf({ total_outstanding: null, financial_status })).toBe(expected);
	});

	test('collects the original total of an order without a current total', () => {
		expect(codOf({ total_outstanding: null, current_total_price: null })).toBe(30);
	});

	test.each(['partially_paid', null])(
		'rejects an order with the status %s and no outstanding amount unless nothing is collected',
		(financial_status) => {
			const order = sampleOrder({ ...cashOrder, total_outstanding: null, financial_status });
			const status = financial_status === null ? 'missing' : `"${financial_status}"`;
			expect(problemOf(order, { filters }).message).toBe(unpaidUnknown(status));
			expect(deliveryOf(order, { cod: 'never' }).cod).toBeUndefined();
		},
	);

	test('rejects a cash on delivery order without any total', () => {
		const order = {
			...cashOrder,
			total_outstanding: null,
			current_total_price: null,
			total_price: null,
		};
		expect(problemOf(sampleOrder(order)).message).toBe(unpaidUnknown('"pending"'));
	});
});

test('an unpaid amount is either collected or reported as not collected', () => {
	const statuses = ['paid', 'pending', 'authorized', 'partially_paid', 'refunded', 'voided', null];
	const order = fc.record({
		financial_status: fc.constantFrom(...statuses),
		total_outstanding: fc.constantFrom('25.10', '0.00', '-1.00'),
		payment_gateway_names: fc.subarray(['visa', 'gift_card', 'Cash on Delivery', 'Milkman']),
	});
	const mapping = fc.record({
		cod: fc.constantFrom('never', 'cashOnDeliveryOrders', 'unpaid'),
		cashOnDeliveryMethods: fc.subarray(['Milkman']),
		filters: fc.constant(filters),
	});
	fc.assert(
		fc.property(order, mapping, (changes, options) => {
			const outcome = outcomeOf(sampleOrder(changes), options);
			if (outcome.kind !== 'delivery') throw new Error(JSON.stringify(outcome));
			const { financial_status: status, payment_gateway_names: methods } = changes;
			const isUnpaid =
				changes.total_outstanding === '25.10' &&
				!['paid', 'authorized', 'refunded', 'voided'].includes(status ?? '') &&
				options.cod !== 'never';
			const isByCash =
				methods.includes('Cash on Delivery') ||
				(methods.includes('Milkman') && options.cashOnDeliveryMethods.length > 0);
			const collects = isUnpaid && (options.cod === 'unpaid' || isByCash);
			const isReported = isUnpaid && !collects;
			expect(outcome.delivery.cod).toBe(collects ? 25.1 : undefined);
			expect(outcome.actions?.find(({ code }) => code === 'cashNotCollected')).toEqual(
				isReported ? expect.objectContaining({ methods }) : undefined,
			);
		}),
		{ numRuns: 500 },
	);
});
