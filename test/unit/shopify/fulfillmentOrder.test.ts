import { actionNeeded } from '../../../nodes/DeliveryService/messages/actions';
import { orderToChanges } from '../../../nodes/DeliveryService/shopify/toChanges';
import { toGraphqlOrder, toGraphqlPart } from '../../support/graphqlOrder';
import { samplePart, samplePartLine } from '../../support/sampleFulfillmentOrder';
import {
	deliveryOf,
	mappingOf,
	outcomeOf,
	problemOf,
	sampleAddress,
	sampleLine,
	sampleOrder,
} from '../../support/sampleOrder';
import { payableInCash } from '../../support/shopifyOrders';

type Fields = Record<string, unknown>;

const [id, reference] = ['6700000001001', '#1042-6700000001001'];
const shirts = sampleLine({
	id: 7002,
	name: 'Shirt',
	quantity: 3,
	current_quantity: 3,
	fulfillable_quantity: 3,
	price: '10.00',
	grams: 200,
});

/** An item with an order of two mugs and three shirts, and a fulfillment order. */
function item(part: Fields = {}, order: Fields = {}): Fields {
	const line_items = [sampleLine(), shirts];
	return { order: sampleOrder({ line_items, ...order }), fulfillmentOrder: samplePart(part) };
}

describe('the place of a fulfillment order', () => {
	const order = sampleOrder();
	const part = samplePart();
	const [graphqlOrder, graphqlPart] = [toGraphqlOrder(order), toGraphqlPart(part)];
	/** What Split Out leaves behind. */
	const splitOut = { pageInfo: { hasNextPage: false } };

	test.each<[string, unknown]>([
		['beside its order', { order, fulfillmentOrder: part }],
		['in the order', { ...order, fulfillmentOrder: part }],
		['from GraphQL, beside its order', { order: graphqlOrder, fulfillmentOrder: graphqlPart }],
		['from GraphQL, beside an order from REST', { order, fulfillmentOrder: graphqlPart }],
		['from REST, beside an order from GraphQL', { order: graphqlOrder, fulfillmentOrder: part }],
		[
			'from GraphQL, after Split Out',
			{
				data: { order: { ...graphqlOrder, fulfillmentOrders: splitOut } },
				fulfillmentOrder: graphqlPart,
			},
		],
	])('finds a fulfillment order %s', (_, value) => {
		const found = { ...outcomeOf(value), actions: undefined, needed: '' };
		expect(found).toEqual({
			kind: 'delivery',
			referenceId: reference,
			part: {
				orderReferenceId: '#1042',
				lines: [{ id: '7001', quantity: 2, canceled: 0, fulfilled: 0, units: 2 }],
			},
			createdAt: expect.any(String),
			customer: 'Ana Lopez',
			address: 'Calle Luna 12, Puebla, 72000',
			location: { id: '61000000002', name: 'Harbor Warehouse' },
			shopifyOrder: {
				id: '820982911946154',
				name: '#1042',
				email: 'ana@example.com',
				fulfillmentOrderId: id,
			},
			shippingMethods: [],
			absentMethods: [],
			needed: '',
			delivery: { ...deliveryOf(order), referenceId: reference },
		});
	});

	test('maps an order with an empty list of fulfillment orders as a whole', () => {
		expect(outcomeOf({ order, fulfillment_orders: [] })).toEqual(outcomeOf(order));
	});

	test.each<[string, unknown]>([
		['is empty', { order, fulfillmentOrder: null }],
		['is an empty list', { order, fulfillmentOrder: [] }],
		['has another name', { order, fulfillment_order: part }],
		['is in the body', { headers: {}, body: { order, fulfillment_order: part } }],
		['was split out without a name', { order, fulfillment_orders: part }],
		[
			'was split out under another name',
			{ data: { order: { ...graphqlOrder, fulfillmentOrders: splitOut } }, part: graphqlPart },
		],
		[
			'was split out under its path',
			{
				data: { order: { ...graphqlOrder, fulfillmentOrders: splitOut } },
				'data.order.fulfillmentOrders.nodes': graphqlPart,
			},
		],
	])('reports a field for a fulfillment order that %s', (_, value) => {
		expect(problemOf(value).message).toBe(
			'This order has a field for its fulfillment order, but there is none in it. Check the Split Out node before this node: its Destination Field Name should be "fulfillmentOrder".',
		);
	});

	test('takes no order with other fields for a fulfillment order', () => {
		const value = { ...order, order_id: 7, delivery_method: 'courier', fulfillments: [] };
		expect(outcomeOf(value)).toMatchObject({ kind: 'delivery', referenceId: '#1042' });
	});

	test.each<[string, unknown, string]>([
		['beside the order', { order, fulfillment_orders: [part, part] }, 'fulfillment_orders'],
		['with one entry', { order, fulfillment_orders: [part] }, 'fulfillment_orders'],
		['in its field', { order, fulfillmentOrder: [part, part] }, 'fulfillmentOrder'],
		[
			'in a GraphQL response',
			{ data: { order: { ...graphqlOrder, fulfillmentOrders: { nodes: [graphqlPart] } } } },
			'data.order.fulfillmentOrders.nodes',
		],
	])('names Split Out for a list of fulfillment orders %s', (_, value, field) => {
		expect(problemOf(value).message).toBe(
			`The fulfillment orders of this order are in a list. Add a Split Out node before this node: Fields to Split Out "${field}", Include "All Other Fields", Destination Field Name "fulfillmentOrder".`,
		);
	});

	test.each([
		part,
		graphqlPart,
		{ fulfillment_order: part },
		{ ...part, assigned_location: undefined, delivery_method: null },
		{ ...order, ...part },
		{ ...part, order },
		{ order: graphqlPart },
	])('asks for the order of a fulfillment order without one', (value) => {
		expect(problemOf(value).message).toBe(
			'This is a fulfillment order without its order. Put it in the field "fulfillmentOrder" of the item, and its order in the field "order".',
		);
	});
});

