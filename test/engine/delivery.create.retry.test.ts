/** n8n's own retries run the whole node again, including the items that were already created. */
import { jsonOf, restart, setUp } from '../support/actionNode';
import { delivery } from '../support/sampleDelivery';

const service = setUp();

beforeEach(restart);

describe.each([false, true])('Retry On Fail with Skip Already Sent: %s', (skipAlreadySent) => {
	const settings = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 };
	const items = [delivery({ referenceId: '#1' })];
	const message = expect.stringContaining('This node already retries. Turn off Retry On Fail');

	test.each([false, true])('sends nothing (Dry Run: %s)', async (dryRun) => {
		const parameters = {
			operation: 'create',
			source: 'json',
			skipAlreadySent,
			options: { dryRun },
		};
		const { error } = await service.run(parameters, { settings, items });
		expect(error).toMatchObject({ message });

		const onError = 'continueRegularOutput';
		const run = await service.run(parameters, { settings, items, onError });
		expect(jsonOf(run.items)).toMatchObject([{ outcome: 'notSent', message }]);
		expect(service.control.requests()).toEqual([]);
	});
});
