/** n8n's own retries run the whole node again, including the items that were already created. */
import type { IDataObject } from 'n8n-workflow';

import type { FaultInput } from '../../playground/service/faults';
import { outcomesOf, jsonOf, restart, setUp } from '../support/actionNode';
import { delivery } from '../support/sampleDelivery';
import { deduplicationStore, runWorkflow } from '../support/engine/engine';

const service = setUp();

beforeEach(restart);

const retrying = { settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } };

/** JSON deliveries whose reference ID is different whenever it is read, as with $now. */
const changingReference = {
	operation: 'create',
	source: 'json',
	deliveryJson: '={{ ({ ...$json, referenceId: $json.referenceId + " " + Math.random() }) }}',
	advanced: { batchSize: 1 },
};

/** The deliveries as the service has them, without the changing part of their reference IDs. */
const existing = () => service.existing().map((referenceId) => String(referenceId).split(' ')[0]);

describe.each([false, true])('Retry On Fail with Skip Already Sent: %s', (skipAlreadySent) => {
	const items = ['#1', '#2', '#3'].map((referenceId) => delivery({ referenceId }));
	const parameters = { ...changingReference, skipAlreadySent };

	test('sends a delivery once, though its reference ID changes with each attempt', async () => {
		service.control.addFault({ kind: 'status', status: 401, skip: 1 });
		const run = await service.run(parameters, { ...retrying, items });
		expect(run.error).toBeUndefined();
		expect(outcomesOf(run.items)).toEqual(['created', 'created', 'created']);
		expect(existing()).toEqual(['#1', '#2', '#3']);
		expect(run.items.map(({ json }) => json.referenceId)).toEqual(service.existing());
		expect(run.hints).toMatchObject([{ message: 'Created 3 deliveries.' }]);
	});

	test('does not send an unknown delivery again, and sends the others', async () => {
		service.control.addFault({ kind: 'resetAfter', skip: 1 });
		const { error } = await service.run(parameters, { ...retrying, items });
		expect(existing()).toEqual(['#1', '#2', '#3']);
		expect(error?.message).toMatch(/^It is unknown whether #\d.* was created/);
		expect(error?.message).toContain('2 of 3 deliveries created');
		expect(error?.description).toMatch(/Created \(2\): #1 .*, #3 .*Possibly created: #2 /);
	});

	test('reports the outcome of each item with On Error: Continue', async () => {
		service.control.addFault({ kind: 'resetAfter' });
		service.control.addFault({ kind: 'status', status: 422, skip: 1, times: null });
		const { items: output } = await service.run(parameters, {
			...retrying,
			items,
			onError: 'continueRegularOutput',
		});
		expect(outcomesOf(output)).toEqual(['unknown', 'created', 'rejected']);
		expect(existing()).toEqual(['#1', '#2']);
	});

	test('does not take a second run of the node in the same execution for a retry', async () => {
		const wire = (node: string) => ({ node, type: 'main' as const, index: 0 });
		const start = 'n8n-nodes-base.manualTrigger';
		const at = { typeVersion: 1, position: [0, 0] as [number, number], parameters: {} };
		const run = await runWorkflow(
			{
				nodes: [
					{ ...at, id: 'start', name: 'Start', type: start },
					{ ...at, id: 'pass', name: 'Pass', type: start },
					{
						...at,
						id: 'create',
						name: 'Create',
						type: 'n8n-nodes-delivery-service.deliveryService',
						parameters,
						...retrying.settings,
					},
				],
				connections: {
					Start: { main: [[wire('Create'), wire('Pass')]] },
					Pass: { main: [[wire('Create')]] },
				},
			},
			{ startNode: 'Start', items, credentials: { deliveryServiceApi: service.credential } },
		);
		expect(run.runData.Create).toHaveLength(2);
		expect(existing()).toEqual(['#1', '#2', '#3', '#1', '#2', '#3']);
	});
});

test('sends only the unsent deliveries in a retry with Skip Already Sent', async () => {
	service.control.addFault({ kind: 'status', status: 401, skip: 1 });
	const run = await service.run(
		{ operation: 'create', source: 'json', skipAlreadySent: true, advanced: { batchSize: 1 } },
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

describe('delivery created by an earlier attempt', () => {
	const parameters = {
		operation: 'create',
		source: 'json',
		skipAlreadySent: true,
		advanced: { batchSize: 1 },
	};
	const items = ['#1', '#2'].map((referenceId) => delivery({ referenceId }));
	const idOf = (referenceId: string) =>
		service.control.deliveries().find(({ request }) => request.referenceId === referenceId)?.record
			.id;

	test('reports a delivery of an earlier attempt as created, with its ID', async () => {
		service.control.addFault({ kind: 'status', status: 401, skip: 1 });
		const run = await service.run(parameters, { ...retrying, items });
		expect(jsonOf(run.items)).toMatchObject([
			{ id: idOf('#1'), referenceId: '#1' },
			{ id: idOf('#2'), referenceId: '#2' },
		]);
		expect(run.hints).toMatchObject([{ message: 'Created 2 deliveries.' }]);
	});

	test('reports a delivery of an earlier attempt as created with On Error: Continue', async () => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['#1'] });
		const run = await service.run(parameters, {
			...retrying,
			items,
			onError: 'continueRegularOutput',
		});
		expect(outcomesOf(run.items)).toEqual(['rejected', 'created']);
	});

	test('lists a delivery of an earlier attempt in the error of the last one', async () => {
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['#2'] });
		const { error } = await service.run(parameters, { ...retrying, items });
		expect(error?.message).toContain('1 of 2 deliveries created');
		expect(error?.description).toContain(`Created: #1 (ID ${idOf('#1')}).`);
	});

	/** Lets the first attempt fail with a fault of the service, and the later ones with one of the store. */
	async function failLaterAttempts(fault: FaultInput, items: IDataObject[]): Promise<void> {
		const records = { operation: 'checkProcessedAndRecord', scope: 'workflow' } as const;
		const { operation, scope } = records;
		service.control.addFault(fault);
		// The first attempt records as often as the first run of another workflow.
		await service.run(parameters, { items, workflowId: 'another workflow' });
		const skip = deduplicationStore.calls.filter(
			(call) => call.operation === operation && call.scope === scope,
		).length;
		service.control.reset();
		service.control.addFault(fault);
		deduplicationStore.addFault({ ...records, kind: 'fail', when: 'before', skip, times: 100 });
	}

	test('lists a delivery of an earlier attempt as created if the store fails in a later one', async () => {
		await failLaterAttempts({ kind: 'rejectReference', referenceIds: ['#2'] }, items);
		const { error } = await service.run(parameters, { ...retrying, items });
		expect(error?.message).toContain('n8n could not check which reference IDs were already sent');
		expect(error?.message).toContain('1 of 2 deliveries created');
		expect(error?.description).toContain(`Created: #1 (ID ${idOf('#1')}).`);
		expect(error?.description).toContain('Not sent: #2.');
	});

	test('keeps the outcome of an earlier attempt unknown if the store fails in a later one', async () => {
		const one = [delivery({ referenceId: '#1' })];
		await failLaterAttempts({ kind: 'resetAfter' }, one);
		const { error } = await service.run(parameters, { ...retrying, items: one });
		expect(service.creations()).toHaveLength(1);
		expect(error?.message).toMatch(/^It is unknown whether #\d.* was created/);
		expect(error?.description).toContain('Possibly created: #1.');
	});

	test('shows the message that the service returned to an earlier attempt', async () => {
		const body = { code: 'E1', message: 'Because' };
		service.control.addFault({ kind: 'statusAfter', status: 500, body });
		const one = [delivery({ referenceId: '#1' })];
		const { error } = await service.run(parameters, { ...retrying, items: one });
		expect(service.creations()).toHaveLength(1);
		expect(error?.message).toContain('(status 500)');
		expect(error?.description).toContain('Because (E1)');
	});

	test('skips deliveries of an earlier run, even with the same data', async () => {
		await service.run(parameters, { ...retrying, items });
		const { items: output } = await service.run(parameters, { ...retrying, items });
		expect(outcomesOf(output)).toEqual(['alreadyCreated', 'alreadyCreated']);
	});
});

describe('retry of a failed execution', () => {
	const items = ['#1', '#2'].map((referenceId) => delivery({ referenceId }));
	const parameters = { operation: 'create', source: 'json', advanced: { batchSize: 1 } };
	const isRetry = { mode: 'retry' } as const;

	test('rejects the retry of an execution without Skip Already Sent', async () => {
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

	test('sends the unsent deliveries in the retry of an execution with Skip Already Sent', async () => {
		const skipping = { ...parameters, skipAlreadySent: true };
		service.control.addFault({ kind: 'rejectReference', referenceIds: ['#2'], times: 1 });
		await service.run(skipping, { items });
		const run = await service.run(skipping, { items, ...isRetry });
		expect(outcomesOf(run.items)).toEqual(['alreadyCreated', 'created']);
	});

	test('allows the retry of an execution as a dry run, which sends nothing', async () => {
		const run = await service.run(
			{ ...parameters, advanced: { batchSize: 1 }, options: { dryRun: true } },
			{ items, ...isRetry },
		);
		expect(jsonOf(run.items)).toMatchObject([{ wouldSend: true }, { wouldSend: true }]);
		expect(service.creations()).toEqual([]);
	});
});
