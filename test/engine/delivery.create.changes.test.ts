import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod/v4';

import {
	fromOrders,
	jsonOf,
	orderParameters,
	outcomesOf,
	restart,
	setUp,
} from '../support/actionNode';
import {
	lineItem,
	mugs,
	paidByLink,
	payableInCash,
	refund,
	shippingAddress,
	shopifyOrder,
} from '../support/shopifyOrders';

/* An order that was sent comes in again with something changed that a driver acts on. */

const service = setUp();

beforeEach(restart);

/** Runs the node in a new n8n process with one order. @returns its row */
async function run(order: IDataObject, options: INodeParameters = {}): Promise<IDataObject> {
	restart();
	const { items } = await service.run({ ...fromOrders, options }, { items: [order] });
	return z.tuple([z.custom<IDataObject>()]).parse(jsonOf(items))[0];
}

/** Sends an order, then runs the node with each of its later states. @returns what needs a person */
async function follow(first: IDataObject, ...later: IDataObject[]): Promise<unknown[]> {
	expect(await run(shopifyOrder(first))).toMatchObject({ outcome: 'created' });
	const needed: unknown[] = [];
	for (const changes of later) {
		const row = await run(shopifyOrder(changes));
		expect(row).toMatchObject({ outcome: 'skipped', reason: 'alreadyCreated' });
		needed.push(row.actionNeeded);
		if (row.actionNeeded === '') expect(row.message).toBe('#1001 was already sent. Nothing to do.');
	}
	expect(service.existing()).toEqual(['#1001']);
	return needed;
}

const markedAsPaid = { ...paidByLink, payment_gateway_names: ['Cash on Delivery (COD)', 'manual'] };
const fulfilled = {
	fulfillment_status: 'fulfilled',
	line_items: [lineItem(), mugs()].map((line) => ({
		...line,
		fulfillment_status: 'fulfilled',
		fulfillable_quantity: 0,
	})),
	fulfillments: [
		{
			status: 'success',
			line_items: [lineItem(), mugs()].map(({ id, quantity }) => ({ id, quantity })),
		},
	],
};

const noCash =
	'Order #1001 is paid now, but its delivery collects cash: set the cash of this delivery to 0 with the operation Update.';
const cashOf = (amount: string) =>
	`Order #1001 changed after it was sent: the customer now owes ${amount}, and its delivery collects another amount. So set the cash of this delivery to ${amount} with the operation Update.`;
/** What the message about a later change ends with. */
const isChange = (number: number) => ` This is change ${number} of the order.`;
const released =
	'Order #1001 is no longer on hold. If you had its delivery stopped, ask the Delivery Service to go on.';
const again = released.replace('is no longer on hold', 'is to be delivered again');
const compare = (order: string) =>
	`Order #1001 was changed in Shopify after it was sent. It is now: ${order}. Correct its delivery with the operation Update.`;
const recipient =
	'Maya Okafor, +1 217-555-0101, maya.okafor@mail.example, 214 Larkspur Lane, Apt 3B, Springfield, 62704, Illinois; ';
const items = '1 × Linen Tablecloth - Sand / 150 x 250 cm, 2 × Stoneware Mug - Blue';
const stop = (state: string) => `Order #1001 ${state}. Ask the Delivery Service to stop it.`;
const wait =
	'Order #1001 is on hold. Ask the Delivery Service to stop it until the hold is released.';

