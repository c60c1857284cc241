/** Create From Shopify Orders: a late order is sent only if the workflow has met it in time. */
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { jsonOf, fromOrders, restart, setUp, until } from '../support/actionNode';
import {
	deduplicationStore,
	type RunNodeOptions,
	type StoreSnapshot,
} from '../support/engine/engine';
import { samplePart } from '../support/sampleFulfillmentOrder';
import { lineItem, mugs, shopifyOrder } from '../support/shopifyOrders';

const service = setUp();

beforeEach(restart);

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

/** An order that was placed a number of hours ago. */
const placed = (hours: number, changes: IDataObject = {}) =>
	shopifyOrder({ created_at: hoursAgo(hours), ...changes });

/** The rows of a run with these orders. */
async function run(
	items: IDataObject[],
	changes: INodeParameters = {},
	more: Partial<RunNodeOptions> = {},
) {
	const { items: output } = await service.run({ ...fromOrders, ...changes }, { items, ...more });
	return jsonOf(output).map(({ outcome, reason, message, actionNeeded }) => {
		return { outcome, reason, message, actionNeeded };
	});
}

const created = { outcome: 'created', actionNeeded: '' };
const unseen = {
	outcome: 'skipped',
	reason: 'unseen',
	message:
		'#1001 was not sent: it was placed 6 days ago, and this workflow did not see it in time. Look for it in the Delivery Service; if it is not there, send it with Send Anyway.',
};
const named = {
	...unseen,
	actionNeeded: unseen.message,
};
const namedBefore = { ...unseen, actionNeeded: '' };
const late = placed(150);
const unpaid = {
	financial_status: 'pending',
	total_outstanding: '87.00',
	payment_gateway_names: ['bank'],
};

test('the first run in a shop with open orders sends none of them, and names each once', async () => {
	const orders = Array.from({ length: 40 }, (_, index) =>
		placed(30 + 24 * index, { id: 100 + index, name: `#${index}` }),
	);
	const fresh = placed(1, { id: 99, name: '#fresh' });
	const first = await run([...orders, fresh]);
	expect(service.existing()).toEqual(['#fresh']);
	for (const [index, { reason, actionNeeded }] of first.slice(0, 40).entries()) {
		expect(reason).toBe('unseen');
		expect(actionNeeded).toMatch(
			new RegExp(`^#${index} was not sent: it was placed \\d+ (hours|days) ago, and `),
		);
	}
	const again = await run(orders);
	expect(new Set(again.map(({ reason }) => reason))).toEqual(new Set(['unseen']));
	expect(new Set(again.map(({ actionNeeded }) => actionNeeded))).toEqual(new Set(['']));
	expect(service.existing()).toEqual(['#fresh']);
});

test('names an order with its age, and says what to do each time', async () => {
	expect(await run([late])).toEqual([named]);
	expect(await run([late])).toEqual([namedBefore]);
	expect(deduplicationStore.count('workflow')).toBe(1);
});

test.each([
	['crashes', (store: StoreSnapshot) => deduplicationStore.restore(store)],
	['is stopped', () => undefined],
])('names a late order again if the run that met it %s', async (_, losing) => {
	service.control.addFault({ kind: 'hangAfter' });
	const warn = jest.spyOn(Container.get(Logger), 'warn');
	const stop = new AbortController();
	const running = run([late, placed(1, { id: 2, name: '#2' })], {}, { signal: stop.signal });
	await until(() => service.existing().length === 1);
	const atRequest = deduplicationStore.snapshot();
	stop.abort();
	await running;
	// Only then, the run has ended.
	await until(() => warn.mock.calls.length > 0);
	warn.mockRestore();
	losing(atRequest);
	restart();
	expect(await run([late])).toEqual([named]);
	expect(await run([late])).toEqual([namedBefore]);
});

test('names late orders that were sent by a workflow of which this is a copy', async () => {
	expect(await run([placed(23)])).toMatchObject([created]);
	expect(await run([late])).toMatchObject([{ reason: 'alreadyCreated', actionNeeded: '' }]);
	expect(await run([late], {}, { workflowId: 'copy' })).toEqual([named]);
	expect(service.existing()).toEqual(['#1001']);
});

test('names late orders whose entries were dropped', async () => {
	expect(await run([placed(1)])).toMatchObject([created]);
	deduplicationStore.reset();
	expect(await run([late])).toEqual([named]);
	expect(service.existing()).toEqual(['#1001']);
});

