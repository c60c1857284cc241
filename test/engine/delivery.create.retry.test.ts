/** n8n's own retries run the whole node again, including the items that were already created. */
import { jsonOf, outcomesOf, restart, setUp } from '../support/actionNode';
import { delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restart);

describe.each([false, true])('Retry On Fail with Skip Already Sent: %s', (skipAlreadySent) => {
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const items = [delivery({ referenceId: '#1' })];
	const message = expect.stringContaining('This node already retries. Turn off Retry On Fail');

	test.each([false, true])('sends nothing (Dry Run: %s)', async (dryRun) => {
		const parameters = {
			...{ operation: 'create', source: 'json', skipAlreadySent, options: { dryRun } },
		};
		const { error } = await service.run(parameters, { settings, items });
		expect(error).toMatchObject({ message });

		const onError = 'continueRegularOutput';
		const run = await service.run(parameters, { settings, items, onError });
		expect(jsonOf(run.items)).toMatchObject([{ outcome: 'notSent', message }]);
		expect(service.control.requests()).toEqual([]);
	});
});

describe('retry of a failed execution', () => {
	const items = ['#1', '#2'].map((referenceId) => delivery({ referenceId }));
	const parameters = { operation: 'create', source: 'json', options: { batchSize: 1 } };
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
});
