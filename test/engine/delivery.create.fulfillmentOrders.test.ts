/** Delivery: Create from Shopify's fulfillment orders. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';

import { jsonOf, fromOrders, restartWithoutWaits, setUp } from '../support/actionNode';
import { pickup } from '../support/sampleDelivery';
import { samplePart } from '../support/sampleFulfillmentOrder';
import {
	lineItem,
	mugs,
	payableInCash,
	shippingAddress,
	shopifyOrder,
} from '../support/shopifyOrders';

const service = setUp();

beforeEach(restartWithoutWaits);

const order = shopifyOrder({
	...payableInCash,
	current_total_price: '87.00',
	total_outstanding: '87.00',
	line_items: [lineItem(), mugs()],
});

/** An item with a fulfillment order of one line. */
function partOf(line: IDataObject, changes: IDataObject = {}): IDataObject {
	const { id, quantity } = line;
	const lines = [{ line_item_id: id, quantity, fulfillable_quantity: quantity }];
	const part = { order_id: order.id, destination: null, line_items: lines, ...changes };
	return { order, fulfillmentOrder: { ...samplePart(part) } };
}

const harbor = { assigned_location: { location_id: 2, name: 'Harbor Warehouse' } };
const store = { assigned_location: { location_id: 1, name: 'Main Street Store' } };
const items = [partOf(lineItem(), { id: 11, ...store }), partOf(mugs(), { id: 12, ...harbor })];

const tableWith = (entry: INodeParameters[], others: INodeParameters[] = []) => ({
	...fromOrders,
	pickupDetails: { pickupByLocation: { entry, others } },
});

const requestShape = z.object({
	deliveries: z.array(
		z.object({
			referenceId: z.string(),
			pickup: z.object({ location: z.unknown() }),
			packages: z.tuple([z.object({ price: z.number() })]),
			cod: z.number().optional(),
		}),
	),
});

/** The deliveries that the service received. */
const received = () =>
	service
		.creations()
		.flatMap((body) => requestShape.parse(body).deliveries)
		.map(({ referenceId, pickup: { location }, packages: [{ price }], cod }) => ({
			referenceId,
			location,
			price,
			cod,
		}));

test('creates a delivery per fulfillment order, with its pickup and the price of its items in cash', async () => {
	const row = { shopifyLocation: 'Harbor Warehouse', warehouse: '7' };
	const others = [{ pickupType: 'address', address: pickup.location.address }];
	const run = { ...tableWith([row], others), options: { simplify: false } };
	const { items: output, hints } = await service.run(run, { items });

	expect(received()).toEqual([
		{ referenceId: '#1001-11', location: pickup.location, price: 54, cod: 60.9 },
		{ referenceId: '#1001-12', location: { warehouse: 7 }, price: 26.1, cod: 26.1 },
	]);
	expect(jsonOf(output)).toMatchObject(
		[
			['11', 60.9],
			['12', 26.1],
		].map(([fulfillmentOrderId, cashToCollect]) => ({
			referenceId: `#1001-${fulfillmentOrderId}`,
			shopifyOrder: { id: '5600007927919', name: '#1001', fulfillmentOrderId },
			cashToCollect,
			cashOutstanding: 87,
		})),
	);
	expect(hints.map(({ message }) => message)).toEqual(['Created 2 deliveries.']);
});

test('creates the deliveries of one order once, also in different runs', async () => {
	const [first = {}, second = {}] = items;
	await service.run(fromOrders, { items: [first, first] });
	const { items: output } = await service.run(fromOrders, { items: [second, first] });

	expect(received().map(({ referenceId, cod }) => [referenceId, cod])).toEqual([
		['#1001-11', 60.9],
		['#1001-12', 26.1],
	]);
	expect(jsonOf(output)).toMatchObject([{ id: expect.anything() }, { reason: 'alreadyCreated' }]);
});

test('skips what is not delivered, and creates it once its hold is released', async () => {
	const held = partOf(mugs(), { id: 12, ...harbor, status: 'on_hold' });
	const pickedUp = partOf(lineItem(), { id: 11, delivery_method: { method_type: 'pick_up' } });
	const { items: output } = await service.run(fromOrders, { items: [pickedUp, held] });

	expect(service.creations()).toEqual([]);
	expect(jsonOf(output)).toMatchObject([
		{ outcome: 'skipped', reason: 'localPickup', referenceId: '#1001-11' },
		{
			outcome: 'skipped',
			reason: 'onHold',
			message: expect.stringContaining('(Harbor Warehouse)'),
		},
	]);
	for (let run = 0; run < 2; run++) await service.run(fromOrders, { items });
	expect(received().map(({ referenceId }) => referenceId)).toEqual(['#1001-11', '#1001-12']);
});

