/** The operation Delivery: Allow Resending. */
import type { IDataObject, INodeParameters } from 'n8n-workflow';

import { deduplicationStore, type NodeRun, type RunNodeOptions } from '../support/engine/engine';
import { createOnce, outcomesOf, jsonOf, pairedItems, restart, setUp } from '../support/actionNode';
import { deliveries, delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restart);

async function create(items: IDataObject[], options: INodeParameters = {}): Promise<unknown[]> {
	const run = await service.run(createOnce(options), { items, onError: 'continueRegularOutput' });
	return outcomesOf(run.items);
}

const references = (count: number) => Array.from({ length: count }, (_, number) => `R${number}`);

async function allowResending(
	parameters: INodeParameters,
	more: Partial<RunNodeOptions> = {},
): Promise<NodeRun> {
	return await service.run(
		{ resource: 'delivery', operation: 'allowResending', ...parameters },
		more,
	);
}

describe('specific reference IDs', () => {
	test.each<[string, unknown]>([
		['as comma-separated text', 'R0, R2'],
		['as text with extra commas', ' ,R0,,R2 , '],
		['as a list from an expression', '={{ ["R0", "R2"] }}'],
		['as a list with spaces and empty entries', '={{ [" R0 ", "", null, "R2"] }}'],
	])(
		'allows deliveries to be sent again, with reference IDs given %s',
		async (_how, referenceIds) => {
			await create(deliveries(4));
			const { items, error } = await allowResending({ referenceIds: String(referenceIds) });

			expect(error).toBeUndefined();
			expect(items).toEqual(
				['R0', 'R2'].map((referenceId) => ({
					json: { referenceId, allowed: true },
					pairedItem: { item: 0 },
				})),
			);
			expect(await create(deliveries(4))).toEqual([
				...['created', 'alreadyCreated', 'created', 'alreadyCreated'],
			]);
		},
	);

	test('accepts numeric reference IDs', async () => {
		await create([delivery({ referenceId: 1001 })]);
		const { items } = await allowResending({ referenceIds: '={{ 1001 }}' });
		expect(jsonOf(items)).toEqual([{ referenceId: '1001', allowed: true }]);
		expect(await create([delivery({ referenceId: '1001' })])).toEqual(['created']);
	});

	test('accepts reference IDs from several input items', async () => {
		await create(deliveries(3));
		const { items } = await allowResending(
			{ referenceIds: '={{ $json.referenceId }}' },
			{ items: [{ referenceId: 'R2' }, { referenceId: 'R0,R1' }] },
		);
		expect(jsonOf(items).map(({ referenceId }) => referenceId)).toEqual(['R2', 'R0', 'R1']);
		expect(pairedItems(items)).toEqual([0, 1, 1]);
		expect(await create(deliveries(3))).toEqual(['created', 'created', 'created']);
	});

	test('allows a delivery with an unknown outcome to be sent again', async () => {
		service.control.addFault({ kind: 'resetBefore' });
		expect(await create(deliveries(2))).toEqual(['unknown', 'unknown']);
		expect(await create(deliveries(2))).toEqual(['unknown', 'unknown']);

		await allowResending({ referenceIds: 'R1' });
		expect(await create(deliveries(2))).toEqual(['unknown', 'created']);
		expect(service.existing()).toEqual(['R1']);
	});

	const notRemembered = (referenceId: string, companyId: number) => ({
		referenceId,
		allowed: false,
		message: `This workflow doesn't remember this reference ID for company ${companyId}. Check the spelling (including a leading #) and the Company ID option.`,
	});

	test('returns allowed: false for a reference ID that was never sent, and changes nothing', async () => {
		await create(deliveries(1));
		const before = deduplicationStore.snapshot();
		const { items } = await allowResending({ referenceIds: 'R1' });
		expect(jsonOf(items)).toEqual([notRemembered('R1', 1001)]);
		expect(deduplicationStore.snapshot()).toEqual(before);
	});

	test.each<[string, INodeParameters, object]>([
		['in another spelling', { referenceIds: '1001' }, notRemembered('1001', 1001)],
		[
			'for another company',
			{ referenceIds: '#1001', options: { companyId: 1002 } },
			notRemembered('#1001', 1002),
		],
	])('does not clear a reference ID given %s', async (_how, parameters, reported) => {
		service.control.addFault({ kind: 'resetBefore' });
		const order = delivery({ referenceId: '#1001' });
		expect(await create([order])).toEqual(['unknown']);
		const { items } = await allowResending(parameters);
		expect(jsonOf(items)).toEqual([reported]);
		expect(await create([order])).toEqual(['unknown']);
	});

	test('returns an item for each given reference ID, including duplicates', async () => {
		await create(deliveries(1));
		const { items } = await allowResending({ referenceIds: 'R0, R1, R0, R1' });
		const allowed = { referenceId: 'R0', allowed: true };
		const unknown = notRemembered('R1', 1001);
		expect(jsonOf(items)).toEqual([allowed, unknown, allowed, unknown]);
		expect(await create(deliveries(2))).toEqual(['created', 'created']);
		expect(await create(deliveries(2))).toEqual(['alreadyCreated', 'alreadyCreated']);
	});

	test('returns allowed: true also when an earlier item cleared the reference ID', async () => {
		await create(deliveries(2));
		const { items } = await allowResending({ referenceIds: 'R0, X' }, { items: [{}, {}, {}] });
		const perItem = [
			{ referenceId: 'R0', allowed: true },
			{ referenceId: 'X', allowed: false },
		];
		expect(jsonOf(items)).toMatchObject([perItem, perItem, perItem].flat());
	});

	test('clears 130 reference IDs in portions of 33, so that other executions are not blocked', async () => {
		await create(deliveries(120));
		// From then on the node knows the memory of its Base URL.
		await allowResending({ referenceIds: 'X' });
		const before = deduplicationStore.calls.length;
		const { items } = await allowResending({
			referenceIds: `={{ ${JSON.stringify(references(130))} }}`,
		});

		expect(jsonOf(items).map(({ allowed }) => allowed)).toEqual(
			references(130).map((_, number) => number < 120),
		);
		const operations = deduplicationStore.calls
			.slice(before)
			.map(({ operation, scope, items }) =>
				scope === 'node' ? `lock: ${operation}` : `${operation} of ${items.length}`,
			);
		expect(operations).toEqual(
			[33, 33, 33, 31].flatMap((count) => [
				'lock: checkProcessedAndRecord',
				`checkProcessedAndRecord of ${count}`,
				`removeProcessed of ${6 * count}`,
				'lock: clearAllProcessedItems',
			]),
		);
		expect(await create(deliveries(120))).toEqual(Array<string>(120).fill('created'));
	});

	test.each<[string, INodeParameters, unknown[]]>([
		['the company of the credential by default', {}, ['created', 'alreadyCreated']],
		['the company in the options', { companyId: 1002 }, ['alreadyCreated', 'created']],
		[
			'the company of the credential when given in the options',
			{ companyId: '1001' },
			['created', 'alreadyCreated'],
		],
	])('clears reference IDs only for %s', async (_which, options, outcomes) => {
		await create(deliveries(1));
		await create(deliveries(1), { companyId: 1002 });
		await allowResending({ referenceIds: 'R0', options });
		expect([
			...(await create(deliveries(1))),
			...(await create(deliveries(1), { companyId: 1002 })),
		]).toEqual(outcomes);
	});

	test('rejects reference IDs when no company ID is set', async () => {
		const credential = { ...service.credential, companyId: '' };
		const { items, error } = await allowResending({ referenceIds: 'R1' }, { credential });

		expect(items).toEqual([]);
		expect(error?.message).toBe('The Delivery Service Company ID is missing [item 0]');
	});

	test.each(['specific', 'all'])(
		'clears nothing (%s) when the expression of the company returns nothing',
		async (references) => {
			await create(deliveries(1));
			const { error } = await allowResending({
				references,
				referenceIds: 'R0',
				options: { companyId: '={{ $json.company }}' },
			});
			expect(error?.message).toBe('Delivery Service: the option Company ID is empty [item 0]');
			expect(await create(deliveries(1))).toEqual(['alreadyCreated']);
		},
	);

	test('rejects All Deliveries combined with a Company ID, and clears nothing', async () => {
		await create(deliveries(1));
		const { error } = await allowResending({ references: 'all', options: { companyId: '1002' } });
		expect(error).toMatchObject({
			message:
				"All Deliveries applies to every company, so it can't be combined with Company ID [item 0]",
			description: expect.stringContaining('Nothing was cleared.'),
		});
		expect(await create(deliveries(1))).toEqual(['alreadyCreated']);
	});

	test('clears reference IDs of the current workflow only', async () => {
		await create(deliveries(1));
		await allowResending({ referenceIds: 'R0' }, { workflowId: 'another workflow' });
		expect(await create(deliveries(1))).toEqual(['alreadyCreated']);
	});

	test.each([
		['no reference IDs', { referenceIds: ' , ' }, /^Reference ID: at least one is required/],
		['an invalid company ID', { referenceIds: 'R0', options: { companyId: 'x' } }, /x/],
	])('clears nothing when given %s', async (_what, parameters, message) => {
		await create(deliveries(1));
		const before = deduplicationStore.snapshot();
		const { error } = await allowResending(parameters);
		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(deduplicationStore.snapshot()).toEqual(before);
	});

	test('returns an error item when the store fails, with On Error: Continue', async () => {
		await create(deliveries(3));
		deduplicationStore.addFault({
			kind: 'fail',
			operation: 'removeProcessed',
			when: 'before',
			skip: 1,
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

describe('all deliveries', () => {
	test('allows all deliveries to be sent again, whatever their company and outcome', async () => {
		await create(deliveries(2));
		await create(deliveries(1), { companyId: 1002 });
		service.control.addFault({ kind: 'resetBefore' });
		await create([delivery({ referenceId: 'U' })]);

		const { items } = await allowResending({ references: 'all' });
		expect(items).toEqual([
			{ json: { references: 'all', allowed: true }, pairedItem: { item: 0 } },
		]);
		expect(deduplicationStore.count('workflow')).toBe(0);
		expect(await create([...deliveries(2), delivery({ referenceId: 'U' })])).toEqual([
			...['created', 'created', 'created'],
		]);
		expect(await create(deliveries(1), { companyId: 1002 })).toEqual(['created']);
	});

	test('clears all deliveries of the current workflow only', async () => {
		await create(deliveries(1));
		await allowResending({ references: 'all' }, { workflowId: 'another workflow' });
		expect(await create(deliveries(1))).toEqual(['alreadyCreated']);
	});
});

test('sends no request to the service', async () => {
	await allowResending({ referenceIds: 'R0' });
	await allowResending({ references: 'all' });
	expect(service.control.requests()).toEqual([]);
});
