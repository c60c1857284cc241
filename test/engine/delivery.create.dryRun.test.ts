/** Delivery: Create with Dry Run: shows what would be sent and skipped, and sends nothing. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { deduplicationStore, type NodeRun, type RunNodeOptions } from '../support/engine/engine';
import {
	createOnce,
	outcomesOf,
	jsonOf,
	pairedItems,
	pickupFields,
	restart,
	setUp,
} from '../support/actionNode';
import { deliveries, delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restart);

async function dryRun(
	items: IDataObject[],
	options: INodeParameters = {},
	more: INodeParameters = {},
	settings: Partial<RunNodeOptions> = {},
): Promise<NodeRun> {
	return await service.run(createOnce({ ...options, dryRun: true }, more), { items, ...settings });
}

/** The output item of a request, paired with these input items. */
function request(body: object, ...items: number[]) {
	return {
		json: { dryRun: true, request: { method: 'POST', path: '/v1/deliveries', body } },
		pairedItem: items.map((item) => ({ item })),
	};
}

test('shows each request of a dry run, paired with its items', async () => {
	const { items, error, hints } = await dryRun(deliveries(5), { batchSize: 2 });
	const all = deliveries(5);
	expect(error).toBeUndefined();
	expect(items).toEqual([
		request({ deliveries: all.slice(0, 2) }, 0, 1),
		request({ deliveries: all.slice(2, 4) }, 2, 3),
		request({ deliveries: all.slice(4) }, 4),
	]);
	expect(hints).toEqual([
		{
			message: 'Dry Run is on: nothing was sent. Remove this option to create 5 deliveries.',
			type: 'warning',
			location: 'outputPane',
		},
	]);
});

test.each<[string, INodeParameters, INodeParameters]>([
	['JSON', { batchSize: 3 }, {}],
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
])('shows the same requests in a dry run as a real run sends: %s', async (_how, options, more) => {
	const items = deliveries(7);
	const dry = await dryRun(items, options, more);
	expect(service.control.requests()).toEqual([]);
	const planned = jsonOf(dry.items).map(({ request: sent }) => sent);

	await service.run(createOnce(options, more), { items });
	expect(planned).toEqual(service.received());
});

test('shows skipped items of a dry run in their place, with the reason', async () => {
	await service.run(createOnce(), { items: deliveries(2) });
	service.control.addFault({ kind: 'resetBefore' });
	await service.run(createOnce(), { items: [delivery({ referenceId: 'U' })] });
	const requests = service.control.requests().length;

	const [first = {}, created = {}, fresh = {}] = deliveries(3);
	const { items } = await dryRun([
		...[fresh, first, delivery({ referenceId: 'U' }), fresh, created],
		delivery({ referenceId: 'X' }),
	]);
	expect(items).toEqual([
		request({ deliveries: [fresh, delivery({ referenceId: 'X' })] }, 0, 5),
		...[
			{
				reason: 'alreadyCreated',
				message:
					'R0 was skipped: this workflow has already created a delivery with this reference ID. Later changes are not sent; use the Update operation for them.',
				referenceId: 'R0',
			},
			{
				reason: 'unknown',
				message: expect.stringMatching(
					/^U would be reported as unknown: another execution may have sent it\. Check the Delivery Service dashboard\.$/,
				),
				referenceId: 'U',
			},
			{
				reason: 'sameReferenceInInput',
				message: expect.stringMatching(
					/^R2 was skipped: an earlier item has the same reference ID\. .* its own reference ID\.$/,
				),
				referenceId: 'R2',
			},
			{
				reason: 'alreadyCreated',
				message:
					'R1 was skipped: this workflow has already created a delivery with this reference ID. Later changes are not sent; use the Update operation for them.',
				referenceId: 'R1',
			},
		].map((why, index) => ({ json: { skipped: true, ...why }, pairedItem: { item: index + 1 } })),
	]);
	expect(service.control.requests()).toHaveLength(requests);
});

test('shows the same result in a second dry run, and changes no stored reference', async () => {
	await service.run(createOnce(), { items: deliveries(2) });
	service.control.addFault({ kind: 'resetBefore' });
	await service.run(createOnce(), { items: [delivery({ referenceId: 'U' })] });
	const before = deduplicationStore.snapshot();
	const input = [...deliveries(5), delivery({ referenceId: 'U' })];

	const first = await dryRun(input, { batchSize: 2 });
	expect(deduplicationStore.snapshot()).toEqual(before);
	const second = await dryRun(input, { batchSize: 2 });
	expect(second.items).toEqual(first.items);
	expect(deduplicationStore.snapshot()).toEqual(before);

	const { items } = await service.run(createOnce(), {
		items: input,
		onError: 'continueRegularOutput',
	});
	expect(outcomesOf(items)).toEqual([
		...['alreadyCreated', 'alreadyCreated', 'created', 'created', 'created', 'unknown'],
	]);
});

test('returns error items for invalid items of a dry run with On Error: Continue', async () => {
	const [first = {}] = deliveries(1);
	const input = [delivery(), first, { pickup: 1 }];
	const { items } = await dryRun(input, {}, {}, { onError: 'continueRegularOutput' });
	expect(outcomesOf([items[0] ?? { json: {} }, items[2] ?? { json: {} }])).toEqual([
		...['invalid', 'invalid'],
	]);
	expect(items[1]).toEqual(request({ deliveries: [first] }, 1));
	expect(items[0]?.pairedItem).toEqual({ item: 0 });
});

test('fails a dry run with an invalid item', async () => {
	const { error } = await dryRun([...deliveries(1), delivery()]);
	expect(error?.message).toBe('Reference ID is missing [item 1]');
});

test('shows no request in a dry run if every item would be skipped', async () => {
	await service.run(createOnce(), { items: deliveries(3) });
	const { items } = await dryRun(deliveries(3));
	expect(outcomesOf(items)).toEqual(['alreadyCreated', 'alreadyCreated', 'alreadyCreated']);
	expect(pairedItems(items)).toEqual([0, 1, 2]);
});

test('fails a dry run if n8n cannot look up the sent references', async () => {
	deduplicationStore.addFault({
		kind: 'fail',
		operation: 'checkProcessedAndRecord',
		scope: 'workflow',
		when: 'before',
		times: 2,
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