test('asks a person to stop or check a sent delivery whose order is held, canceled, moved or larger', async () => {
	const held = partOf(mugs(), { id: 12, ...harbor, status: 'on_hold' });
	const run = async (...input: IDataObject[]) =>
		jsonOf((await service.run(fromOrders, { items: input })).items).map(
			({ actionNeeded }) => actionNeeded,
		);
	expect(await run(held)).toEqual(['']);
	await run(...items);
	const stop = (label: string, state: string) =>
		`Order #1001${label} ${state}. Ask the Delivery Service to stop it.`;
	expect(await run(held)).toEqual([
		'Order #1001 (Harbor Warehouse) is on hold. Ask the Delivery Service to stop it until the hold is released.',
	]);
	const canceled = { ...order, cancelled_at: '2026-11-24T09:00:00Z' };
	expect(await run(canceled)).toEqual([stop('', 'was canceled')]);
	const ofChild = { ...fromOrders, options: { companyId: '={{ $json.company }}' } };
	const [child, canceledChild] = [{ id: 9, name: '#9' }, canceled].map((changes) =>
		[1001, 1002].map((company) => ({ ...order, ...changes, id: 9, name: '#9', company })),
	);
	await service.run(ofChild, { items: child });
	expect(jsonOf((await service.run(ofChild, { items: canceledChild })).items)).toMatchObject(
		[1001, 1002].map(() => ({ actionNeeded: expect.stringContaining('to stop it') })),
	);
	const closed = partOf(mugs(), { id: 12, ...harbor, status: 'closed' });
	expect(await run(closed)).toEqual([
		`${stop(' (Harbor Warehouse)', 'was closed')} This is change 2 of the order.`,
	]);
	const fulfilled = { line_items: [{ id: mugs().id, quantity: 2 }] };
	expect(await run({ ...closed, order: { ...order, fulfillments: [fulfilled] } })).toEqual(['']);
	expect(await run(partOf(mugs(), { id: 13, ...store }))).toEqual([
		expect.stringMatching(
			/Check whether that delivery starts at Main Street Store and has all items\. If not, ask the Delivery Service to correct it\.$/,
		),
	]);
	const added = lineItem({ id: 13200000000099 });
	const lines = [mugs(), added].map(({ id, quantity }) => ({
		line_item_id: id,
		quantity,
		fulfillable_quantity: quantity,
	}));
	const larger = partOf(mugs(), { id: 12, ...harbor, line_items: lines });
	expect(
		await run({ ...larger, order: { ...order, line_items: [lineItem(), mugs(), added] } }),
	).toEqual([
		expect.stringMatching(/It is now: .*; 2 × .*, 1 × .*This is change 3 of the order\.$/),
	]);
});

test('tells once that all items of a sent order were removed, also from its fulfillment order', async () => {
	const removed = [lineItem(), mugs()].map((line) => ({
		...line,
		current_quantity: 0,
		fulfillable_quantity: 0,
	}));
	const needed = async (changes: IDataObject, line_items: IDataObject[]) => {
		const item = { ...partOf(mugs(), { id: 12, line_items }), order: { ...order, ...changes } };
		return jsonOf((await service.run(fromOrders, { items: [item] })).items)[0]?.actionNeeded;
	};
	const line = { line_item_id: mugs().id, quantity: 2, fulfillable_quantity: 2 };
	expect(await needed({}, [line])).toBe('');
	// Its items may have moved to another fulfillment order, and its delivery brings them.
	expect(await needed({}, [])).toBe('');
	expect(await needed({ line_items: removed }, [])).toBe(
		'Order #1001 (Harbor Warehouse) has no items left. Ask the Delivery Service to stop it.',
	);
	expect(await needed({ line_items: removed }, [])).toBe('');
	expect(service.existing()).toEqual(['#1001-12']);
});

test('tells that all items of a sent fulfillment order were removed, though its order has others', async () => {
	const needed = async (changes: IDataObject, part: IDataObject) => {
		const item = { ...partOf(mugs(), { id: 12, ...part }), order: { ...order, ...changes } };
		return jsonOf((await service.run(fromOrders, { items: [item] })).items)[0]?.actionNeeded;
	};
	expect(await needed({}, {})).toBe('');
	const removed = mugs({ current_quantity: 0, fulfillable_quantity: 0 });
	const line = { line_item_id: mugs().id, quantity: 0, fulfillable_quantity: 0 };
	expect(await needed({ line_items: [lineItem(), removed] }, { line_items: [line] })).toBe(
		'Order #1001 (Harbor Warehouse) has no items left. Ask the Delivery Service to stop it.',
	);
});

test('names only its own units of a sent fulfillment order that has changed', async () => {
	const line = { line_item_id: mugs().id, quantity: 1, fulfillable_quantity: 1 };
	const part = partOf(mugs(), { id: 12, line_items: [line] });
	await service.run(fromOrders, { items: [part] });
	const moved = { ...order, shipping_address: shippingAddress({ address1: '7 New Road' }) };
	const { items: output } = await service.run(fromOrders, { items: [{ ...part, order: moved }] });
	expect(jsonOf(output)).toMatchObject([
		{ actionNeeded: expect.stringMatching(/; 1 × Stoneware Mug - Blue\. Correct its/) },
	]);
});

