/** n8n's own "Retry On Fail" runs the whole node again: also for the items that were created. */
import { delivery, setUp } from './support';

const service = setUp();

const retrying = { settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 } };

test('Retry On Fail is refused where nothing keeps a delivery from being created twice', async () => {
	const run = await service.run(
		{ source: 'json' },
		{ ...retrying, items: [delivery({ referenceId: '#1' })] },
	);
	expect(run.error?.message).toContain('could create deliveries twice');
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
