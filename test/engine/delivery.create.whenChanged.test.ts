/** Create From Shopify Orders with When a Sent Order Changes: Update the Delivery. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';

import { jsonOf, fromOrders, restart, restartWithoutWaits, setUp } from '../support/actionNode';
import { samplePart } from '../support/sampleFulfillmentOrder';
import {
	lineItem,
	mugs,
	paidByLink,
	payableInCash,
	shippingAddress,
	shopifyOrder,
} from '../support/shopifyOrders';

const service = setUp();

beforeEach(restart);

/** Runs the node in a new n8n process with one item. @returns its row */
async function run(
	item: IDataObject,
	options: INodeParameters = { whenChanged: 'update' },
	more: INodeParameters = {},
) {
	restartWithoutWaits();
	const { items } = await service.run({ ...fromOrders, ...more, options }, { items: [item] });
	return z.tuple([z.custom<IDataObject>()]).parse(jsonOf(items))[0];
}

const updates = () => service.received('PATCH').map(({ body }) => body);

/** Sends an order, then runs the node with its later state. @returns the later row and the updates */
async function follow(first: IDataObject, later: IDataObject) {
	expect(await run(shopifyOrder(first))).toMatchObject({ outcome: 'created' });
	const { outcome, reason, message, actionNeeded } = await run(shopifyOrder(later));
	const again = await run(shopifyOrder(later));
	expect(again).toMatchObject({ outcome: 'skipped', actionNeeded: '' });
	expect(service.existing()).toEqual(['#1001']);
	return { outcome, reason, message, actionNeeded, updates: updates() };
}

const moved = { shipping_address: shippingAddress({ address1: '7 New Road' }) };
const flags = { recalculatePrice: true, reorderRoute: true, recalculateCity: true };
const contact = {
	name: 'Maya Okafor',
	email: 'maya.okafor@mail.example',
	phonenumber: expect.any(String),
};
const accepted = (what: string) => ({
	outcome: 'updated',
	reason: 'alreadyCreated',
	actionNeeded: '',
	message: `#1001 was changed in Shopify after it was sent. Change accepted: ${what}`,
});

test('sends a corrected address, once', async () => {
	expect(await follow({}, moved)).toEqual({
		...accepted('recipient and address, items'),
		updates: [
			{
				referenceIds: ['#1001'],
				deliveryChanges: {
					contact,
					location: expect.objectContaining({ address: expect.stringContaining('7 New Road') }),
					packages: [expect.objectContaining({ qty: 1 })],
				},
				...flags,
			},
		],
	});
});

test.each([
	['2026-01-01', '2099-12-24', 'date 2099-12-24', true],
	['2026-01-01', '24/12/99', 'date 24/12/99', true],
	['2099-12-24', '2099-12-27', 'date 2099-12-27', false],
	['2099-12-24', '2026-01-01', 'date 2026-01-01', false],
])(
	'tells that an order of %s is now for %s, which no update can set',
	async (first, later, told, skipUntilDeliveryDate) => {
		const runOn = async (date: string) => {
			const order = shopifyOrder({ note_attributes: [{ name: 'Delivery Date', value: date }] });
			return await run(order, { whenChanged: 'update' }, { filters: { skipUntilDeliveryDate } });
		};
		expect(await runOn(first)).toMatchObject({ outcome: 'created' });
		expect(await runOn(later)).toMatchObject({
			outcome: 'updated',
			actionNeeded: expect.stringMatching(
				new RegExp(
					`; delivery ${told}\\..* If the date has changed, tell the Delivery Service\\.$`,
				),
			),
		});
		expect(await runOn(later)).toMatchObject({ outcome: 'skipped', actionNeeded: '' });
		expect(JSON.stringify(updates())).toContain(`Deliver: ${later}`);
	},
);

test('tells no date of an order that is sent when its day comes', async () => {
	const note_attributes = [{ name: 'Delivery Date', value: '2026-01-01' }];
	const filters = { skipUntilDeliveryDate: true };
	await run(shopifyOrder({ note_attributes }), undefined, { filters });
	expect(
		await run(shopifyOrder({ ...moved, note_attributes }), undefined, { filters }),
	).toMatchObject({ outcome: 'updated', actionNeeded: '' });
});

test.each([
	['60.00', { ...payableInCash, total_outstanding: '60.00' }, 60],
	['0.00', paidByLink, 0],
])('sends the cash alone if only that changed: %s', async (cash, later, cod) => {
	expect(await follow(payableInCash, later)).toEqual({
		...accepted(`cash ${cash}`),
		updates: [{ referenceIds: ['#1001'], deliveryChanges: { cod }, ...flags }],
	});
});

