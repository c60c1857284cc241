import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod/v4';

import { orderToDelivery } from '../../../nodes/DeliveryService/shopify/toDelivery';
import { toGraphqlOrder, toGraphqlPart } from '../../support/graphqlOrder';
import { samplePart, samplePartLine } from '../../support/sampleFulfillmentOrder';
import { mappingOf, sampleLine, sampleOrder } from '../../support/sampleOrder';
import {
	lineItem,
	mugs,
	payableInCash,
	shippingAddress,
	shopifyOrder,
} from '../../support/shopifyOrders';

const digestsOf = (order: unknown, mapping = {}) =>
	orderToDelivery(order, mappingOf(mapping)).sentAs;

/** An order whose later states differ in what a driver acts on. */
interface Facts {
	to: IDataObject;
	removed: number;
	payment: IDataObject;
	cancelled_at: string | null;
	date: string | null;
	time: string | null;
}

const facts: fc.Arbitrary<Facts> = fc.record({
	to: fc.record({
		name: fc.constantFrom('Maya Okafor', 'Robin Example'),
		address1: fc.constantFrom('214 Larkspur Lane', '7 New Road'),
		address2: fc.constantFrom('Apt 3B', null),
		company: fc.constantFrom('ACME', null),
		zip: fc.constantFrom('62704', '40202'),
		city: fc.constantFrom('Springfield', 'Louisville'),
		province_code: fc.constantFrom('IL', 'KY'),
		country_code: fc.constantFrom('US', 'DE'),
		phone: fc.constantFrom('+1 217-555-0101', '+1 217-555-0102'),
	}),
	removed: fc.integer({ min: 0, max: 2 }),
	payment: fc.constantFrom({}, payableInCash, { ...payableInCash, total_outstanding: '60.50' }),
	cancelled_at: fc.constantFrom(null, '2026-11-24T09:00:00Z'),
	date: fc.constantFrom(null, '2126-12-24', '2126-12-25'),
	time: fc.constantFrom(null, '10-12', '16-18'),
});

function orderOf(one: Facts, more: IDataObject = {}) {
	const { to, removed, payment, cancelled_at } = one;
	const chosen = { 'Delivery Date': one.date, 'Delivery Time': one.time };
	const line = { line_item_id: mugs().id, quantity: removed, restock_type: 'cancel' };
	const left = { current_quantity: 2 - removed, fulfillable_quantity: 2 - removed };
	return shopifyOrder({
		...payment,
		cancelled_at,
		shipping_address: shippingAddress(to),
		note_attributes: Object.entries(chosen).flatMap(([name, value]) =>
			value === null ? [] : [{ name, value }],
		),
		refunds: removed > 0 ? [{ refund_line_items: [line] }] : [],
		line_items: [lineItem(), mugs(left)],
		...more,
	});
}

test('digests are equal from a webhook, REST and GraphQL', () => {
	fc.assert(
		fc.property(facts, (one) => {
			const order = orderOf(one);
			const ofRest = digestsOf(order);
			expect(ofRest?.rest).toHaveLength(12);
			expect(digestsOf({ headers: {}, params: {}, query: {}, body: order })).toEqual(ofRest);
			expect(digestsOf(toGraphqlOrder(order))).toEqual(ofRest);
		}),
	);
});

test('digests of two orders differ exactly if a driver would act in another way', () => {
	const acted = ({ payment, ...rest }: Facts) => {
		const cash = payment.total_outstanding ?? '0';
		const details = rest.cancelled_at === null ? JSON.stringify(rest) : 'stop';
		return { cash, details };
	};
	const fact = fc.constantFrom('removed', 'payment', 'cancelled_at', 'date', 'time');
	const parts = ['name', 'address1', 'address2', 'company', 'zip', 'city', 'province_code'];
	const part = fc.constantFrom(...parts, 'country_code', 'phone');
	fc.assert(
		fc.property(facts, facts, fc.oneof(fact, part), (one, another, changed) => {
			// Only one of them differs, so that each is seen alone.
			const other: Facts =
				changed in one
					? { ...one, [changed]: { ...another }[changed] }
					: { ...one, to: { ...one.to, [changed]: another.to[changed] } };
			const [ofOne, ofOther] = [one, other].map((each) => digestsOf(orderOf(each)));
			const [first, second] = [one, other].map(acted);
			expect(ofOne?.rest === ofOther?.rest).toBe(first?.details === second?.details);
			// What would be sent without cash is not compared by it.
			if (ofOne?.cash !== undefined && ofOther?.cash !== undefined)
				expect(ofOne.cash === ofOther.cash).toBe(first?.cash === second?.cash);
		}),
		{ numRuns: 500 },
	);
});