describe('cash', () => {
	test('says once that an order sent with cash was paid by link', async () => {
		expect(await follow(payableInCash, payableInCash, paidByLink, paidByLink)).toEqual([
			'',
			noCash,
			'',
		]);
	});

	test('says what is owed now, also after a change back', async () => {
		const less = { ...payableInCash, total_outstanding: '60.00' };
		expect(await follow(payableInCash, less, less, payableInCash, less)).toEqual([
			cashOf('60.00 USD'),
			'',
			cashOf('87.00 USD') + isChange(2),
			cashOf('60.00 USD') + isChange(3),
		]);
	});

	test('says nothing if the order was marked as paid by hand: the driver brought the cash', async () => {
		expect(await follow(payableInCash, markedAsPaid)).toEqual(['']);
	});

	test('says that a fulfilled order was paid by link, whose driver may not have come yet', async () => {
		expect(await follow(payableInCash, { ...paidByLink, ...fulfilled })).toEqual([
			noCash.replace(': set', ': if the driver has not come yet, set'),
		]);
	});

	test.each([
		['moved', { shipping_address: shippingAddress({ address1: '7 New Road' }) }],
		['marked as paid by hand', markedAsPaid],
		['returned in part', { total_outstanding: '40.00' }],
		['refunded', { financial_status: 'refunded', total_outstanding: '0.00' }],
	])('says nothing about a fulfilled order that is %s', async (_, later) => {
		expect(await follow(payableInCash, { ...payableInCash, ...later, ...fulfilled })).toEqual(['']);
	});

	test('says that nothing is owed once the card of a customer is charged later', async () => {
		const payment_gateway_names = ['Cash on Delivery (COD)', 'shopify_payments'];
		const authorized = { ...payableInCash, financial_status: 'authorized', payment_gateway_names };
		expect(await follow(payableInCash, authorized)).toEqual([noCash]);
	});

	test('says that nothing is owed of an order that became free', async () => {
		const free = {
			financial_status: 'paid',
			total_outstanding: '0.00',
			current_total_price: '0.00',
		};
		expect(await follow(payableInCash, { ...payableInCash, ...free })).toEqual([noCash]);
	});

	test('says that an open return may change what is owed', async () => {
		const returned = { ...payableInCash, return_status: 'in_progress' };
		expect(await follow(payableInCash, returned)).toEqual([
			'Order #1001 has an open return. Shopify says that the customer now owes 87.00 USD, and the return may change that. If the driver should collect another amount than before, set the cash of this delivery with the operation Update.',
		]);
	});

	test('compares no cash of a delivery that was sent without', async () => {
		const refunded = { total_outstanding: '5.00', financial_status: 'partially_paid' };
		expect(await follow({}, refunded)).toEqual(['']);
	});
});

describe('address and items', () => {
	test('names a corrected address once, and the change back', async () => {
		const moved = { shipping_address: shippingAddress({ address1: '7 New Road' }) };
		const changed = compare(recipient.replace('214 Larkspur Lane', '7 New Road') + items);
		expect(await follow({}, moved, moved, {})).toEqual([
			changed,
			'',
			compare(recipient + items) + isChange(2),
		]);
	});

	test.each([
		['name', { first_name: 'Ana', name: 'Ana Okafor' }, 'Maya Okafor', 'Ana Okafor'],
		['phone', { phone: '+1 217-555-0199' }, '+1 217-555-0101', '+1 217-555-0199'],
		['company', { company: 'Larch Ltd' }, '214 Lark', 'Larch Ltd, 214 Lark'],
		['ZIP code', { zip: '62705' }, '62704', '62705'],
		['state', { province: 'Iowa', province_code: 'IA' }, 'Illinois', 'Iowa'],
	])('names a corrected %s', async (_, change, before, after) => {
		const corrected = { shipping_address: shippingAddress(change) };
		expect(await follow({}, corrected)).toEqual([
			compare(recipient.replace(before, after) + items),
		]);
	});

	test('ignores that the sales channel hides the recipient later, but not that the order is canceled', async () => {
		const hidden = { shipping_address: shippingAddress({ name: 'M*** O***', address1: '******' }) };
		const canceled = { ...hidden, cancelled_at: '2026-11-27T01:00:00Z' };
		expect(await follow({}, hidden, {}, canceled)).toEqual(['', '', stop('was canceled')]);
	});

	test('names a corrected email address', async () => {
		const email = 'ana@mail.example';
		expect(await follow({}, { email, contact_email: email })).toEqual([
			compare(recipient.replace('maya.okafor@mail.example', email) + items),
		]);
	});

	test('names the items of an edited order', async () => {
		const edited = { line_items: [lineItem(), mugs({ quantity: 3, current_quantity: 3 })] };
		expect(await follow({}, edited)).toEqual([compare(recipient + items.replace('2 ×', '3 ×'))]);
	});

	test('names a new delivery date', async () => {
		const dated = { note_attributes: [{ name: 'Delivery Date', value: '2026-12-24' }] };
		expect(await follow({}, dated)).toEqual([
			`${compare(`${recipient}${items}; delivery date 2026-12-24`)} If the date has changed, tell the Delivery Service.`,
		]);
	});

	test('names a new delivery time', async () => {
		const slot = (value: string) => ({ note_attributes: [{ name: 'Delivery Time', value }] });
		expect(await follow(slot('10-12'), slot('16-18'))).toEqual([
			`${compare(`${recipient}${items}; delivery time 16-18`)} If the time has changed, tell the Delivery Service.`,
		]);
	});

	test('names a new delivery date with its time', async () => {
		const slot = (value: string) => ({ note_attributes: [{ name: 'Delivery Date', value }] });
		expect(await follow({}, slot('Thu, 24 Dec 2026, 10-12'))).toEqual([
			expect.stringContaining('; delivery date 2026-12-24, Thu, 24 Dec 2026, 10-12. Correct'),
		]);
	});

	test('ignores coordinates, notes, tags, case and spaces, and partly fulfilled items', async () => {
		const same = {
			note: 'Ring twice',
			tags: 'sent',
			shipping_address: shippingAddress({ city: ' SPRINGFIELD', latitude: null, longitude: null }),
			line_items: [lineItem({ fulfillment_status: 'fulfilled', fulfillable_quantity: 0 }), mugs()],
			fulfillments: [{ status: 'success', line_items: [{ id: lineItem().id, quantity: 1 }] }],
		};
		expect(await follow({}, same)).toEqual(['']);
	});
});