test.each<[string, Fields, string]>([
	['the order ID', { referenceIdFrom: 'id' }, `820982911946154-${id}`],
	['a custom one', { overrides: { referenceId: 'A-7' } }, `A-7-${id}`],
	['a custom one with its ID', { overrides: { referenceId: `F-${id}` } }, `F-${id}`],
	['a custom one with its digits', { overrides: { referenceId: `8${id}` } }, `8${id}-${id}`],
	[
		'a custom one of 40 characters',
		{ overrides: { referenceId: 'x'.repeat(40) } },
		`${'x'.repeat(26)}-${id}`,
	],
])('the reference ID of a fulfillment order contains its ID: %s', (_, mapping, expected) => {
	expect(deliveryOf(item(), mapping).referenceId).toBe(expected);
});

test('the reference ID of the whole order is known if that of the fulfillment order is custom', () => {
	const custom = (referenceId: string) => outcomeOf(item(), { overrides: { referenceId } });
	expect(custom(`F-${id}`)).toMatchObject({ part: { orderReferenceId: '#1042' } });
	expect(custom('A-7')).toMatchObject({ part: { orderReferenceId: 'A-7' } });
});

test('a custom reference ID that does not name the whole order needs the name of the order', () => {
	const nameless = item({}, { name: undefined });
	expect(outcomeOf(nameless, { overrides: { referenceId: `F-${id}` } })).toMatchObject({
		problem: { message: expect.stringMatching(/has no "name" to use as the reference ID/) },
	});
});