test('creates the others if a fulfillment order is unreadable, and fails', async () => {
	const unreadable = partOf(lineItem(), { id: 11, status: 'paused' });
	const run = { items: [unreadable, ...items.slice(1)] };
	const { error } = await service.run(fromOrders, run);
	expect(error?.message).toMatch(
		/^Order #1001 .*"status" of its fulfillment order should be one of .*\(1 of 2 deliveries created, 1 not sent\)/,
	);
	expect(received().map(({ referenceId }) => referenceId)).toEqual(['#1001-12']);
});

test('updates the delivery of a fulfillment order with its items and their price in cash', async () => {
	await service.run(fromOrders, { items });
	const { error } = await service.run(
		{
			resource: 'delivery',
			operation: 'update',
			changesFrom: 'shopifyOrder',
		},
		{ items: items.slice(1) },
	);

	expect(error).toBeUndefined();
	expect(service.received('PATCH').map(({ body }) => body)).toMatchObject([
		{ referenceIds: ['#1001-12'], deliveryChanges: { packages: [{ price: 26.1 }], cod: 26.1 } },
	]);
});

describe('units of an order that were already sent', () => {
	const oneMug = (id: number) => {
		const lines = [{ line_item_id: mugs().id, quantity: 1, fulfillable_quantity: 1 }];
		return partOf(mugs(), { id, line_items: lines });
	};

	async function run(...input: IDataObject[]): Promise<IDataObject[]> {
		const { items: output, error } = await service.run(fromOrders, {
			items: input,
			onError: 'continueRegularOutput',
		});
		expect(error).toBeUndefined();
		return jsonOf(output);
	}

	const skipped = (id: number) => ({
		outcome: 'skipped',
		reason: 'alreadyCreated',
		referenceId: `#1001-${id}`,
		message: `#1001-${id} was skipped: its items were sent, or may have been, with another fulfillment order of #1001.`,
	});

	test('skips a fulfillment order that replaces a sent one, or is split off it', async () => {
		expect(await run(partOf(mugs(), { id: 11 }))).toMatchObject([{ outcome: 'created' }]);
		const later = [partOf(mugs(), { id: 12, ...harbor }), oneMug(13), oneMug(14)];
		expect(await run(...later)).toMatchObject([skipped(12), skipped(13), skipped(14)]);
		expect(received()).toHaveLength(1);
	});

	test('rejects a fulfillment order whose units were sent in part, until they are separate', async () => {
		await run(oneMug(11));
		const [merged] = await run(partOf(mugs(), { id: 12 }));
		expect(merged).toMatchObject({
			outcome: 'notSent',
			message: expect.stringMatching(
				/^#1001-12 was not sent: some of its items were sent, or may have been, .* of #1001\. In Shopify, split it/,
			),
		});
		expect(await run(oneMug(13))).toMatchObject([{ outcome: 'created' }]);
	});

	test('rejects the whole order after its parts, and skips its parts after the whole order', async () => {
		await run(partOf(mugs(), { id: 12 }));
		expect(await run(order)).toMatchObject([
			{
				outcome: 'notSent',
				message: expect.stringMatching(
					/^#1001 was not sent: this workflow has already started to send it by fulfillment order\. .*use Allow Resending for #1001\.$/,
				),
			},
		]);

		const whole = shopifyOrder({ id: 2, name: '#1002', line_items: [mugs()] });
		const part = { ...partOf(mugs(), { id: 21, order_id: 2 }), order: whole };
		expect(await run(whole, part)).toMatchObject([
			{ outcome: 'created' },
			{ outcome: 'skipped', reason: 'sameOrderInInput' },
		]);
		expect(await run(part)).toMatchObject([{ outcome: 'skipped', reason: 'alreadyCreated' }]);
	});

	test("sends whole orders and parts again after Allow Resending for the order's reference", async () => {
		const otherShop = { ...order, id: 77 };
		const allow = async () =>
			await service.run({
				resource: 'delivery',
				operation: 'allowResending',
				referenceIds: '#1001',
			});
		await run(...items);
		await allow();
		expect(await run(...items)).toMatchObject([{ outcome: 'created' }, { outcome: 'created' }]);
		await allow();
		expect(await run(otherShop)).toMatchObject([{ outcome: 'created' }]);
		await allow();
		expect(await run(order)).toMatchObject([{ outcome: 'created' }]);
		expect(await run(...items)).toMatchObject([
			{ reason: 'alreadyCreated' },
			{ reason: 'alreadyCreated' },
		]);
		expect(received()).toHaveLength(6);
	});
});
