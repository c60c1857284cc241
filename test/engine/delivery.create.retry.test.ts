/** n8n's own retries run the whole node again: also for the items that were created. */
import type { IDataObject } from 'n8n-workflow';

import type { FaultInput } from '../../playground/service/faults';
import { outcomesOf, jsonOf, restart, setUp } from '../support/actionNode';
import { delivery } from '../support/sampleDelivery';
import { deduplicationStore } from '../support/engine/engine';

const service = setUp();

beforeEach(restart);

const retrying = { settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } };

test('Retry On Fail is refused where nothing keeps a delivery from being created twice', async () => {
	const run = await service.run(
		{ source: 'json' },
		{ ...retrying, items: [delivery({ referenceId: '#1' })] },
	);
	expect(run.error?.message).toBe('Turn on "Skip Already Sent" to use "Retry On Fail"');
	expect(service.creations()).toEqual([]);
});

test('with the option that skips what was sent, a retry sends only what was not', async () => {
	service.control.addFault({ kind: 'status', status: 401, skip: 1 });
	const run = await service.run(
		{ source: 'json', skipAlreadySent: true, options: { batchSize: 1 } },
		{ ...retrying, items: [delivery({ referenceId: '#1' }), delivery({ referenceId: '#2' })] },
	);
	expect(run.error).toBeUndefined();
	expect(run.items).toHaveLength(2);
	expect(service.creations()).toHaveLength(3);
	expect(service.control.deliveries().map(({ request }) => request.referenceId)).toEqual([
		'#1',
		'#2',
	]);
});

describe('what an earlier try created', () => {
	const parameters = { source: 'json', skipAlreadySent: true, options: { batchSize: 1 } };
	const items = ['#1', '#2'].map((referenceId) => delivery({ referenceId }));
	const idOf = (referenceId: string) =>
		service.control.deliveries().find(({ request }) => request.referenceId === referenceId)?.record
			.id;

	test('comes out as created when a later try succeeds, with its ID', async () => {
		service.control.addFault({ kind: 'status', status: 401, skip: 1 });
		const run = await service.run(parameters, { ...retrying, items });
		expect(jsonOf(run.items)).toMatchObject([
			{ id: idOf('#1'), referenceId: '#1' },
			{ id: idOf('#2'), referenceId: '#2' },
		]);
		expect(run.hints).toMatchObject([{ message: 'Created 2 deliveries.' }]);
	});

	test('comes out as created when the node goes on after errors', async () => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['#1'] });
		const run = await service.run(parameters, {
			...retrying,
			items,
			onError: 'continueRegularOutput',
		});
		expect(outcomesOf(run.items)).toEqual(['rejected', 'created']);
	});

	test('is told by the error of the last try', async () => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['#2'] });
		const { error } = await service.run(parameters, { ...retrying, items });
		expect(error?.message).toContain('1 of 2 deliveries created');
		expect(error?.description).toContain(`Created: #1 (ID ${idOf('#1')}).`);
	});

	/** Lets the store fail for every try after the first, which meets a fault of the service. */
	async function failAfterFirstTry(fault: FaultInput, items: IDataObject[]): Promise<void> {
		const records = { operation: 'checkProcessedAndRecord', scope: 'workflow' } as const;
		const { operation, scope } = records;
		service.control.addFault(fault);
		// The first try records as often as a run of a workflow that remembers nothing either.
		await service.run(parameters, { items, workflowId: 'another workflow' });
		const skip = deduplicationStore.calls.filter(
			(call) => call.operation === operation && call.scope === scope,
		).length;
		service.control.reset();
		service.control.addFault(fault);
		deduplicationStore.addFault({ ...records, kind: 'fail', when: 'before', skip, times: 100 });
	}

	test('comes out as created when the store fails in a later try', async () => {
		await failAfterFirstTry({ kind: 'rejectReference', referenceIds: ['#2'] }, items);
		const { error } = await service.run(parameters, { ...retrying, items });
		expect(error?.message).toContain('n8n could not check which reference IDs were already sent');
		expect(error?.message).toContain('1 of 2 deliveries created');
		expect(error?.description).toContain(`Created: #1 (ID ${idOf('#1')}).`);
		expect(error?.description).toContain('Not sent: #2.');
	});

	test('and what it left unknown is still unknown when the store fails in a later try', async () => {
		const one = [delivery({ referenceId: '#1' })];
		await failAfterFirstTry({ kind: 'resetAfter' }, one);
		const { error } = await service.run(parameters, { ...retrying, items: one });
		expect(service.creations()).toHaveLength(1);
		expect(error?.message).toContain('It is unknown whether this delivery was created');
		expect(error?.description).toContain('Possibly created: #1.');
	});

	test('and what it left unknown is told with the words of the service, which later tries do not hear', async () => {
		const body = { code: 'E1', message: 'Because' };
		service.control.addFault({ kind: 'statusAfter', status: 500, body });
		const one = [delivery({ referenceId: '#1' })];
		const { error } = await service.run(parameters, { ...retrying, items: one });
		expect(service.creations()).toHaveLength(1);
		expect(error?.message).toContain('(status 500)');
		expect(error?.description).toContain('Because (E1)');
	});

	test('is skipped as before in another run, even with the same data', async () => {
		await service.run(parameters, { ...retrying, items });
		const { items: output } = await service.run(parameters, { ...retrying, items });
		expect(outcomesOf(output)).toEqual(['alreadyCreated', 'alreadyCreated']);
	});
});

describe('the retry of an execution that failed', () => {
	const items = ['#1', '#2'].map((referenceId) => delivery({ referenceId }));
	const parameters = { source: 'json', options: { batchSize: 1 } };
	const isRetry = { mode: 'retry' } as const;

	test('is refused where nothing keeps a delivery from being created twice', async () => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['#2'], times: 1 });
		const failed = await service.run(parameters, { items });
		expect(failed.error?.message).toContain('1 of 2 deliveries created');
		const { error } = await service.run(parameters, { items, ...isRetry });
		expect(error).toMatchObject({
			message: 'Without "Skip Already Sent", retrying this execution could create deliveries twice',
			description: expect.stringMatching(
				/failed before this node.* choose Retry with currently saved workflow\. If it failed in this node, .*: its error lists them/,
			),
		});
		expect(service.existing()).toEqual(['#1']);
		expect(service.creations()).toHaveLength(2);
	});

	test('sends what is missing where what was sent is skipped', async () => {
		const skipping = { ...parameters, skipAlreadySent: true };
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['#2'], times: 1 });
		await service.run(skipping, { items });
		const run = await service.run(skipping, { items, ...isRetry });
		expect(outcomesOf(run.items)).toEqual(['alreadyCreated', 'created']);
	});

	test('is a Dry Run like any other, which sends nothing', async () => {
		const run = await service.run(
			{ ...parameters, options: { batchSize: 1, dryRun: true } },
			{ items, ...isRetry },
		);
		expect(jsonOf(run.items)).toMatchObject([{ dryRun: true }, { dryRun: true }]);
		expect(service.creations()).toEqual([]);
	});
});