describe('delivery to be stopped', () => {
	const held = {
		line_items: [lineItem(), mugs()].map((line) => ({ ...line, fulfillable_quantity: 0 })),
	};

	test('says once that a sent order is on hold, and that it was released', async () => {
		expect(await follow({}, held, held, {})).toEqual([wait, '', released + isChange(2)]);
	});

	test('names what has changed when a hold ends, and nothing that has not', async () => {
		const moved = { shipping_address: shippingAddress({ address1: '7 New Road' }) };
		const changed = compare(recipient.replace('214 Larkspur Lane', '7 New Road') + items);
		expect(await follow({}, held, { ...moved, ...held }, moved, held, moved)).toEqual([
			wait,
			'',
			`${released} ${changed}${isChange(2)}`,
			`${wait}${isChange(3)}`,
			released + isChange(4),
		]);
	});

	test('says once that a sent order was canceled, also if it is refunded next', async () => {
		const canceled = { ...payableInCash, cancelled_at: '2026-11-24T09:00:00Z' };
		const refunded = {
			...canceled,
			financial_status: 'refunded',
			total_outstanding: '0.00',
			refunds: [refund(lineItem().id, 1)],
		};
		expect(await follow(payableInCash, canceled, refunded)).toEqual([stop('was canceled'), '']);
	});

	test('says that an order was canceled of which it is unknown whether it was sent', async () => {
		service.control.addFault({ kind: 'resetBefore' });
		const onError = 'continueRegularOutput';
		const { items: sent } = await service.run(fromOrders, { items: [shopifyOrder()], onError });
		expect(outcomesOf(sent)).toEqual(['unknown']);
		const canceled = shopifyOrder({ cancelled_at: '2026-11-24T09:00:00Z' });
		const row = { reason: 'cancelled', actionNeeded: stop('was canceled') };
		expect(await run(canceled)).toMatchObject(row);
		expect(await run(canceled)).toMatchObject(row);
	});

	test('says that an order was canceled whose child company is not known any more', async () => {
		await run(shopifyOrder(), { companyId: 1002 });
		const canceled = shopifyOrder({ cancelled_at: '2026-11-24T09:00:00Z' });
		expect(await run(canceled, { companyId: '={{ $json.company }}' })).toMatchObject({
			message: 'Order #1001 was canceled.',
			actionNeeded: stop('was canceled'),
		});
	});

	test('says that all items of a sent order were removed, and that they are back', async () => {
		const lines = [lineItem(), mugs()];
		const removed = {
			...payableInCash,
			total_outstanding: '0.00',
			current_total_price: '0.00',
			line_items: lines.map((line) => ({ ...line, current_quantity: 0, fulfillable_quantity: 0 })),
		};
		expect(await follow(payableInCash, removed, payableInCash)).toEqual([
			stop('has no items left'),
			again + isChange(2),
		]);
	});

	test.each(['cancel', 'no_restock'])(
		'says that items were removed with a refund, restocked or not: %s',
		async (restock_type) => {
			const [cloth, mug] = [lineItem(), mugs()];
			const gone = { current_quantity: 0, fulfillable_quantity: 0 };
			const refundOf = (...lines: IDataObject[]) => ({
				financial_status: 'partially_refunded',
				refunds: lines.map(({ id, quantity }) => ({
					refund_line_items: [{ line_item_id: id, quantity, restock_type }],
				})),
			});
			const one = { ...refundOf(mug), line_items: [cloth, { ...mug, ...gone }] };
			const all = {
				...refundOf(mug, cloth),
				line_items: [cloth, mug].map((line) => ({ ...line, ...gone })),
			};
			expect(await follow({}, one, one, all)).toEqual([
				compare(recipient + items.split(', 2 ×')[0]),
				'',
				stop('has no items left') + isChange(2),
			]);
		},
	);

	test('says nothing about a refund of items that still ship', async () => {
		const refunds = [
			{
				refund_line_items: [{ line_item_id: mugs().id, quantity: 2, restock_type: 'no_restock' }],
			},
		];
		const line_items = [lineItem(), mugs({ current_quantity: 0 })];
		expect(await follow({}, { refunds, line_items })).toEqual(['']);
	});

	test('says that a voided order is to be delivered again, and that it was paid by link', async () => {
		const voided = { ...payableInCash, financial_status: 'voided' };
		expect(await follow(payableInCash, voided, voided, paidByLink, paidByLink)).toEqual([
			stop('has a voided payment'),
			'',
			`${again} ${noCash}${isChange(2)}`,
			'',
		]);
	});

	test('says nothing about an order that was voided and fulfilled', async () => {
		const voided = { ...payableInCash, financial_status: 'voided' };
		expect(await follow(payableInCash, voided, { ...voided, ...fulfilled })).toEqual([
			stop('has a voided payment'),
			'',
		]);
	});

	test('says that the cash of a held order has changed', async () => {
		expect(
			await follow(payableInCash, { ...payableInCash, ...held }, { ...paidByLink, ...held }),
		).toEqual([wait, noCash + isChange(2)]);
	});
});