test.each<[string, IDataObject, INodeParameters?]>([
	['unpaid', unpaid],
	['later', { note_attributes: [{ name: 'Delivery Date', value: '2126-12-24' }] }],
	['without an address', { shipping_address: { city: 'Springfield' } }],
	['without a tag', { tags: '' }],
	['on hold', { line_items: [lineItem({ fulfillable_quantity: 0 })] }],
])('sends a late order that was met in time: %s', async (_, changes) => {
	const filters = { filters: { tags: 'vip', skipUntilDeliveryDate: true } };
	const options = { onError: 'continueRegularOutput' } as const;
	const [first] = await run([placed(23, changes)], filters, options);
	expect(first?.outcome).not.toBe('created');
	expect(service.existing()).toEqual([]);
	expect(await run([late], filters)).toMatchObject([created]);
	expect(await run([late], filters)).toMatchObject([{ reason: 'alreadyCreated' }]);
	expect(service.existing()).toEqual(['#1001']);
});

test('sends a late order that was rejected in time', async () => {
	service.control.addFault({ kind: 'status', status: 422, referenceIds: ['#1001'] });
	expect(await run([placed(23)], {}, { onError: 'continueRegularOutput' })).toMatchObject([
		{ outcome: 'rejected' },
	]);
	service.control.reset();
	expect(await run([late])).toMatchObject([created]);
});

test.each<[string, IDataObject]>([
	['a test order', { test: true }],
	['canceled', { cancelled_at: '2026-11-02T10:00:00-06:00' }],
	['picked up', { shipping_lines: [{ title: 'Store Pickup' }] }],
])('leaves no trace of what is never sent from here: %s', async (_, changes) => {
	expect(await run([placed(1, changes)])).toMatchObject([{ outcome: 'skipped' }]);
	expect(deduplicationStore.count('workflow')).toBe(0);
	expect(await run([late])).toEqual([named]);
});

test.each(['manual', 'trigger'] as const)('a dry run leaves no trace: %s', async (mode) => {
	const dryRun = { options: { dryRun: true } };
	const options = { mode, onError: 'continueRegularOutput' } as const;
	await run([placed(1, unpaid), late, placed(1, { id: 2, name: '#2' })], dryRun, options);
	expect(deduplicationStore.count('workflow')).toBe(0);
	expect(await run([late])).toEqual([named]);
});

test('a dry run shows which orders would be named', async () => {
	const dryRun = { ...fromOrders, options: { dryRun: true, simplify: false } };
	const { items } = await service.run(dryRun, { items: [late], mode: 'manual' });
	expect(jsonOf(items)).toMatchObject([
		{ result: 'skip: unseen', reason: 'unseen', actionNeeded: named.actionNeeded },
	]);
});

describe('a fulfillment order', () => {
	const partOf = (hours: number, line: IDataObject, id: number) => {
		const order = placed(hours, { line_items: [lineItem(), mugs()] });
		const { id: line_item_id, quantity } = line;
		const lines = [{ line_item_id, quantity, fulfillable_quantity: quantity }];
		return {
			order,
			fulfillmentOrder: {
				...samplePart({ id, order_id: order.id, destination: null, line_items: lines }),
			},
		};
	};

	test('is sent late if another one of its order was sent', async () => {
		expect(await run([partOf(23, lineItem(), 11)])).toMatchObject([created]);
		expect(await run([partOf(150, mugs(), 12)])).toMatchObject([created]);
		expect(service.existing()).toEqual(['#1001-11', '#1001-12']);
	});

	test('is named once if its order was never met, also after others of it were named', async () => {
		const parts = { '#1001-11': partOf(150, lineItem(), 11), '#1001-12': partOf(150, mugs(), 12) };
		for (const [referenceId, item] of Object.entries(parts)) {
			const message = unseen.message.replace('#1001', `#1001 (${referenceId})`);
			const actionNeeded = named.actionNeeded.replace('#1001', `#1001 (${referenceId})`);
			expect(await run([item])).toEqual([{ ...unseen, message, actionNeeded }]);
			expect(await run([item])).toEqual([{ ...unseen, message, actionNeeded: '' }]);
		}
		expect(service.existing()).toEqual([]);
	});
});

test('asks for the age only with Skip Already Sent, and only of orders that have one', async () => {
	const [withoutAge] = await run([placed(150, { created_at: undefined, id: 2, name: '#2' })]);
	expect(withoutAge?.outcome).toBe('created');
	expect(withoutAge?.actionNeeded).toMatch('"created_at"');
	expect(await run([late], { skipAlreadySent: false })).toMatchObject([created]);
});

test('the hours can be set', async () => {
	expect(await run([late], { options: { firstSeenWithinHours: 200 } })).toMatchObject([created]);
	const soon = placed(1.5, { id: 2, name: '#2' });
	const [row] = await run([soon], { options: { firstSeenWithinHours: 1 } });
	expect(row?.actionNeeded).toMatch(/^#2 was not sent: it was placed 1 hour ago, /);
});
