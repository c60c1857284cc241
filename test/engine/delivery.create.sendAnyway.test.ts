/** Create From Shopify Orders: what Send Anyway overrides, and what it never does. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { jsonOf, fromOrders, restart, setUp } from '../support/actionNode';
import { samplePart } from '../support/sampleFulfillmentOrder';
import { lineItem, shippingAddress, shopifyOrder } from '../support/shopifyOrders';

const service = setUp();

beforeEach(restart);

/** The outcomes and reasons of a run with these orders. */
async function run(items: IDataObject[], changes: INodeParameters = {}) {
	const { items: output } = await service.run({ ...fromOrders, ...changes }, { items });
	return jsonOf(output).map(({ outcome, reason }) => [outcome, reason]);
}

const unpaid = {
	financial_status: 'pending',
	total_outstanding: '87.00',
	payment_gateway_names: ['bank'],
};
const partOf = (changes: IDataObject): IDataObject => {
	const order = shopifyOrder();
	const lines = [{ line_item_id: lineItem().id, quantity: 1, fulfillable_quantity: 1 }];
	return {
		order,
		fulfillmentOrder: { ...samplePart({ order_id: order.id, line_items: lines, ...changes }) },
	};
};
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test.each<[string, IDataObject, INodeParameters, string]>([
	[
		'a shipping method that is not listed',
		shopifyOrder(),
		{ shippingMethods: 'Van' },
		'shippingMethod',
	],
	[
		'no shipping method',
		shopifyOrder({ shipping_lines: [] }),
		{ shippingMethods: 'Van' },
		'shippingMethod',
	],
	['a tag', shopifyOrder({ tags: 'mail' }), { filters: { excludeTags: 'mail' } }, 'tag'],
	['a test order', shopifyOrder({ test: true }), {}, 'testOrder'],
	['an unpaid order', shopifyOrder(unpaid), {}, 'notPaid'],
	[
		'a payment in parts',
		shopifyOrder({ ...unpaid, financial_status: 'partially_paid' }),
		{},
		'notPaid',
	],
	['an old order', shopifyOrder({ created_at: daysAgo(6) }), {}, 'unseen'],
	[
		'a later delivery date',
		shopifyOrder({ note_attributes: [{ name: 'Delivery Date', value: '2099-12-24' }] }),
		{ filters: { skipUntilDeliveryDate: true } },
		'scheduled',
	],
	[
		'items that are on hold',
		shopifyOrder({ line_items: [lineItem({ fulfillable_quantity: 0 })], fulfillments: [] }),
		{},
		'nothingToShip',
	],
	['a hold', partOf({ status: 'on_hold' }), {}, 'onHold'],
	['a schedule', partOf({ status: 'scheduled' }), {}, 'scheduled'],
	[
		'a mark of store pickup',
		shopifyOrder({ note_attributes: [{ name: 'Checkout-Method', value: 'pickup' }] }),
		{},
		'localPickup',
	],
	['a delivery method', partOf({ delivery_method: { method_type: 'pick_up' } }), {}, 'localPickup'],
])('sends an order in spite of %s, once', async (_, item, changes, reason) => {
	expect(await run([item], changes)).toEqual([['skipped', reason]]);
	expect(await run([item], { ...changes, sendAnyway: true })).toEqual([['created', '']]);
	expect(await run([item], { ...changes, sendAnyway: true })).toEqual([
		['skipped', 'alreadyCreated'],
	]);
	// Later, e.g. in the catch-up, nothing has changed about it.
	const { items } = await service.run({ ...fromOrders, ...changes }, { items: [item] });
	expect(jsonOf(items)).toMatchObject([{ reason: 'alreadyCreated', actionNeeded: '' }]);
	expect(service.existing()).toHaveLength(1);
});

test.each<[string, (changes: IDataObject) => IDataObject, (isHeld: boolean) => IDataObject]>([
	[
		'an order',
		shopifyOrder,
		(isHeld) => ({ line_items: [lineItem({ fulfillable_quantity: isHeld ? 0 : 1 })] }),
	],
	[
		'a fulfillment order',
		({ status, ...changes }) => ({
			...partOf({ status, destination: null }),
			order: shopifyOrder(changes),
		}),
		(isHeld) => ({ status: isHeld ? 'on_hold' : 'open' }),
	],
])('says nothing if the hold of %s that was sent in spite of it ends', async (_, of, state) => {
	const moved = { shipping_address: shippingAddress({ address1: '7 New Road' }) };
	const needed = async (changes: IDataObject) => {
		restart();
		const { items } = await service.run(fromOrders, { items: [of(changes)] });
		return jsonOf(items).map(({ actionNeeded }) => actionNeeded);
	};
	const [held, released] = [true, false].map(state);
	expect(await run([of({ ...held })], { sendAnyway: true })).toEqual([['created', '']]);
	for (const same of [held, released, held]) expect(await needed({ ...same })).toEqual(['']);
	expect(await needed({ ...released, ...moved })).toEqual([
		expect.stringContaining(
			'It is now: Maya Okafor, +1 217-555-0101, maya.okafor@mail.example, 7 New Road',
		),
	]);
	expect(await needed({ ...released, cancelled_at: '2026-11-24T09:00:00Z' })).toEqual([
		expect.stringContaining('was canceled. Ask the Delivery Service to stop it.'),
	]);
	expect(service.existing()).toHaveLength(1);
});

test.each<[string, IDataObject, string]>([
	['canceled', shopifyOrder({ cancelled_at: '2026-11-20T10:00:00Z' }), 'cancelled'],
	['refunded', shopifyOrder({ financial_status: 'refunded' }), 'refunded'],
	['voided', shopifyOrder({ financial_status: 'voided' }), 'voided'],
	[
		'fulfilled',
		shopifyOrder({
			line_items: [lineItem({ fulfillable_quantity: 0, fulfillment_status: 'fulfilled' })],
		}),
		'nothingToShip',
	],
	['closed', partOf({ status: 'closed' }), 'closed'],
])('never sends a %s order', async (_, item, reason) => {
	expect(await run([item], { sendAnyway: true })).toEqual([['skipped', reason]]);
	expect(service.existing()).toEqual([]);
});

test('still sends a refunded order if the filter Payment sends all', async () => {
	const order = shopifyOrder({ financial_status: 'refunded' });
	const filters = { payment: 'any' };
	expect(await run([order], { filters, sendAnyway: true })).toEqual([['created', '']]);
});

test('applies only to the items for which its expression says so', async () => {
	const orders = ['#1', '#2'].map((name, id) => shopifyOrder({ ...unpaid, name, id: id + 1 }));
	const rows = await run(orders, { sendAnyway: '={{ $json.name === "#2" }}' });
	expect(rows).toEqual([
		['skipped', 'notPaid'],
		['created', ''],
	]);
	expect(service.existing()).toEqual(['#2']);
});
