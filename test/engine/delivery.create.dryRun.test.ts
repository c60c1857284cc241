/** Delivery: Create with Dry Run: shows what would be sent and skipped, and sends nothing. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { z } from 'zod';

import { deduplicationStore, type NodeRun, type RunNodeOptions } from '../support/engine/engine';
import {
	createOnce,
	outcomesOf,
	jsonOf,
	pairedItems,
	pickupFields,
	fromOrders,
	restartWithoutWaits,
	setUp,
} from '../support/actionNode';
import { deliveries, delivery } from '../support/sampleDelivery';
import { payableInCash, shopifyOrder } from '../support/shopifyOrders';

const service = setUp();

const bodySchema = z.object({ deliveries: z.array(z.unknown()) }).passthrough();

beforeEach(restartWithoutWaits);

async function dryRun(
	items: IDataObject[],
	options: INodeParameters = {},
	more: INodeParameters = {},
	settings: Partial<RunNodeOptions> = {},
): Promise<NodeRun> {
	return await service.run(createOnce({ simplify: false, ...options, dryRun: true }, more), {
		items,
		...settings,
	});
}

/** What a dry run shows of a delivery of {@link delivery}, except for its reference ID and its request. */
const packing = {
	message: 'To Ana Torres, 48 Oak Avenue, Springfield.',
	recipient: 'Ana Torres',
	cashToCollect: 0,
	address: '48 Oak Avenue, Springfield',
	actionNeeded: '',
	packages: '1 × Box (S)',
	pickup: '12 Main Street, Springfield',
	shippingMethod: '',
	weightKg: '',
	deliveryType: '',
	deliveryDate: '',
};

/** The output item of a delivery that would be sent. */
function planned(sent: IDataObject, item: number) {
	return {
		json: {
			referenceId: sent.referenceId,
			result: 'send',
			...packing,
			wouldSend: true,
			reason: '',
			email: 'ana@mail.example',
			phone: '',
			instructions: '',
			companyId: '',
			shopifyOrder: '',
			request: { deliveries: [sent] },
		},
		pairedItem: { item },
	};
}

test('shows one flat item per delivery of a dry run, the request last', async () => {
	const { items, error, hints } = await dryRun(deliveries(5), { batchSize: 2 });
	expect(error).toBeUndefined();
	const expected = deliveries(5).map(planned);
	expect(items).toEqual(expected);
	for (const { json } of items)
		expect(Object.keys(json)).toEqual(Object.keys(expected[0]?.json ?? {}));
	expect(hints).toEqual([
		{
			message: 'Dry Run: 5 deliveries would be created. Turn off Dry Run to create deliveries.',
			type: 'warning',
			location: 'outputPane',
		},
	]);
});

test('shows a row of three columns with Simplify on: where an order goes with its cash, or why it stays', async () => {
	const items = [
		shopifyOrder(),
		shopifyOrder({ ...payableInCash, id: 2, name: '#2' }),
		shopifyOrder({ id: 3, name: '#3', test: true }),
		shopifyOrder({ id: 5, name: '#5', shipping_address: { name: '***', address1: '***' } }),
	];
	const { items: output } = await dryRun(
		items,
		{ simplify: true },
		{ ...fromOrders, orderOptions: { packagesPer: 'unit' } },
	);
	expect(jsonOf(output)).toEqual([
		{
			referenceId: '#5',
			result: 'error',
			message:
				'Order #5 has "***" in its address: the sales channel (web) hides it. Enter the name and the address in Shopify, without such signs. If the channel ships the order itself, fulfill it there.',
		},
		{
			referenceId: '#1001',
			result: 'send',
			message:
				'To Maya Okafor, 214 Larkspur Lane, Springfield, Illinois, 62704, United States; 2 packages.',
		},
		{
			referenceId: '#2',
			result: 'send',
			message:
				'Collect 87.00 from Maya Okafor, 214 Larkspur Lane, Springfield, Illinois, 62704, United States; 2 packages.',
		},
		{
			referenceId: '#3',
			result: 'skip: test order',
			message:
				'Order #3 is a test order, and Include Test Orders under Filters is off. Nothing to do.',
		},
	]);
});

test('shows orders that are not valid beside the others', async () => {
	const shop = fromOrders;
	const orders = [
		shopifyOrder({ shipping_address: { city: 'Salem' } }),
		shopifyOrder({ id: 2, name: '#2' }),
	];
	for (const count of [1, 2]) {
		const { items, error } = await dryRun(orders.slice(0, count), {}, shop);
		expect(error).toBeUndefined();
		expect(jsonOf(items).map(({ reason }) => reason)).toEqual(['invalid', ''].slice(0, count));
	}
});