describe('what a fulfillment order contains', () => {
	test('is not sent as far as it needs no shipping', () => {
		const line_items = [samplePartLine(), samplePartLine({ line_item_id: 7002 })];
		const order = { line_items: [sampleLine(), { ...shirts, requires_shipping: false }] };
		const { packages } = deliveryOf(item({ line_items }, order), { packagesPer: 'unit' });
		expect(packages.map(({ name }) => name)).toEqual(['Mug - Blue']);
	});

	test('has no price if none of its item was ordered', () => {
		const line_items = [sampleLine({ quantity: 0 })];
		const [found] = deliveryOf(item({}, { line_items })).packages;
		expect(found).toEqual({ name: '#1042', qty: 1, weight: 0.7, size: 'm' });
	});

	test('is skipped if nothing of it is left to ship', () => {
		const line_items = [samplePartLine({ fulfillable_quantity: 0 })];
		const outcome = outcomeOf(item({ line_items }));
		expect(outcome).toMatchObject({ kind: 'skipped', code: 'nothingToShip' });
	});

	test('is sent, though its order lacks an item of which nothing is left', () => {
		const removed = samplePartLine({ line_item_id: 8, fulfillable_quantity: 0 });
		const { packages } = deliveryOf(item({ line_items: [samplePartLine(), removed] }));
		expect(packages).toEqual(deliveryOf(item()).packages);
	});
});

describe('the destination of a fulfillment order', () => {
	const destination = {
		first_name: 'Leo',
		last_name: 'Ruiz',
		phone: '+52 55 3000 4000',
		email: 'leo@example.com',
		address1: 'Calle Sol 5',
		city: 'Cholula',
		province: 'Puebla',
		zip: '72760',
		country: 'Mexico',
	};

	test('replaces the address and the contact of the order', () => {
		expect(deliveryOf(item({ destination })).dropoff).toEqual({
			contact: { name: 'Leo Ruiz', email: 'leo@example.com', phonenumber: '+52 55 3000 4000' },
			location: {
				address: {
					streetName: 'Calle Sol 5',
					city: 'Cholula',
					state: 'Puebla',
					zipcode: '72760',
					country: 'Mexico',
				},
			},
		});
	});

	test.each([null, {}, { first_name: 'Leo' }])(
		'is the address of the order if it has no street (%j)',
		(empty) => {
			const { dropoff } = deliveryOf(sampleOrder());
			expect(deliveryOf(item({ destination: empty })).dropoff).toEqual(dropoff);
		},
	);

	test('is completed by an equal address of the order', () => {
		const { dropoff } = deliveryOf(sampleOrder());
		const part = samplePart();
		const value = { order: sampleOrder(), fulfillmentOrder: { ...part, destination: undefined } };
		expect(deliveryOf(value).dropoff).toEqual(dropoff);
		expect(deliveryOf(item({ status: 'in_progress' })).dropoff).toEqual(dropoff);
	});

	test('names its own recipient at the address of the order', () => {
		const home = { ...sampleAddress(), name: undefined, latitude: null, longitude: null };
		const changed = { ...home, first_name: 'Bo', last_name: 'Kim' };
		const { contact, location } = deliveryOf(item({ destination: changed })).dropoff;
		expect(contact.name).toBe('Bo Kim');
		expect(location).toMatchObject({ lat: '19.0433' });
	});

	test('is needed, or an address of the order', () => {
		const value = item({ destination: null }, { shipping_address: null, shipping_lines: [] });
		expect(problemOf(value).message).toMatch(
			/^Order #1042 \(Harbor Warehouse\) has items to ship, but no shipping address/,
		);
	});

	test('gets the instructions and the phone of a local delivery', () => {
		const additional_information = { instructions: 'Ring twice', phone: '+52 55 9' };
		const part = { delivery_method: { method_type: 'local', additional_information } };
		const { contact, location } = deliveryOf(item(part, { note: 'Gift' })).dropoff;
		expect(contact.phonenumber).toBe('+52 55 9');
		expect(location.instructions).toBe('Ring twice; Gift');
	});
});

