/** Delivery: Create as a dry run: what would be sent and what would be skipped, and nothing more. */
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

/** The output of a request, for input items by their number. */
function request(body: object, ...items: number[]) {
	return {
		json: { dryRun: true, request: { method: 'POST', path: '/v1/deliveries', body } },
		pairedItem: items.map((item) => ({ item })),
	};
}

test('gives the requests that would be sent, with the items that each is for', async () => {
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
	['from JSON', { batchSize: 3 }, {}],
	[
		'for several companies and types',
		{
			batchSize: 2,
			companyId: '={{ $itemIndex % 3 ? 1002 : "" }}',
			type: '={{ $itemIndex % 2 ? "express" : "slot" }}',
		},
		{},
	],
	[
		'from fields, with what is normalised on the way',
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
	['when nothing is kept of what was sent', { batchSize: 4 }, { skipAlreadySent: false }],
])('gives exactly the bodies that are sent then, %s', async (_how, options, more) => {
	const items = deliveries(7);
	const dry = await dryRun(items, options, more);
	expect(service.control.requests()).toEqual([]);
	const planned = jsonOf(dry.items).map(({ request: sent }) => sent);

	await service.run(createOnce(options, more), { items });
	expect(planned).toEqual(service.received());
});

test('gives what would be skipped and why, in the place of the item', async () => {
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
					/^U would be reported as unknown: it was sent before .* Check the Delivery Service dashboard\.$/,
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

test('is no different when it is made twice, and leaves the notes of what was sent as they were', async () => {
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

test('names what is not valid, when the node goes on after errors', async () => {
	const [first = {}] = deliveries(1);
	const input = [delivery(), first, { pickup: 1 }];
	const { items } = await dryRun(input, {}, {}, { onError: 'continueRegularOutput' });
	expect(outcomesOf([items[0] ?? { json: {} }, items[2] ?? { json: {} }])).toEqual([
		...['invalid', 'invalid'],
	]);
	expect(items[1]).toEqual(request({ deliveries: [first] }, 1));
	expect(items[0]?.pairedItem).toEqual({ item: 0 });
});

test('refuses what is not valid, when the node does not go on', async () => {
	const { error } = await dryRun([...deliveries(1), delivery()]);
	expect(error?.message).toBe('Reference ID is missing [item 1]');
});

test('gives no request when all would be skipped', async () => {
	await service.run(createOnce(), { items: deliveries(3) });
	const { items } = await dryRun(deliveries(3));
	expect(outcomesOf(items)).toEqual(['alreadyCreated', 'alreadyCreated', 'alreadyCreated']);
	expect(pairedItems(items)).toEqual([0, 1, 2]);
});

test('says so when n8n cannot look up what was sent', async () => {
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

test('does not count as a request for the limit', async () => {
	for (let run = 0; run < 3; run++) await dryRun(deliveries(100), { batchSize: 1 });
	const { items, hints } = await service.run(createOnce(), { items: deliveries(1) });
	expect(outcomesOf(items)).toEqual(['created']);
	expect(hints).toMatchObject([{ message: 'Created 1 delivery.' }]);
});