test('digests ignore settings, case, spaces, coordinates, notes, tags and what has shipped', () => {
	fc.assert(
		fc.property(facts, (one) => {
			const same = orderOf(
				{
					...one,
					to: { ...one.to, city: ` ${z.string().parse(one.to.city).toUpperCase()} `, latitude: 1 },
				},
				{ note: 'Ring twice', tags: 'sent', updated_at: '2026-11-24T09:00:00Z' },
			);
			const settings = {
				fallbackEmail: 'shop@example.com',
				addressFormat: 'text',
				packagesPer: 'unit',
				filters: { sendDaysAhead: 3, payment: 'any', deliveryDateFormat: 'dayFirst' },
			};
			expect(digestsOf(same)).toEqual(digestsOf(orderOf(one)));
			expect(digestsOf(same, settings)?.rest).toBe(digestsOf(orderOf(one))?.rest);
		}),
	);
	const shipped = { status: 'success', line_items: [{ id: lineItem().id, quantity: 1 }] };
	const partly = shopifyOrder({
		line_items: [lineItem({ fulfillable_quantity: 0, fulfillment_status: 'fulfilled' }), mugs()],
		fulfillments: [shipped],
	});
	expect(digestsOf(partly)).toEqual(digestsOf(shopifyOrder()));
});

test('digests of a fulfillment order are equal in REST and GraphQL, and those of its own items', () => {
	const order = sampleOrder({ line_items: [sampleLine({ id: 1 }), sampleLine({ id: 2 })] });
	const part = samplePart({ line_items: [samplePartLine({ line_item_id: 1 })] });
	const edited = sampleOrder({
		line_items: [sampleLine({ id: 1 }), sampleLine({ id: 2 }), sampleLine({ id: 3 })],
	});
	const ofRest = digestsOf({ order, fulfillmentOrder: part });
	expect(ofRest).toBeDefined();
	expect(
		digestsOf({ order: toGraphqlOrder(order), fulfillmentOrder: toGraphqlPart(part) }),
	).toEqual(ofRest);
	expect(digestsOf({ order: edited, fulfillmentOrder: part })).toEqual(ofRest);
	for (const status of ['cancelled', 'error', 'failure']) {
		const fulfillments = [{ status, line_items: [{ id: 1, quantity: 2 }] }];
		const undone = { order: { ...order, fulfillments }, fulfillmentOrder: part };
		expect(digestsOf(undone)).toEqual(ofRest);
	}
});

test('an order without its amounts is not compared, a fulfilled or anonymous one only by its cash', () => {
	const unclear = { financial_status: 'partially_paid', total_outstanding: undefined };
	expect(digestsOf(shopifyOrder(unclear))).toBeUndefined();
	const anonymous = { email: null, contact_email: null, customer: null, phone: null };
	const noAddress = { shipping_address: null, billing_address: null };
	const onlyCash = { cash: '87', held: expect.any(String), stopped: expect.any(String) };
	const hidden = { shipping_address: { name: 'A*** L****', address1: 'Calle Luna 12' } };
	const hiddenParts = {
		shipping_address: { first_name: 'A***', last_name: 'L****', address1: 'Calle Luna 12' },
	};
	for (const changes of [{ ...anonymous, ...noAddress }, hidden, hiddenParts])
		expect(digestsOf(shopifyOrder({ ...payableInCash, ...changes }))).toEqual(onlyCash);
	const canceled = { ...anonymous, ...noAddress, cancelled_at: '2026-11-27T01:00:00Z' };
	expect(digestsOf(shopifyOrder(canceled))).toHaveProperty('rest');
	expect(digestsOf(shopifyOrder(noAddress))).toHaveProperty('rest');
	const shipped = [lineItem(), mugs()].map(({ id, quantity }) => ({ id, quantity }));
	const fulfilled = { fulfillments: [{ status: 'success', line_items: shipped }] };
	expect(digestsOf(shopifyOrder({ ...payableInCash, ...fulfilled }))).toEqual(onlyCash);
});

test('the delivery of a refunded order is to be stopped, unless the order has shipped', () => {
	const refunded = { financial_status: 'refunded', total_outstanding: '0.00' };
	const shipped = { fulfillment_status: 'fulfilled', fulfillable_quantity: 0 };
	const stopOf = (order: IDataObject) => orderToDelivery(order, mappingOf({})).stop;
	expect(stopOf(shopifyOrder(refunded))).toBe('refunded');
	const lines = [lineItem(shipped), mugs(shipped)];
	expect(stopOf(shopifyOrder({ ...refunded, line_items: lines }))).toBeUndefined();
});

test.each(['paid', 'authorized'])(
	'an order that is %s owes nothing, whatever is outstanding',
	(financial_status) => {
		const methods = { payment_gateway_names: ['Cash on Delivery (COD)', 'razorpay'] };
		const order = shopifyOrder({ ...payableInCash, ...methods, financial_status });
		const { laterChanges } = orderToDelivery(order, mappingOf({}));
		expect(laterChanges?.cash).toMatchObject([{ code: 'owedChanged', owed: undefined }]);
		const shipped = { fulfillment_status: 'fulfilled', fulfillable_quantity: 0 };
		const fulfilled = { ...order, line_items: [lineItem(shipped), mugs(shipped)] };
		expect(digestsOf(fulfilled)).toMatchObject({ cash: '' });
	},
);