describe('the reason to skip a fulfillment order', () => {
	const method = (method_type: string) => ({ delivery_method: { method_type } });

	test.each<[string, Fields, string]>([
		[
			'onHold',
			{
				status: 'on_hold',
				fulfillment_holds: [{ reason: 'awaiting_payment', reason_notes: 'call first' }],
			},
			'is on hold in Shopify (awaiting payment: call first). It will be sent when this workflow gets it again after the hold is released. Nothing to do.',
		],
		[
			'onHold',
			{ status: 'On Hold' },
			'is on hold in Shopify. It will be sent when this workflow gets it again after the hold is released. Nothing to do.',
		],
		[
			'scheduled',
			{ status: 'scheduled', fulfill_at: '2026-12-24T00:00:00-06:00' },
			'is scheduled. It will be sent when this workflow gets it again on or after 2026-12-24. Nothing to do.',
		],
		[
			'scheduled',
			{ status: 'scheduled', fulfill_at: '2026-11-30T15:00:00Z' },
			'is scheduled. It will be sent when this workflow gets it again on or after 2026-11-30 15:00 UTC. Nothing to do.',
		],
		[
			'closed',
			{ status: 'closed' },
			'is closed in Shopify: its items were fulfilled, moved or removed. Nothing to do.',
		],
		[
			'incomplete',
			{ status: 'incomplete' },
			"was closed as incomplete in Shopify: its location couldn't fulfill it. Nothing to do.",
		],
		['cancelled', { status: 'cancelled' }, 'was canceled. Nothing to do.'],
		[
			'localPickup',
			{ ...method('PICK_UP'), status: 'CLOSED' },
			'has the delivery method "Store Pickup", which is not in Delivery Methods under Filters. Nothing to do.',
		],
		[
			'deliveryMethod',
			method('pickup_point'),
			'has the delivery method "Pickup Point", which is not in Delivery Methods under Filters. Nothing to do.',
		],
	])('skips a fulfillment order for the reason %s', (code, part, text) => {
		const message = `Order #1042 (Harbor Warehouse) ${text}`;
		expect(outcomeOf(item(part))).toMatchObject({ kind: 'skipped', code, message });
		const { order, fulfillmentOrder } = item(part);
		const graphql = toGraphqlPart({ ...samplePart(), ...part });
		expect(outcomeOf({ order, fulfillmentOrder: graphql })).toEqual(
			outcomeOf({ order, fulfillmentOrder }),
		);
	});

	test.each(['retail', 'none'])('whose delivery method is %s', (type) => {
		expect(outcomeOf(item(method(type)))).toMatchObject({ code: 'deliveryMethod' });
	});

	test('whose order is canceled, a test, or marked as a pickup by an app', () => {
		const mark = { note_attributes: [{ name: 'Checkout-Method', value: 'pickup' }] };
		for (const [code, order] of [
			['cancelled', { cancelled_at: '2026-03-02T08:47:00Z' }],
			['testOrder', { test: true }],
			['localPickup', mark],
		] as const)
			expect(outcomeOf(item({}, order))).toMatchObject({ kind: 'skipped', code });
	});

	test('but not if its delivery method is chosen or unknown', () => {
		const chosen = { filters: { deliveryMethods: ['pick_up'] } };
		const order = { shipping_lines: [{ title: 'Store Pickup' }] };
		expect(outcomeOf(item(method('pick_up'), order), chosen).kind).toBe('delivery');
		expect(outcomeOf(item(method('shipping')), chosen)).toMatchObject({ code: 'deliveryMethod' });
		expect(outcomeOf(item({ delivery_method: null })).kind).toBe('delivery');
	});
});

