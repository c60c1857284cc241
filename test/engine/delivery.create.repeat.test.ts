/** Create From Shopify Orders: which webhook calls Shopify is to repeat, and who needs to act meanwhile. */
import type { IDataObject } from 'n8n-workflow';
import { z } from 'zod';

import { jsonOf, fromOrders, restart, restartWithoutWaits, setUp } from '../support/actionNode';
import { deduplicationStore } from '../support/engine/engine';
import { shopifyOrder } from '../support/shopifyOrders';

const service = setUp();

beforeEach(restartWithoutWaits);

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** A call of a webhook, as n8n's Webhook node outputs it. */
function call(minutes: number, order: IDataObject = shopifyOrder()): IDataObject {
	return { headers: { 'x-shopify-triggered-at': minutesAgo(minutes) }, body: order };
}

const failure = z.object({
	error: z.object({
		outcome: z.string(),
		repeat: z.boolean(),
		actionNeeded: z.string(),
		help: z.string(),
	}),
});

/** What the error output says about a call. */
async function fail(item: IDataObject) {
	const run = await service.run(fromOrders, { items: [item], onError: 'continueErrorOutput' });
	const [json] = jsonOf(run.outputs[1] ?? []);
	const { outcome, repeat, actionNeeded, help } = failure.parse(json).error;
	return { outcome, repeat, needed: actionNeeded, help: help.split('#')[1] ?? '' };
}

const busy = {
	kind: 'status',
	status: 429,
	headers: { 'Retry-After': '301' },
	times: null,
} as const;
const needed = expect.stringMatching(/^#1001 was not sent: /);

test.each([0, 20, 179])(
	'nobody acts while Shopify repeats a call, after %i minutes',
	async (minutes) => {
		service.control.addFault(busy);
		expect(await fail(call(minutes))).toEqual({
			outcome: 'notSent',
			repeat: true,
			needed: '',
			help: '',
		});
		service.control.reset();
		const [row] = jsonOf((await service.run(fromOrders, { items: [call(minutes)] })).items);
		expect(row).toMatchObject({ outcome: 'created' });
		expect(service.existing()).toEqual(['#1001']);
	},
);

test.each([
	['is three hours old', call(181)],
	['is not from a webhook', shopifyOrder()],
])('a person acts if the call %s', async (_, item) => {
	service.control.addFault(busy);
	const help = 'service-unavailable';
	expect(await fail(item)).toEqual({ outcome: 'notSent', repeat: true, needed, help });
});

test('asks a person to act on a failed order in the regular output, where no workflow lets Shopify repeat its call', async () => {
	service.control.addFault(busy);
	const onError = 'continueRegularOutput';
	const [row] = jsonOf((await service.run(fromOrders, { items: [call(1)], onError })).items);
	expect(row).toMatchObject({ outcome: 'notSent', actionNeeded: needed });
});

test("is repeated if n8n's database fails", async () => {
	const scope = 'workflow' as const;
	deduplicationStore.addFault({
		kind: 'fail',
		operation: 'checkProcessedAndRecord',
		scope,
		when: 'before',
		times: 9,
	});
	expect(await fail(call(1))).toEqual({ outcome: 'notSent', repeat: true, needed: '', help: '' });
	expect(service.creations()).toEqual([]);
});

test('is repeated for ten minutes if another execution has claimed the order', async () => {
	service.control.addFault({ kind: 'hangAfter' });
	const kill = { kind: 'kill', operation: 'checkProcessedAndRecord', scope: 'workflow' } as const;
	deduplicationStore.addFault({ ...kill, entry: /"claimed"/, when: 'after' });
	await service.run(fromOrders, { items: [call(0)] });
	restartWithoutWaits();
	expect(await fail(call(9))).toEqual({ outcome: 'unknown', repeat: true, needed: '', help: '' });
	const unknown = expect.stringMatching(/^It is unknown whether #1001 was created/);
	expect(await fail(call(11))).toEqual({
		outcome: 'unknown',
		repeat: false,
		needed: unknown,
		help: 'unknown-delivery',
	});
});

test.each([
	['the key is wrong', { kind: 'status', status: 401, times: null }, 'notSent', 'wrong-credential'],
	['the delivery is rejected', { kind: 'status', status: 422 }, 'rejected', 'rejected-delivery'],
	['the outcome is unknown', { kind: 'resetAfter' }, 'unknown', 'unknown-delivery'],
] as const)('is not repeated if %s', async (_, fault, outcome, help) => {
	service.control.addFault(fault);
	expect(await fail(call(1))).toEqual({
		outcome,
		repeat: false,
		needed: expect.stringMatching(/#1001/),
		help,
	});
});

test.each([
	['service-unavailable', { kind: 'status', status: 500, times: null }],
	['service-unavailable', { kind: 'resetAfter', times: null }],
	['wrong-credential', { kind: 'status', status: 302, times: null }],
] as const)(
	'orders after three unknown ones lead to the section %s for %j',
	async (help, fault) => {
		service.control.addFault(fault);
		const items = [1, 2, 3, 4].map((id) => shopifyOrder({ id, name: `#${id}` }));
		const run = await service.run(fromOrders, { items, onError: 'continueErrorOutput' });
		const last = failure.parse(jsonOf(run.outputs[1] ?? []).at(-1)).error;
		expect(last).toMatchObject({ outcome: 'notSent', help: expect.stringContaining(`#${help}`) });
	},
);

test('all executions that leave an order unknown say the same, so that one email is sent', async () => {
	service.control.addFault({ kind: 'resetAfter' });
	const first = await fail(call(0));
	expect(first.needed).toMatch(/^It is unknown whether #1001 was created\. Wait until /);
	expect(await fail(call(11))).toEqual(first);
	restartWithoutWaits();
	expect(await fail(shopifyOrder())).toEqual(first);
});

test('is not repeated if the order is incomplete', async () => {
	const order = shopifyOrder({ shipping_address: { name: 'Maya Okafor', city: 'Springfield' } });
	const incomplete = { outcome: 'invalid', repeat: false, help: 'incomplete-order' };
	expect(await fail(call(1, order))).toEqual({
		...incomplete,
		needed: expect.stringMatching(/street/),
	});
});

test('rows have the links that an email needs', async () => {
	restart();
	const order_status_url = 'https://larch.example/1/orders/abc/authenticate?key=x';
	const items = [shopifyOrder({ id: 7, order_status_url, created_at: minutesAgo(9000) })];
	const [row] = jsonOf((await service.run(fromOrders, { items })).items);
	expect(row).toMatchObject({
		reason: 'unseen',
		orderUrl: 'https://larch.example/admin/orders/7',
		cash: '',
		customer: 'Maya Okafor',
		address: expect.stringMatching(/\w+, \w+/),
		help: expect.stringMatching(/email\.md#older-order$/),
	});
});