test('changes nothing if the order was marked as paid by hand', async () => {
	const marked = { ...paidByLink, payment_gateway_names: ['Cash on Delivery (COD)', 'manual'] };
	expect(await follow(payableInCash, marked)).toMatchObject({
		outcome: 'skipped',
		actionNeeded: '',
		updates: [],
	});
});

test.each([
	['canceled', { cancelled_at: '2026-11-20T10:00:00Z' }, 'was canceled'],
	['refunded', { financial_status: 'refunded', total_outstanding: '0.00' }, 'was fully refunded'],
])('tells that the delivery of a %s order is to be stopped', async (_, later, state) => {
	expect(await follow({}, later)).toMatchObject({
		outcome: 'skipped',
		updates: [],
		actionNeeded: `Order #1001 ${state}. Ask the Delivery Service to stop it.`,
	});
});

test.each([
	['voided', 'has a voided payment'],
	['refunded', 'was fully refunded'],
])('tells the same with Payment: Any, which sends a %s order', async (financial_status, state) => {
	const options = { whenChanged: 'update' };
	const any = { filters: { payment: 'any' } };
	await run(shopifyOrder(payableInCash), options, any);
	const later = shopifyOrder({ ...payableInCash, financial_status, total_outstanding: '0.00' });
	expect(await run(later, options, any)).toMatchObject({
		outcome: 'skipped',
		actionNeeded: expect.stringMatching(
			new RegExp(`${state}\\. Ask the Delivery Service to stop it\\.$`),
		),
	});
	expect(updates()).toEqual([]);
});