test('shows the packing list of Shopify orders, and why orders would be skipped', async () => {
	const shop = fromOrders;
	const items = [
		shopifyOrder({ id: 1, name: '#1' }),
		shopifyOrder({ id: 2, name: '#2', cancelled_at: '2026-03-03T10:02:00-06:00' }),
		shopifyOrder({ ...payableInCash, id: 3, name: '#3' }),
		shopifyOrder({ id: 4, name: '#4', test: true }),
	];
	const { items: output, hints } = await dryRun(items, {}, shop);
	expect(jsonOf(output)).toMatchObject([
		{
			referenceId: '#1',
			wouldSend: true,
			recipient: 'Maya Okafor',
			phone: '+1 217-555-0101',
			address: '214 Larkspur Lane, Springfield, Illinois, 62704, United States',
			packages: '1 × #1 (M)',
			weightKg: 1.61,
			cashToCollect: 0,
			instructions: 'Apt 3B; Leave at the reception',
			shippingMethod: 'Standard',
			shopifyOrder: { id: '1', name: '#1' },
		},
		{
			referenceId: '#2',
			wouldSend: false,
			reason: 'cancelled',
			result: 'skip: canceled',
			recipient: 'Maya Okafor',
			address: '214 Larkspur Lane, Apt 3B, Springfield, 62704',
			message: expect.stringMatching(/^Order #2 was canceled\./),
			request: '',
		},
		{ referenceId: '#3', wouldSend: true, cashToCollect: 87 },
		{ referenceId: '#4', wouldSend: false, reason: 'testOrder' },
	]);
	expect(new Set(jsonOf(output).map((json) => Object.keys(json).join())).size).toBe(1);
	expect(pairedItems(output)).toEqual([0, 1, 2, 3]);
	expect(hints.map(({ message }) => message)).toEqual([
		'Dry Run: 2 deliveries would be created, 2 orders would not be sent (#2 canceled, #4 test order). Turn off Dry Run to create deliveries. Shipping methods: 4 × Standard.',
	]);
	expect(service.control.requests()).toEqual([]);
});

test('counts the orders that wait for their payment in a dry run, by method', async () => {
	const unpaid = (id: number, ...payment_gateway_names: string[]) =>
		shopifyOrder({
			id,
			name: `#${id}`,
			financial_status: 'pending',
			total_outstanding: '87.00',
			payment_gateway_names,
		});
	const items = [
		unpaid(1, 'Pay the driver'),
		unpaid(2, 'bank transfer'),
		unpaid(3, 'bank transfer'),
	];
	const { hints } = await dryRun(items, {}, fromOrders);
	expect(hints[0]?.message).toContain(
		' Not paid yet: 2 × bank transfer, 1 × Pay the driver. Shipping methods: 3 × Standard.',
	);
});

test.each<[string, INodeParameters, INodeParameters]>([
	[
		'several companies and delivery types',
		{
			batchSize: 2,
			companyId: '={{ $itemIndex % 3 ? 1002 : 1001 }}',
			type: '={{ $itemIndex % 2 ? "express" : "slot" }}',
		},
		{},
	],
	[
		'fields with values to normalize',
		{},
		{
			source: 'defineBelow',
			...pickupFields,
			dropoffName: ' Ana ',
			dropoffEmail: 'ana@mail.example',
			dropoffAddress: '48 Oak Avenue',
			packages: { package: [{ name: 'Box', qty: '2', size: 'XL' }] },
			referenceId: '={{ $json.referenceId }}',
		},
	],
	['Skip Already Sent turned off', { batchSize: 4 }, { skipAlreadySent: false }],
])(
	'shows the same deliveries in a dry run as a real run sends: %s',
	async (_how, options, more) => {
		const items = deliveries(7);
		const dry = await dryRun(items, options, more);
		expect(service.control.requests()).toEqual([]);
		const shown = jsonOf(dry.items).map(({ request: sent }) => sent);

		await service.run(createOnce(options, more), { items });
		const sent = service.creations().flatMap((body) => {
			const { deliveries: all, ...rest } = bodySchema.parse(body);
			return all.map((one) => ({ deliveries: [one], ...rest }));
		});
		expect(sent).toHaveLength(items.length);
		expect(shown).toEqual(expect.arrayContaining(sent));
	},
);

test('shows errors of a dry run first, and skipped items in their place, with the reason', async () => {
	await service.run(createOnce(), { items: deliveries(2) });
	service.control.addFault({ kind: 'resetBefore' });
	await service.run(createOnce(), { items: [delivery({ referenceId: 'U' })] });
	const requests = service.control.requests().length;

	const [first = {}, created = {}, fresh = {}] = deliveries(3);
	const { items } = await dryRun([
		fresh,
		first,
		delivery({ referenceId: 'U' }),
		fresh,
		created,
		delivery({ referenceId: 'X' }),
	]);
	const [unknown, sent, ...others] = items;
	expect([sent, others.at(-1)]).toEqual([
		planned({ ...fresh }, 0),
		planned(delivery({ referenceId: 'X' }), 5),
	]);
	expect([unknown, ...others.slice(0, -1)].map((one) => one?.json)).toMatchObject(
		[
			{
				reason: 'unknown',
				message:
					'It is unknown whether U was created: another execution may have sent it. Wait until no other execution of this workflow is running, then look for U and reference IDs that start with "U-" in the Delivery Service. If none of them exists, run the operation "Allow Resending" for U, then send it again.',
				referenceId: 'U',
			},
			{
				reason: 'alreadyCreated',
				message: 'R0 was already sent. Nothing to do.',
				referenceId: 'R0',
			},
			{
				reason: 'sameReferenceInInput',
				message: expect.stringMatching(
					/^R2 was skipped: an earlier item is the same delivery\. .* its own reference ID\.$/,
				),
				referenceId: 'R2',
			},
			{
				reason: 'alreadyCreated',
				message: 'R1 was already sent. Nothing to do.',
				referenceId: 'R1',
			},
		].map((why) => ({ ...packing, ...why, wouldSend: false, request: '' })),
	);
	expect(pairedItems(items)).toEqual([2, 0, 1, 3, 4, 5]);
	expect(service.control.requests()).toHaveLength(requests);
});

test('shows invalid items of a dry run with On Error: Continue, or moves them to the error output', async () => {
	const [first = {}] = deliveries(1);
	const input = [delivery(), first, { pickup: 1 }];
	const { items, hints } = await dryRun(input, {}, {}, { onError: 'continueRegularOutput' });
	expect(jsonOf(items)).toMatchObject([
		{
			wouldSend: false,
			reason: 'invalid',
			message: expect.stringMatching(/^Reference ID is missing\./),
		},
		{ wouldSend: false, reason: 'invalid', recipient: '' },
		{ wouldSend: true },
	]);
	expect(items[2]).toEqual(planned({ ...first }, 1));
	expect(pairedItems(items)).toEqual([0, 2, 1]);
	expect(hints).toMatchObject([
		{
			message: expect.stringMatching(
				/^Dry Run: 1 delivery .*, 2 items would not be sent \(item 0 invalid, /,
			),
		},
	]);

	const { outputs } = await dryRun(input, {}, {}, { onError: 'continueErrorOutput' });
	expect(outputs.map(pairedItems)).toEqual([[1], [0, 2]]);
});

test('fails a dry run with an invalid item', async () => {
	const { error } = await dryRun([...deliveries(1), delivery()]);
	expect(error?.message).toBe('Reference ID is missing [item 1]');
});

test('fails a dry run if n8n cannot look up the sent references', async () => {
	deduplicationStore.addFault({
		kind: 'fail',
		operation: 'checkProcessedAndRecord',
		scope: 'workflow',
		when: 'before',
		times: 8,
	});
	const { error } = await dryRun(deliveries(1));
	expect(error?.message).toMatch(/could not check which reference IDs were already sent/);
	expect(error?.description).toMatch(/^Save the workflow/);

	const { items } = await dryRun(deliveries(2), {}, {}, { onError: 'continueRegularOutput' });
	expect(outcomesOf(items)).toEqual(['notSent', 'notSent']);
});

test('does not count a dry run toward the rate limit', async () => {
	for (let run = 0; run < 3; run++) await dryRun(deliveries(100), { batchSize: 1 });
	const { items, hints } = await service.run(createOnce(), { items: deliveries(1) });
	expect(outcomesOf(items)).toEqual(['created']);
	expect(hints).toMatchObject([{ message: 'Created 1 delivery.' }]);
});

test.each<[string, Partial<RunNodeOptions>]>([
	['stops', {}],
	['reports each', { onError: 'continueRegularOutput' }],
])(
	'sends nothing with Dry Run on in a published workflow, and says so: %s',
	async (_, settings) => {
		const { items, error } = await dryRun(deliveries(2), {}, {}, { mode: 'trigger', ...settings });
		const advice =
			'If you created this order only as a test, it worked: cancel it in Shopify. For a real order, turn off Dry Run under Options, publish the workflow, and send the order again.';
		if (error) {
			expect(error.message).toBe('R0 was not sent: Dry Run is on [item 0]');
			expect(error.description).toContain(advice);
		} else
			expect(jsonOf(items)).toMatchObject([
				{ outcome: 'notSent', message: `R0 was not sent: Dry Run is on. ${advice}` },
				{ outcome: 'notSent', message: `R1 was not sent: Dry Run is on. ${advice}` },
			]);
		expect(error === undefined).toBe(settings.onError !== undefined);
		expect(service.control.requests()).toEqual([]);
	},
);

test('says of a sent order that it was already sent, with Dry Run on in a published workflow', async () => {
	await service.run(createOnce(), { items: deliveries(1) });
	const settings = { mode: 'trigger', onError: 'continueRegularOutput' } as const;
	const { items } = await dryRun(deliveries(2), {}, {}, settings);
	expect(jsonOf(items)).toMatchObject([
		{
			outcome: 'skipped',
			reason: 'alreadyCreated',
			message: 'R0 was already sent. Nothing to do.',
		},
		{ outcome: 'notSent', reason: '' },
	]);
});