describe('an unreadable fulfillment order', () => {
	const prefix = 'Order #1042 (Harbor Warehouse):';
	const of = 'of its fulfillment order';

	test.each<[string, Fields, string]>([
		['status', { status: 'paused' }, `"status" ${of} should be one of open, in_progress, on_hold`],
		[
			'method',
			{ delivery_method: { method_type: 'drone' } },
			`"delivery_method.method_type" ${of} should be`,
		],
		[
			'lines',
			{ line_items: 'none' },
			`"line_items" ${of} should be a list, but is the text "none".`,
		],
		[
			'quantity',
			{ line_items: [samplePartLine({ fulfillable_quantity: null })] },
			`"line_items[0].fulfillable_quantity" ${of} is missing.`,
		],
	])('is reported with its order and the field: %s', (_, part, text) => {
		const outcome = outcomeOf(item(part));
		expect(outcome).toMatchObject({
			kind: 'invalid',
			referenceId: reference,
			shopifyOrder: { name: '#1042', fulfillmentOrderId: id },
		});
		expect(problemOf(item(part)).message).toMatch(`${prefix} ${text}`);
	});

	test('is reported if a GraphQL query left out fields, with those of its order', () => {
		const order = { ...toGraphqlOrder(sampleOrder()), test: undefined };
		const lines = { nodes: [{ line_item_id: { id: 'gid://shopify/LineItem/7001' } }] };
		const part = {
			...toGraphqlPart(samplePart()),
			delivery_method: undefined,
			line_items: lines,
		};
		const { message, description } = problemOf({ order, fulfillmentOrder: part });
		expect(message).toMatch(/^Order #1042 \(Harbor Warehouse\) lacks "test"\. Copy /);
		for (const field of [
			'"fulfillmentOrders.delivery_method"',
			'"fulfillmentOrders.line_items.quantity"',
			'"fulfillmentOrders.line_items.fulfillable_quantity"',
			'"fulfillmentOrders.line_items.pageInfo"',
		])
			expect(description).toContain(field);
	});

	test.each([
		[{}, { line_items: { nodes: [], pageInfo: { hasNextPage: true } } }, 'line_items'],
		[{ fulfillmentOrders: { pageInfo: { hasNextPage: true } } }, {}, ''],
	])('is not sent if the query returned only some of it: %j', (ofOrder, ofPart, list) => {
		const order = { ...toGraphqlOrder(sampleOrder()), ...ofOrder };
		const fulfillmentOrder = { ...toGraphqlPart(samplePart()), ...ofPart };
		const name = ['fulfillmentOrders', list].filter(Boolean).join('.');
		expect(problemOf({ order, fulfillmentOrder })).toEqual({
			message: `Order #1042 (Harbor Warehouse) has more "${name}" than the GraphQL query returned. Raise "first" in the query, up to 250. If it has even more, create its delivery with the operation Create.`,
		});
	});

	test('without a location is called by its ID, and without an ID by the order', () => {
		const unnamed = { assigned_location: null, status: 'paused' };
		expect(problemOf(item(unnamed)).message).toMatch(/^Order #1042 \(fulfillment order 67/);
		expect(problemOf(item({ ...unnamed, id: null })).message).toMatch(/^Order #1042: "id" of its/);
	});

	test('that belongs to another order is not sent', () => {
		expect(problemOf(item({ order_id: 1 })).message).toBe(
			`Fulfillment order ${id} belongs to another order (ID 1) than Order #1042 (ID 820982911946154). Combine each order with its own fulfillment orders, by the order ID.`,
		);
	});

	test('with an item that its order lacks is not sent', () => {
		const line_items = [samplePartLine({ line_item_id: 8 })];
		expect(problemOf(item({ line_items })).message).toBe(
			'Order #1042 (Harbor Warehouse) doesn\'t contain the item with the ID 8 of its fulfillment order. If the order was edited, fetch it again. Request all "line_items" with their IDs in the Shopify node or the query.',
		);
	});
});

describe('the cash for a fulfillment order', () => {
	const unpaid = { ...payableInCash, total_outstanding: '55.00' };
	const mugsPart = {};
	const shirtsPart = {
		id: 2,
		line_items: [samplePartLine({ line_item_id: 7002, quantity: 3, fulfillable_quantity: 3 })],
	};

	test('is everything if no other item needs shipping', () => {
		const line_items = [sampleLine(), { ...shirts, requires_shipping: false }];
		expect(deliveryOf(item(mugsPart, { ...unpaid, line_items })).cod).toBe(55);
	});

	test('is in whole units of the currency', () => {
		const yen = { ...unpaid, currency: 'JPY', total_outstanding: '60', current_total_price: '60' };
		const half = { line_items: [samplePartLine({ quantity: 1, fulfillable_quantity: 1 })] };
		expect(deliveryOf(item(half, yen)).cod).toBe(14);
		expect(deliveryOf(item(shirtsPart, yen)).cod).toBe(30);
	});

	// Two mugs for 25, three shirts for 30, and 5 for the shipping.
	const total = { ...payableInCash, current_total_price: '60.00', currency: 'EUR' };
	const bySale = { line_items: [sampleLine(), shirts], fulfillments: [], ...total };
	const held = { fulfillable_quantity: 0 };
	const fulfilled = { ...held, fulfillment_status: 'fulfilled' };

	test('is the price of its items; the first item adds shipping and all else, by its units', () => {
		const order = { ...bySale, total_outstanding: '60.00' };
		const mugs = (quantity: number) => ({
			line_items: [samplePartLine({ quantity, fulfillable_quantity: quantity })],
		});
		expect(deliveryOf(item(shirtsPart, order)).cod).toBe(30);
		expect(deliveryOf(item(mugs(2), order)).cod).toBe(30);
		expect(deliveryOf(item(mugs(1), order)).cod).toBe(15);
	});

	const paymentUnclear = "the order doesn't say which of its items are paid";
	const feesLost = 'shipping and taxes are collected with an item that was removed from the order';

	test.each<[string, Fields, string, string, number, string]>([
		['nothing is paid', {}, '60.00', '60.00', 30, ''],
		['a deposit is paid', {}, '60.00', '50.00', 20, paymentUnclear],
		['more is paid than it costs', {}, '60.00', '10.00', 0, paymentUnclear],
		['others are on hold', held, '60.00', '60.00', 30, ''],
		['others are fulfilled', fulfilled, '60.00', '60.00', 30, ''],
		['exactly the fulfilled ones are paid', fulfilled, '60.00', '30.00', 30, ''],
		['something else is paid', fulfilled, '60.00', '35.00', 5, paymentUnclear],
		['the first item was removed', { current_quantity: 0 }, '35.00', '35.00', 30, feesLost],
		['half of the first item was removed', { current_quantity: 1 }, '47.50', '47.50', 30, feesLost],
		['the order costs less than its items', {}, '50.00', '50.00', 25, paymentUnclear],
	])(
		'for other items collects at most what is owed if %s',
		(_what, mugs, current_total_price, total_outstanding, cod, why) => {
			const line_items = [sampleLine(mugs), shirts];
			const order = { ...bySale, line_items, total_outstanding, current_total_price };
			const { actions, ...outcome } = outcomeOf(item(shirtsPart, order));
			expect(outcome).toMatchObject({
				delivery: { cod: cod === 0 ? undefined : cod },
				cashOutstanding: Number(total_outstanding),
			});
			const reduced = actions?.filter(({ code }) => code === 'cashReduced');
			expect(actionNeeded(reduced)).toBe(
				why
					? `The order: the driver collects only ${cod.toFixed(2)} EUR of the unpaid ${total_outstanding} EUR, because ${why}. If nobody else collects the rest, set the cash of this delivery with the operation Update.`
					: '',
			);
		},
	);

	test.each([
		[{ price: null }, 'price'],
		[{ discount_allocations: [{ amount: 'x' }] }, 'discount_allocations'],
	])('is an error without the price of an item: %j', (changes, field) => {
		const order = { ...bySale, line_items: [sampleLine(changes), shirts] };
		expect(problemOf(item(shirtsPart, { ...order, total_outstanding: '60.00' }))).toEqual({
			message: `Order #1042 (Harbor Warehouse) doesn't say what the item "Mug - Blue" costs. Request "line_items.${field}" in the Shopify node or the query, or set Cash on Delivery to Never if drivers never collect cash.`,
		});
	});

	test('is never more than what is unpaid if refunded units still ship', () => {
		const refunds = [
			{ refund_line_items: [{ line_item_id: 7001, quantity: 1, restock_type: 'no_restock' }] },
		];
		const line_items = [sampleLine({ current_quantity: 1 })];
		const part = { line_items: [samplePartLine({ quantity: 1, fulfillable_quantity: 1 })] };
		const totals = { current_total_price: '12.50', total_outstanding: '12.50' };
		const order = { ...unpaid, ...totals, line_items, refunds };
		expect(deliveryOf(item(part, order)).cod).toBe(6.25);
		expect(deliveryOf(item({}, order)).cod).toBe(12.5);
		expect(deliveryOf(item(part, { ...order, refunds: undefined })).cod).toBe(6.25);
	});

	test('is none for free items, and an update sets it to 0', () => {
		const line_items = [sampleLine(), { ...shirts, price: '0.00' }];
		const value = item(shirtsPart, { ...unpaid, line_items });
		expect(deliveryOf(value).cod).toBeUndefined();
		expect(orderToChanges(value, mappingOf())).toMatchObject({ changes: { cod: 0 } });
	});
});

describe('an update from a fulfillment order', () => {
	const changesOf = (value: unknown) => orderToChanges(value, mappingOf());

	test.each(['open', 'on_hold', 'scheduled'])('has its recipient and packages (%s)', (status) => {
		expect(changesOf(item({ status }))).toMatchObject({
			kind: 'changes',
			changes: { contact: { name: 'Ana Lopez' }, packages: [{ price: 25 }] },
		});
	});

	test('has no packages once something of it is fulfilled', () => {
		const line_items = [samplePartLine({ fulfillable_quantity: 1 })];
		expect(changesOf(item({ line_items }))).toMatchObject({ changes: { packages: undefined } });
		const others = { line_items: [sampleLine({ fulfillable_quantity: 0 }), shirts] };
		expect(changesOf(item({}, others))).toMatchObject({ changes: { packages: [{ price: 25 }] } });
		const ofService = { line_items: [shirts, sampleLine({ fulfillment_service: 'acme' })] };
		expect(changesOf(sampleOrder(ofService))).toMatchObject({ changes: { packages: undefined } });
	});

	test('names the fields of the order that are missing', () => {
		const order = { ...sampleOrder(), cancelled_at: undefined };
		expect(changesOf(order)).toMatchObject({ actions: [{ code: 'missingFields' }] });
	});

	test('leaves the cash unchanged once something of it is fulfilled, unless the order is paid', () => {
		const unpaid = { ...payableInCash, total_outstanding: '55.00' };
		for (const [status, ...line_items] of [
			['in_progress', samplePartLine({ fulfillable_quantity: 1 })],
			['closed', samplePartLine({ fulfillable_quantity: 0 })],
			['closed'],
		]) {
			const part = { status, line_items };
			expect(changesOf(item(part, unpaid))).toMatchObject({
				changes: { cod: undefined, packages: undefined },
			});
			expect(changesOf(item(part, { ...unpaid, total_outstanding: '0.00' }))).toMatchObject({
				changes: { cod: 0 },
			});
		}
	});

	test('leaves the cash unchanged if what was paid is not the share of the fulfilled items', () => {
		const line_items = [sampleLine({ fulfillable_quantity: 0 }), shirts];
		const order = { ...payableInCash, line_items, current_total_price: '55.00' };
		const line = { line_item_id: 7002, quantity: 3, fulfillable_quantity: 3 };
		for (const [total_outstanding, cod] of [
			['55.00', 30],
			['30.00', 30],
			['40.00', undefined],
		]) {
			const value = item({ line_items: [samplePartLine(line)] }, { ...order, total_outstanding });
			expect(changesOf(value)).toMatchObject({ changes: { cod } });
		}
	});

	test.each([0, 1])(
		'changes neither packages nor cash if the query leaves out the assigned units, with %s left',
		(left) => {
			const line_items = [samplePartLine({ quantity: undefined, fulfillable_quantity: left })];
			const { order } = item({}, { ...payableInCash, total_outstanding: '55.00' });
			const fulfillmentOrder = samplePart({ line_items });
			const changes = changesOf({ order, fulfillmentOrder });
			expect(changes).toMatchObject({ kind: 'changes', changes: { contact: {}, location: {} } });
			expect(changes).toMatchObject({ changes: { packages: undefined, cod: undefined } });
		},
	);

	test.each<[string, unknown, Fields]>([
		[reference, item(), {}],
		[`820982911946154-${id}`, item(), { referenceIdFrom: 'id' }],
		[`A-7-${id}`, item(), { overrides: { referenceId: 'A-7' } }],
		['#1042', sampleOrder(), {}],
		['1042', sampleOrder(), { referenceIdFrom: 'orderNumber' }],
	])('is for the delivery with the reference ID that Create uses: %s', (own, value, mapping) => {
		expect(orderToChanges(value, mappingOf(mapping))).toMatchObject({ referenceId: own });
		expect(outcomeOf(value, mapping)).toMatchObject({ referenceId: own });
	});

	test('leaves out what the order lacks, and says so', () => {
		const nobody = { name: null, first_name: null, last_name: null, address1: null, phone: null };
		const order = sampleOrder({
			email: null,
			contact_email: null,
			shipping_address: sampleAddress(nobody),
			note: 'x',
			customer: { phone: '7' },
		});
		expect(changesOf(order)).toMatchObject({
			kind: 'changes',
			changes: { contact: { phonenumber: '7' }, packages: [{ qty: 1 }], cod: 0 },
			actions: [{ code: 'notUpdated', fields: ['address'] }],
		});
		expect(changesOf(order)).not.toHaveProperty('changes.location');
		expect(changesOf({ ...order, customer: null })).toMatchObject({
			actions: [{ code: 'notUpdated', fields: ['recipient', 'address'] }],
		});
	});

	const owed = { ...payableInCash, total_outstanding: '55.00' };
	const byCard = { payment_gateway_names: ['shopify_payments'] };

	test.each<[Fields, Fields, number | undefined]>([
		[{}, owed, 55],
		[{}, { ...owed, financial_status: 'paid', total_outstanding: null }, 0],
		[{}, { ...owed, financial_status: 'refunded' }, 0],
		[{}, { ...owed, ...byCard }, 0],
		[{ cod: 'never' }, { ...owed, total_outstanding: '0.00' }, 0],
		[{ cod: 'never' }, owed, undefined],
		[{}, { ...byCard, financial_status: 'partially_paid', total_outstanding: null }, undefined],
	])('with %j sets the cash of an order with %j to %p', (mapping, order, cod) => {
		const changes = orderToChanges(sampleOrder(order), mappingOf(mapping));
		expect(changes).toMatchObject({ kind: 'changes', changes: { cod } });
	});

	test('reports which payment methods of an unpaid order are not collected', () => {
		const deposit = { ...owed, payment_gateway_names: ['Bank Deposit'] };
		expect(changesOf(sampleOrder(deposit))).toMatchObject({
			actions: [
				{
					code: 'cashNotCollected',
					methods: ['Bank Deposit'],
					unknownMethods: [],
					unpaid: '55.00 MXN',
				},
			],
		});
	});

	test('replaces the instructions of the old address', () => {
		for (const [note, instructions] of [
			['Gate 4', 'Gate 4'],
			[null, 'Order #1042'],
		])
			expect(changesOf(sampleOrder({ note }))).toMatchObject({
				changes: { location: { instructions } },
			});
	});

	test('is not made if the unpaid amount is unknown', () => {
		const unknown = { financial_status: 'partially_paid', total_outstanding: null };
		expect(changesOf(sampleOrder({ ...payableInCash, ...unknown })).kind).toBe('invalid');
	});

	test('reports an address without coordinates, unless coordinates are not sent', () => {
		const order = sampleOrder({ shipping_address: sampleAddress({ latitude: null }) });
		expect(changesOf(order)).toMatchObject({ actions: [{ code: 'noCoordinates' }] });
		const unsent = orderToChanges(order, mappingOf({ includeCoordinates: false }));
		expect(unsent).toMatchObject({ actions: [] });
	});

	test('is not made if it is canceled', () => {
		expect(changesOf(item({ status: 'cancelled' }))).toMatchObject({
			kind: 'skipped',
			code: 'cancelled',
		});
	});
});
