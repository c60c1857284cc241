/** Delivery: Allow Resending. */
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

async function forget(
	parameters: INodeParameters,
	more: Partial<RunNodeOptions> = {},
): Promise<NodeRun> {
	return await service.run(
		{ resource: 'delivery', operation: 'allowResending', ...parameters },
		more,
	);
}

describe('chosen references', () => {
	test.each<[string, unknown]>([
		['as text with commas', 'R0, R2'],
		['as text with commas too many', ' ,R0,,R2 , '],
		['as a list from an expression', '={{ ["R0", "R2"] }}'],
		['as a list with blanks and empty entries', '={{ [" R0 ", "", null, "R2"] }}'],
	])('can be sent again once they are forgotten, given %s', async (_how, referenceIds) => {
		await create(deliveries(4));
		const { items, error } = await forget({ referenceIds: String(referenceIds) });

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
	});

	test('may be numbers', async () => {
		await create([delivery({ referenceId: 1001 })]);
		const { items } = await forget({ referenceIds: '={{ 1001 }}' });
		expect(jsonOf(items)).toEqual([{ referenceId: '1001', allowed: true }]);
		expect(await create([delivery({ referenceId: '1001' })])).toEqual(['created']);
	});

	test('may come from the items, one after the other', async () => {
		await create(deliveries(3));
		const { items } = await forget(
			{ referenceIds: '={{ $json.referenceId }}' },
			{ items: [{ referenceId: 'R2' }, { referenceId: 'R0,R1' }] },
		);
		expect(jsonOf(items).map(({ referenceId }) => referenceId)).toEqual(['R2', 'R0', 'R1']);
		expect(pairedItems(items)).toEqual([0, 1, 1]);
		expect(await create(deliveries(3))).toEqual(['created', 'created', 'created']);
	});

	test('whose outcome is unknown can be sent again', async () => {
		service.control.addFault({ kind: 'resetBefore' });
		expect(await create(deliveries(2))).toEqual(['unknown', 'unknown']);
		expect(await create(deliveries(2))).toEqual(['unknown', 'unknown']);

		await forget({ referenceIds: 'R1' });
		expect(await create(deliveries(2))).toEqual(['unknown', 'created']);
		expect(service.existing()).toEqual(['R1']);
	});

	const notRemembered = (referenceId: string, companyId: number) => ({
		referenceId,
		allowed: false,
		message: `This workflow remembers no such reference for company ${companyId}: check the spelling, also a leading #, and the option Company ID.`,
	});

	test('that were never sent do no harm, and it is told that there was nothing to forget', async () => {
		await create(deliveries(1));
		const before = deduplicationStore.snapshot();
		const { items } = await forget({ referenceIds: 'R1' });
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
	])('stay as they are when they are named %s', async (_how, parameters, told) => {
		service.control.addFault({ kind: 'resetBefore' });
		const order = delivery({ referenceId: '#1001' });
		expect(await create([order])).toEqual(['unknown']);
		const { items } = await forget(parameters);
		expect(jsonOf(items)).toEqual([told]);
		expect(await create([order])).toEqual(['unknown']);
	});

	test('are told each for itself, also one that is named twice', async () => {
		await create(deliveries(1));
		const { items } = await forget({ referenceIds: 'R0, R1, R0, R1' });
		const forgotten = { referenceId: 'R0', allowed: true };
		const unknown = notRemembered('R1', 1001);
		expect(jsonOf(items)).toEqual([forgotten, unknown, forgotten, unknown]);
		expect(await create(deliveries(2))).toEqual(['created', 'created']);
		expect(await create(deliveries(2))).toEqual(['alreadyCreated', 'alreadyCreated']);
	});

	test('are forgotten also when an item before has named them', async () => {
		await create(deliveries(2));
		const { items } = await forget({ referenceIds: 'R0, X' }, { items: [{}, {}, {}] });
		const told = [
			{ referenceId: 'R0', allowed: true },
			{ referenceId: 'X', allowed: false },
		];
		expect(jsonOf(items)).toMatchObject([told, told, told].flat());
	});

	test('are forgotten some at a time, so that n8n and other executions go on meanwhile', async () => {
		await create(deliveries(120));
		const before = deduplicationStore.calls.length;
		const { items } = await forget({ referenceIds: `={{ ${JSON.stringify(references(130))} }}` });

		expect(jsonOf(items).map(({ allowed }) => allowed)).toEqual(
			references(130).map((_, number) => number < 120),
		);
		const turns = deduplicationStore.calls
			.slice(before)
			.map(({ operation, scope, items }) =>
				scope === 'node' ? `lock: ${operation}` : `${operation} of ${items.length}`,
			);
		expect(turns).toEqual(
			[50, 50, 30].flatMap((count) => [
				'lock: checkProcessedAndRecord',
				`checkProcessedAndRecord of ${count}`,
				`removeProcessed of ${4 * count}`,
				'lock: clearAllProcessedItems',
			]),
		);
		expect(await create(deliveries(120))).toEqual(Array<string>(120).fill('created'));
	});

	test.each<[string, INodeParameters, unknown[]]>([
		['the own company by default', {}, ['created', 'alreadyCreated']],
		['the company of the options', { companyId: 1002 }, ['alreadyCreated', 'created']],
		['the own company when it is named', { companyId: '1001' }, ['created', 'alreadyCreated']],
	])('are those of %s', async (_which, options, outcomes) => {
		await create(deliveries(1));
		await create(deliveries(1), { companyId: 1002 });
		await forget({ referenceIds: 'R0', options });
		expect([
			...(await create(deliveries(1))),
			...(await create(deliveries(1), { companyId: 1002 })),
		]).toEqual(outcomes);
	});

	test('are of no company when none is known, and nothing is said to be forgotten', async () => {
		const credential = { ...service.credential, companyId: '' };
		const { items, error } = await forget({ referenceIds: 'R1' }, { credential });

		expect(items).toEqual([]);
		expect(error?.message).toBe('The Delivery Service Company ID is missing [item 0]');
	});

	test('are not forgotten where a company is named: they are those of all companies', async () => {
		await create(deliveries(1));
		const { error } = await forget({ references: 'all', options: { companyId: '1002' } });
		expect(error).toMatchObject({
			message:
				'Everything is forgotten for all companies, not only for the one under Company ID [item 0]',
			description: expect.stringContaining('Nothing was forgotten.'),
		});
		expect(await create(deliveries(1))).toEqual(['alreadyCreated']);
	});

	test('are those of the workflow that forgets', async () => {
		await create(deliveries(1));
		await forget({ referenceIds: 'R0' }, { workflowId: 'another workflow' });
		expect(await create(deliveries(1))).toEqual(['alreadyCreated']);
	});

	test.each([
		['no references', { referenceIds: ' , ' }, /^Reference ID: at least one is required/],
		['a company that is none', { referenceIds: 'R0', options: { companyId: 'x' } }, /x/],
	])('are not forgotten with %s', async (_what, parameters, message) => {
		await create(deliveries(1));
		const before = deduplicationStore.snapshot();
		const { error } = await forget(parameters);
		expect(error?.message).toMatch(message);
		expect(error?.message).toMatch(/\[item 0\]$/);
		expect(deduplicationStore.snapshot()).toEqual(before);
	});

	test('that cannot be forgotten have an error item, and the others are, when the node goes on', async () => {
		await create(deliveries(3));
		deduplicationStore.addFault({
			kind: 'fail',
			operation: 'removeProcessed',
			when: 'before',
			skip: 1,
		});
		const { items } = await forget(
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

describe('all references', () => {
	test('can be sent again once they are forgotten, whatever their company and outcome', async () => {
		await create(deliveries(2));
		await create(deliveries(1), { companyId: 1002 });
		service.control.addFault({ kind: 'resetBefore' });
		await create([delivery({ referenceId: 'U' })]);

		const { items } = await forget({ references: 'all' });
		expect(items).toEqual([
			{ json: { references: 'all', allowed: true }, pairedItem: { item: 0 } },
		]);
		expect(deduplicationStore.count('workflow')).toBe(0);
		expect(await create([...deliveries(2), delivery({ referenceId: 'U' })])).toEqual([
			...['created', 'created', 'created'],
		]);
		expect(await create(deliveries(1), { companyId: 1002 })).toEqual(['created']);
	});

	test('are those of the workflow that forgets', async () => {
		await create(deliveries(1));
		await forget({ references: 'all' }, { workflowId: 'another workflow' });
		expect(await create(deliveries(1))).toEqual(['alreadyCreated']);
	});
});

test('sends nothing to the service', async () => {
	await forget({ referenceIds: 'R0' });
	await forget({ references: 'all' });
	expect(service.control.requests()).toEqual([]);
});
