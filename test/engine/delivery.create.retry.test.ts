/** Settings of n8n with which orders would be sent twice, or not at all. */
import { fromOrders, jsonOf, restart, setUp } from '../support/actionNode';
import { delivery } from '../support/sampleDelivery';
import { shopifyOrder } from '../support/shopifyOrders';

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

test('Execute Once, which would drop all orders but the first, sends nothing', async () => {
	const items = [shopifyOrder(), shopifyOrder({ id: 2, name: '#2' })];
	const { error } = await service.run(fromOrders, { items, settings: { executeOnce: true } });
	expect(error?.message).toBe(
		'Execute Once would send only the first order. Turn it off in the settings of this node.',
	);
	expect(service.control.requests()).toEqual([]);
});
