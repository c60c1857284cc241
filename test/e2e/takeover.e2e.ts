import { waitFor } from '../../playground/n8n/progress';
import { openQueueWorld, type QueueWorld } from './support/queue';
import {
	creationsOf,
	orderNames,
	publishSender,
	tally,
	type Sender,
	type SentExecution,
} from './support/sending';

/*
 * n8n 1 gives the execution of a worker that is gone to another worker, from its beginning. n8n 2
 * gives it up, which the group "kill" tries.
 */

const orderCount = 100;
const orders = { skipping: orderNames('S', orderCount), others: orderNames('O', orderCount) };
const sending = { batchSize: 10 };

let installation: QueueWorld;

beforeAll(async () => {
	installation = await openQueueWorld('1.123');
	installation.service.control.settings({ latencyMs: 300 });
});

afterAll(async () => await installation?.close());

test('an execution that another worker takes over makes no delivery twice, and says what is unknown', async () => {
	const sender = await publishSender(installation, sending);
	const taken = tally([await takenOver(sender, orders.skipping)]);
	const creations = creationsOf(installation);
	await sender.post(orders.skipping);
	const again = tally(await sender.finished());
	console.log(`  ${JSON.stringify({ taken, again, created: creations.size })}`);

	expect([...creations.values()].filter((times) => times > 1)).toEqual([]);
	expect(taken.alreadyCreated).toBeGreaterThan(0);
	expect(taken.created).toBeGreaterThan(0);
	expect(taken.unknown).toBeGreaterThan(0);
	expect(again).toEqual({
		alreadyCreated: orderCount - (taken.unknown ?? 0),
		unknown: taken.unknown,
	});
	expect(creationsOf(installation)).toEqual(creations);
});

test('without Skip Already Sent it makes some twice, as docs/reliability.md says', async () => {
	const sender = await publishSender(installation, { ...sending, skipAlreadySent: false });
	const taken = tally([await takenOver(sender, orders.others)]);
	const creations = creationsOf(installation);

	expect(taken).toEqual({ created: orderCount });
	expect(orders.others.filter((order) => creations.get(order) === 2)).not.toEqual([]);
});

/** Ends the worker that sends these orders; what the execution did at last, in the other worker. */
async function takenOver(sender: Sender, posted: readonly string[]): Promise<SentExecution> {
	const { control } = installation.service;
	const before = control.requests().length;
	await sender.post(posted);
	await waitFor('the third request', 60_000, async () =>
		Promise.resolve(control.requests().length > before + 2 || undefined),
	);
	const [worker] = await installation.busyWorkers();
	if (!worker) throw new Error('a worker at work was expected');
	const replacement = installation.addWorker();
	await installation.killWorker(worker);
	await replacement;
	const [id = ''] = (await worker.log('started')).slice(-1);
	await waitFor('the end of the execution in another worker', 60_000, async () => {
		const finished = await Promise.all(installation.workers.map(({ log }) => log('finished')));
		return finished.flat().includes(id) || undefined;
	});
	const [execution] = await sender.finished();
	if (execution?.id !== id) throw new Error(`execution ${id} was expected`);
	return execution;
}