test('tells that a held order was released, besides its update', async () => {
	const held = {
		line_items: [lineItem(), mugs()].map((line) => ({ ...line, fulfillable_quantity: 0 })),
	};
	await run(shopifyOrder());
	await run(shopifyOrder(held));
	expect(await run(shopifyOrder(moved))).toMatchObject({
		outcome: 'updated',
		actionNeeded: expect.stringMatching(/^Order #1001 is no longer on hold\. .* to go on\./),
	});
});

test('tells that an order whose delivery was to be stopped is paid again, besides its update', async () => {
	await run(shopifyOrder());
	await run(shopifyOrder({ financial_status: 'voided' }));
	expect(await run(shopifyOrder(moved))).toMatchObject({
		outcome: 'updated',
		actionNeeded: expect.stringMatching(/^Order #1001 is to be delivered again\. .* to go on\./),
	});
});

test('only tells that a fulfilled order was paid by link', async () => {
	const line_items = [lineItem(), mugs()].map((line) => ({
		...line,
		fulfillment_status: 'fulfilled',
		fulfillable_quantity: 0,
	}));
	const shipped = { ...paidByLink, fulfillment_status: 'fulfilled', line_items };
	expect(await follow(payableInCash, shipped)).toMatchObject({
		outcome: 'skipped',
		updates: [],
		actionNeeded: expect.stringMatching(
			/ is paid now, but its delivery collects cash: if the driver has not come yet/,
		),
	});
});

test('leaves the packages of a partly fulfilled order, and tells what they are now', async () => {
	const shipped = {
		...moved,
		line_items: [lineItem({ fulfillment_status: 'fulfilled', fulfillable_quantity: 0 }), mugs()],
		fulfillments: [{ status: 'success', line_items: [{ id: lineItem().id, quantity: 1 }] }],
	};
	const followed = await follow({}, shipped);
	expect(followed).toMatchObject({
		outcome: 'updated',
		actionNeeded: expect.stringMatching(/was changed in Shopify after it was sent. It is now/),
		updates: [{ deliveryChanges: { contact } }],
	});
	expect(JSON.stringify(followed.updates)).not.toContain('packages');
});

describe('a part of an order', () => {
	const partOf = (changes: IDataObject, units = 1, id?: number): IDataObject => {
		const order = shopifyOrder({ ...payableInCash, ...changes });
		const quantities = { quantity: units, fulfillable_quantity: units };
		const line_items = [{ line_item_id: lineItem().id, ...quantities }];
		const named = id === undefined ? {} : { id };
		const part = samplePart({ order_id: order.id, destination: null, line_items, ...named });
		return { order, fulfillmentOrder: { ...part } };
	};

	test('keeps packages of its own, and leaves the other parts alone', async () => {
		expect(await run(partOf({}))).toMatchObject({ outcome: 'created' });
		const { referenceId } = await run(partOf(moved));
		expect(updates()).toMatchObject([
			{ referenceIds: [referenceId], deliveryChanges: { packages: [{ qty: 1, price: 54 }] } },
		]);
	});

	const ofTwo = { quantity: 2, current_quantity: 2, fulfillable_quantity: 2 };
	const twoUnits = { line_items: [lineItem(ofTwo)] };

	test('is updated when its order gets more units, and needs nobody afterwards', async () => {
		expect(await run(partOf({}))).toMatchObject({ outcome: 'created' });
		const grown = partOf(twoUnits, 2);
		expect(await run(grown)).toMatchObject({ outcome: 'updated', actionNeeded: '' });
		expect(updates()).toMatchObject([{ deliveryChanges: { packages: [{ price: 108 }] } }]);
		expect(await run(grown)).toMatchObject({ outcome: 'skipped', actionNeeded: '' });
	});

	test.each(['update', 'tell'])(
		'does not go out again with a unit that it got after sending and that is then split off: %s',
		async (whenChanged) => {
			await run(partOf({}), { whenChanged });
			await run(partOf(twoUnits, 2), { whenChanged });
			const splitOff = partOf(twoUnits, 1, 77);
			expect(await run(splitOff, { whenChanged })).toMatchObject({
				outcome: 'skipped',
				reason: 'alreadyCreated',
				actionNeeded: expect.stringMatching(
					/were sent, or may have been, with another fulfillment order.*has all items. If not, ask/,
				),
			});
			const ofThree = { quantity: 3, current_quantity: 3, fulfillable_quantity: 3 };
			const third = partOf({ line_items: [lineItem(ofThree)] }, 1, 78);
			expect(await run(third, { whenChanged })).toMatchObject({ outcome: 'created' });
		},
	);

	test('needs a person when it gets units of another part, which may be in no delivery', async () => {
		expect(await run(partOf(twoUnits))).toMatchObject({ outcome: 'created' });
		expect(await run(partOf(twoUnits, 2))).toMatchObject({
			outcome: 'skipped',
			actionNeeded: expect.stringMatching(/more items than when it was sent. If its delivery/),
		});
		expect(updates()).toEqual([]);
	});

	test('collects nothing more once the order is paid', async () => {
		expect(await run(partOf({}))).toMatchObject({ outcome: 'created' });
		expect(await run(partOf(paidByLink))).toMatchObject({ outcome: 'updated', cash: 0 });
		expect(updates()).toMatchObject([{ deliveryChanges: { cod: 0 } }]);
	});

	test.each(['60.00', '10.00'])('is told about another amount: %s', async (total_outstanding) => {
		expect(await run(partOf({}))).toMatchObject({ outcome: 'created' });
		expect(await run(partOf({ total_outstanding }))).toMatchObject({
			outcome: 'skipped',
			actionNeeded: expect.stringMatching(/Compare the cash of its deliveries/),
		});
		expect(updates()).toEqual([]);
	});
});

test.each([
	[
		'rejected',
		{ kind: 'status', status: 422, times: null, body: { code: 'E', message: 'No such street' } },
		/#1001 was not updated: .*The service says: No such street \(E\)\. Order/,
	],
	['unknown', { kind: 'resetAfter', times: null }, /It is unknown whether #1001 was updated/],
	[
		'not sent',
		{ kind: 'status', status: 401, times: null },
		/#1001 was not updated: the Delivery Service rejected the API key\. The service says: Unauthorized \(401\)\. Order/,
	],
] as const)('tells the change once if the update is %s', async (_, fault, problem) => {
	await run(shopifyOrder());
	service.control.addFault(fault);
	const row = await run(shopifyOrder(moved));
	expect(row).toMatchObject({ outcome: 'skipped', actionNeeded: expect.stringMatching(problem) });
	expect(row.actionNeeded).not.toMatch(/again/);
	expect(row.actionNeeded).toMatch(
		/\. Order #1001 was changed in Shopify after it was sent\. It is now: .*7 New Road/,
	);
	service.control.reset();
	expect(await run(shopifyOrder(moved))).toMatchObject({ outcome: 'skipped', actionNeeded: '' });
});

test('several executions at once update a delivery once', async () => {
	await run(shopifyOrder());
	await Promise.all([1, 2, 3].map(async () => await run(shopifyOrder(moved))));
	expect(updates()).toHaveLength(1);
});

test('a dry run updates nothing', async () => {
	await run(shopifyOrder());
	await run(shopifyOrder(moved), { whenChanged: 'update', dryRun: true });
	expect(updates()).toEqual([]);
	expect(await run(shopifyOrder(moved))).toMatchObject({ outcome: 'updated' });
});
