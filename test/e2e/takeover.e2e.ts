import { waitFor } from '../../playground/n8n/progress';
import { openQueueInstallation, type QueueInstallation } from './support/queue';
import {
	countCreations,
	countOutcomes,
	orderNames,
	publishSender,
	type Sender,
	type SenderResult,
} from './support/sending';

/*
 * n8n 1 restarts the execution of a crashed worker on another worker. n8n 2 abandons it, which the
 * group "kill" tests.
 */

const orderCount = 100;
const ordersWithSkipping = orderNames('S', orderCount);
const ordersWithoutSkipping = orderNames('O', orderCount);
const senderOptions = { batchSize: 10 };

let installation: QueueInstallation;

beforeAll(async () => {
	installation = await openQueueInstallation('1.123');
	installation.service.control.settings({ latencyMs: 300 });
});

afterAll(async () => await installation?.close());

test('creates no duplicate and reports unknown outcomes when another worker takes over an execution', async () => {
	const sender = await publishSender(installation, senderOptions);
	const takenOver = countOutcomes([await runWithTakeover(sender, ordersWithSkipping)]);
	const creations = countCreations(installation);
	await sender.post(ordersWithSkipping);
	const resent = countOutcomes(await sender.results());
	console.log(`  ${JSON.stringify({ takenOver, resent, created: creations.size })}`);

	expect([...creations.values()].filter((count) => count > 1)).toEqual([]);
	expect(takenOver.alreadyCreated).toBeGreaterThan(0);
	expect(takenOver.created).toBeGreaterThan(0);
	expect(takenOver.unknown).toBeGreaterThan(0);
	expect(resent).toEqual({
		alreadyCreated: orderCount - (takenOver.unknown ?? 0),
		unknown: takenOver.unknown,
	});
	expect(countCreations(installation)).toEqual(creations);
});

test('creates duplicates after a takeover without Skip Already Sent, as docs/run.md says', async () => {
	const sender = await publishSender(installation, { ...senderOptions, skipAlreadySent: false });
	const takenOver = countOutcomes([await runWithTakeover(sender, ordersWithoutSkipping)]);
	const creations = countCreations(installation);

	expect(takenOver).toEqual({ created: orderCount });
	expect(ordersWithoutSkipping.filter((order) => creations.get(order) === 2)).not.toEqual([]);
});

/** Kills the worker that sends the given orders. Returns the result from the worker that takes over. */
async function runWithTakeover(sender: Sender, orders: readonly string[]): Promise<SenderResult> {
	const { control } = installation.service;
	const before = control.requests().length;
	await sender.post(orders);
	await waitFor('the third request', () => control.requests().length > before + 2);
	const [worker] = await installation.busyWorkers();
	if (!worker) throw new Error('Expected a busy worker');
	const replacement = installation.addWorker();
	await installation.killWorker(worker);
	await replacement;
	const [id = ''] = (await worker.loggedExecutions('started')).slice(-1);
	// It waits a minute for the outcomes that the killed worker did not report.
	await waitFor('the execution to end on another worker', async () => {
		const finished = await Promise.all(
			installation.workers.map(({ loggedExecutions }) => loggedExecutions('finished')),
		);
		return finished.flat().includes(id);
	});
	const [execution] = await sender.results();
	if (execution?.id !== id) throw new Error(`Expected execution ${id}`);
	return execution;
}