test('ignores the earlier state of an order that arrives late', async () => {
	const call = (minutesAgo: number, body: IDataObject): IDataObject => {
		const time = new Date(Date.now() - minutesAgo * 60_000).toISOString();
		return { headers: { 'x-shopify-triggered-at': time }, body };
	};
	const calls = [
		call(50, shopifyOrder(payableInCash)),
		call(20, shopifyOrder(paidByLink)),
		call(40, shopifyOrder(payableInCash)),
		call(10, shopifyOrder(payableInCash)),
	];
	const parameters = { ...fromOrders, ...orderParameters({}) };
	const needed: unknown[] = [];
	for (const item of calls) {
		const { items } = await service.run(parameters, { items: [item] });
		needed.push(...jsonOf(items).map(({ actionNeeded }) => actionNeeded));
	}
	expect(needed).toEqual(['', noCash, '', cashOf('87.00 USD') + isChange(2)]);
});

test('does not send an order that was canceled before the call of its creation arrives', async () => {
	const call = (minutesAgo: number, changes: IDataObject = {}): IDataObject => {
		const time = new Date(Date.now() - minutesAgo * 60_000).toISOString();
		const body = shopifyOrder({ ...changes, updated_at: time });
		return { headers: { 'x-shopify-triggered-at': time }, body };
	};
	const parameters = { ...fromOrders, ...orderParameters({}) };
	const rows: unknown[] = [];
	for (const item of [call(4, { cancelled_at: '2026-11-24T09:00:00Z' }), call(9)]) {
		const { items } = await service.run(parameters, { items: [item] });
		rows.push(...jsonOf(items).map(({ reason, message }) => [reason, message]));
	}
	expect(rows).toEqual([
		['cancelled', expect.stringContaining('canceled')],
		[
			'outdated',
			'#1001 was not sent: this is an earlier state of the order, and a later one has already arrived. Nothing to do.',
		],
	]);
	expect(service.existing()).toEqual([]);
	// Only the call is older: the order itself has changed since.
	await service.run(parameters, { items: [{ ...call(9), body: call(2).body }] });
	expect(service.existing()).toEqual(['#1001']);
});

