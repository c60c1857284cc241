/** The operation Delivery: Allow Resending. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { deduplicationStore, type NodeRun, type RunNodeOptions } from '../support/engine/engine';
import {
	createOnce,
	jsonOf,
	outcomesOf,
	pairedItems,
	restartWithoutWaits,
	setUp,
} from '../support/actionNode';
import { deliveries, delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restartWithoutWaits);

async function create(items: IDataObject[], options: INodeParameters = {}): Promise<unknown[]> {
	const run = await service.run(createOnce(options), { items, onError: 'continueRegularOutput' });
	return outcomesOf(run.items);
}

async function allowResending(
	parameters: INodeParameters,
	more: Partial<RunNodeOptions> = {},
): Promise<NodeRun> {
	return await service.run(
		{ resource: 'delivery', operation: 'allowResending', ...parameters },
		more,
	);
}

const allowed = (referenceId: string) => ({
	referenceId,
	allowed: true,
	message: `${referenceId} is sent when it comes in again, from any shop in this workflow. For a whole order, its fulfillment orders are too.`,
});

const notRemembered = (referenceId: string) => ({
	referenceId,
	allowed: false,
	message:
		"This workflow doesn't remember this reference ID. Check the spelling (including a leading #) and the option Child Company ID.",
});

describe('specific reference IDs', () => {
	test.each<[string, string]>([
		['as text with extra commas', ' ,R0,,R2 , '],
		['as a list with spaces and empty entries', '={{ [" R0 ", "", null, "R2"] }}'],
	])('sends deliveries again whose reference IDs are given %s', async (_how, referenceIds) => {
		await create(deliveries(4));
		const { items, error } = await allowResending({ referenceIds });

		expect(error).toBeUndefined();
		expect(items).toEqual(
			['R0', 'R2'].map((id) => ({ json: allowed(id), pairedItem: { item: 0 } })),
		);
		const again = ['created', 'alreadyCreated', 'created', 'alreadyCreated'];
		expect(await create(deliveries(4))).toEqual(again);
		expect(await create(deliveries(4))).toEqual(again.map(() => 'alreadyCreated'));
	});

	test('returns an item for each given reference ID, in the order of the input items', async () => {
		await create(deliveries(2));
		const { items } = await allowResending(
			{ referenceIds: '={{ $json.referenceId }}' },
			{ items: [{ referenceId: 'R1' }, { referenceId: 'R0, R1, R2, R0' }] },
		);
		expect(jsonOf(items)).toEqual([
			allowed('R1'),
			allowed('R0'),
			allowed('R1'),
			notRemembered('R2'),
			allowed('R0'),
		]);
		expect(pairedItems(items)).toEqual([0, 1, 1, 1, 1]);
		expect(await create(deliveries(2))).toEqual(['created', 'created']);
	});

	test.each<[string, INodeParameters]>([
		['R0-77', {}],
		['other', { orderReferenceId: 'R0' }],
	])('names the order of %s, which was sent whole', async (referenceIds, options) => {
		await create(deliveries(1));
		const { items } = await allowResending({ referenceIds, options });
		const message = `${referenceIds} is not allowed, because its whole order was sent or may have been sent. If the Delivery Service has no delivery of the order, use Allow Resending with the reference ID of the order.`;
		expect(jsonOf(items)).toEqual([{ referenceId: referenceIds, allowed: false, message }]);
		expect(await create(deliveries(1))).toEqual(['alreadyCreated']);
	});

	test('sends a delivery with an unknown outcome again', async () => {
		service.control.addFault({ kind: 'resetBefore' });
		for (let times = 0; times < 2; times++)
			expect(await create(deliveries(2))).toEqual(['unknown', 'unknown']);
		await allowResending({ referenceIds: 'R1' });
		expect(await create(deliveries(2))).toEqual(['unknown', 'created']);
		expect(service.existing()).toEqual(['R1']);
	});

	test.each<[string, INodeParameters, unknown[]]>([
		['the own company by default', {}, ['created', 'alreadyCreated']],
		['the child company in the options', { companyId: 1002 }, ['alreadyCreated', 'created']],
		['the own company in the options', { companyId: 1001 }, ['created', 'alreadyCreated']],
	])('applies only to %s', async (_which, options, outcomes) => {
		const createForBoth = async () => [
			...(await create(deliveries(1))),
			...(await create(deliveries(1), { companyId: 1002 })),
		];
		expect(await createForBoth()).toEqual(['created', 'created']);
		await allowResending({ referenceIds: 'R0', options });
		expect(await createForBoth()).toEqual(outcomes);
	});

	test.each<[string, INodeParameters, string]>([
		['no reference IDs', { referenceIds: ' , ' }, 'Reference ID: at least one is required'],
		['an object', { referenceIds: '={{ $json }}' }, 'Reference ID (an object) is not text'],
		[
			'an invalid company ID',
			{ referenceIds: 'R0', options: { companyId: 'x' } },
			'Company ID "x" is not a number',
		],
	])('clears nothing when given %s', async (_what, parameters, message) => {
		await create(deliveries(1));
		const before = deduplicationStore.snapshot();
		const { error } = await allowResending(parameters);
		expect(error?.message).toBe(`${message} [item 0]`);
		expect(deduplicationStore.snapshot()).toEqual(before);
	});

	test('returns an error item when the store fails, with On Error: Continue', async () => {
		await create(deliveries(3));
		deduplicationStore.addFault({
			kind: 'fail',
			operation: 'checkProcessedAndRecord',
			scope: 'workflow',
			when: 'before',
			entry: /"R1"/,
		});
		const { items } = await allowResending(
			{ referenceIds: '={{ $json.referenceId }}' },
			{ items: deliveries(3), onError: 'continueRegularOutput' },
		);
		expect(items).toMatchObject([
			{ json: { referenceId: 'R0', allowed: true }, pairedItem: { item: 0 } },
			{
				json: { error: { message: expect.stringMatching(/did not answer \[item 1\]$/) } },
				pairedItem: { item: 1 },
			},
			{ json: { referenceId: 'R2', allowed: true }, pairedItem: { item: 2 } },
		]);
		expect(await create(deliveries(3))).toEqual(['created', 'alreadyCreated', 'created']);
	});
});

test('sends all deliveries again, whatever their company and outcome', async () => {
	await create(deliveries(2));
	await create(deliveries(1), { companyId: 1002 });
	service.control.addFault({ kind: 'resetBefore' });
	const unknown = delivery({ referenceId: 'U' });
	expect(await create([unknown])).toEqual(['unknown']);

	const { items } = await allowResending({ references: 'all' });
	const message = 'Every delivery of this workflow may be sent again if it comes in again.';
	expect(jsonOf(items)).toEqual([{ references: 'all', allowed: true, message }]);
	expect(deduplicationStore.count('workflow')).toBe(0);
	expect(await create([...deliveries(2), unknown])).toEqual(['created', 'created', 'created']);
	expect(await create(deliveries(1), { companyId: 1002 })).toEqual(['created']);
});