test('reports each of two changes whose executions start at the same moment', async () => {
	const call = (seconds: number, changes: IDataObject): IDataObject => ({
		headers: { 'x-shopify-triggered-at': `2026-11-20T10:00:0${seconds}Z` },
		body: shopifyOrder(changes),
	});
	const parameters = { ...fromOrders, ...orderParameters({}) };
	const needed = async (item: IDataObject) =>
		jsonOf((await service.run(parameters, { items: [item] })).items)[0]?.actionNeeded;
	await needed(call(0, payableInCash));
	const less = { ...payableInCash, total_outstanding: '60.00' };
	const moved = { ...less, shipping_address: shippingAddress({ address1: '7 New Road' }) };
	const reports = await Promise.all([call(1, less), call(2, moved), call(2, moved)].map(needed));
	const cash = cashOf('60.00 USD');
	const address = compare(recipient.replace('214 Larkspur Lane', '7 New Road') + items);
	// If the later state is met first, it reports both changes, and the earlier one is ignored.
	expect([
		['', cash, address + isChange(2)],
		['', '', `${cash} ${address}`],
	]).toContainEqual(reports.sort());
});

test('ignores an order that was read before its last change', async () => {
	const read = async (minutesAgo: number, changes: IDataObject) => {
		const updated_at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
		const items = [shopifyOrder({ ...changes, updated_at })];
		const parameters = { ...fromOrders, ...orderParameters({}) };
		return jsonOf((await service.run(parameters, { items })).items)[0]?.actionNeeded;
	};
	expect(await read(9, payableInCash)).toBe('');
	expect(await read(5, paidByLink)).toBe(noCash);
	expect(await read(9, payableInCash)).toBe('');
});

describe('sends an earlier state of an order', () => {
	const create = async (minutesAgo: number, options: INodeParameters = {}) => {
		const updated_at = new Date(Date.now() - minutesAgo * 60_000).toISOString();
		const items = [shopifyOrder({ updated_at })];
		return outcomesOf((await service.run({ ...fromOrders, options }, { items })).items);
	};

	test('if the later one was only in a Dry Run', async () => {
		await create(5, { dryRun: true });
		expect(await create(9)).toEqual(['created']);
	});

	test('after Allow Resending for all deliveries', async () => {
		expect(await create(5)).toEqual(['created']);
		await service.run({ resource: 'delivery', operation: 'allowResending', references: 'all' });
		expect(await create(9)).toEqual(['created']);
	});
});

test('records nothing in a dry run', async () => {
	await follow(payableInCash);
	const dry = async () => await run(shopifyOrder(paidByLink), { dryRun: true });
	const shown = { result: 'skip: already created', message: noCash };
	expect(await dry()).toMatchObject(shown);
	expect(await dry()).toMatchObject(shown);
	expect(await run(shopifyOrder(paidByLink))).toMatchObject({ actionNeeded: noCash });
	expect(await run(shopifyOrder(paidByLink))).toMatchObject({ actionNeeded: '' });
});
