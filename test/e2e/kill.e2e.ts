import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import fc from 'fast-check';

import { waitFor } from '../../playground/n8n/progress';
import { openQueueWorld, type QueueWorld } from './support/queue';
import {
	creationsOf,
	orderNames,
	partsOf,
	publishSender,
	tally,
	type Outcome,
	type Sender,
	type SentExecution,
} from './support/sending';

const kills = 10;
const ordersPerRound = 1000;
const ordersPerExecution = 200;
const batchSize = 40;
const requestsPerRound = ordersPerRound / batchSize;
const latencyMs = 150;

/** Set it to end the workers at the same moments as in another run. */
const seed = Number(process.env.KILL_SEED ?? randomInt(2 ** 31));

/** How many requests the executions of a round have under way at most. */
const mostUnderWay = ordersPerRound / ordersPerExecution;

/**
 * When a worker is killed: some time after so many requests of the round have arrived, while more are
 * still to come than its executions send at once.
 */
const kill = fc.record({
	requests: fc.integer({ min: 1, max: requestsPerRound - mostUnderWay }),
	thenMs: fc.integer({ min: 0, max: latencyMs }),
	/** Of those that are at work. */
	worker: fc.nat({ max: 1 }),
});

let installation: QueueWorld;
let sender: Sender;

beforeAll(async () => {
	installation = await openQueueWorld();
	installation.service.control.settings({
		latencyMs,
		// The limit has its own test.
		creationLimit: { requests: 1_000_000, perMs: 1 },
	});
	sender = await publishSender(installation, { batchSize });
});

afterAll(async () => {
	await installation?.close();
});

test(`${kills} workers killed while they send make no delivery twice and lose no order`, async () => {
	console.log(`  KILL_SEED=${seed}`);
	let unknown = 0;
	for (const [index, when] of fc.sample(fc.noBias(kill), { seed, numRuns: kills }).entries()) {
		const orders = orderNames(`K${index + 1}`, ordersPerRound);
		await postUntil(orders, when.requests);
		await sleep(when.thenMs);
		const atWork = await installation.busyWorkers();
		const worker = atWork[when.worker % atWork.length];
		if (!worker) throw new Error('a worker at work was expected');
		await installation.killWorker(worker);
		const replacement = installation.addWorker();
		const first = await sender.finished();
		await replacement;
		const again = await sendAgain(orders);
		expect(await takenOverFrom(worker)).toEqual([]);
		console.log(`  kill ${index + 1}: ${JSON.stringify({ ...when, first: tally(first), again })}`);
		expect(tally(first).created ?? 0).toBeLessThan(ordersPerRound);
		unknown += again.unknown ?? 0;
	}
	// Some of the requests that were under way are known to nobody but the service.
	expect(unknown).toBeGreaterThan(0);
});

test.each([
	['Redis', 'redis'],
	['PostgreSQL', 'postgresql'],
] as const)('%s restarted while orders are sent: none is made twice or lost', async (_, server) => {
	const orders = orderNames(server, ordersPerRound);
	await postUntil(orders, requestsPerRound / 2);
	await installation[server].restart();
	const first = tally(await sender.finished());
	console.log(`  ${JSON.stringify({ first, again: await sendAgain(orders) })}`);
});

/** Gives orders to n8n, and waits until so many of their requests have reached the service. */
async function postUntil(orders: readonly string[], requests: number): Promise<void> {
	const { control } = installation.service;
	const before = control.requests().length;
	await postAll(orders);
	await waitFor(`${requests} requests`, 60_000, async () => {
		return await Promise.resolve(control.requests().length - before >= requests || undefined);
	});
}

async function postAll(orders: readonly string[]): Promise<void> {
	for (const part of partsOf(orders, ordersPerExecution)) await sender.post(part);
}

/** The executions of a killed worker that another one has begun anew, as n8n 1 has it do. */
async function takenOverFrom(killed: QueueWorld['workers'][number]): Promise<string[]> {
	const ids = await killed.log('started');
	const started = await Promise.all(installation.workers.map(({ log }) => log('started')));
	return started.flat().filter((id) => ids.includes(id));
}

/** How often an order may exist at the service, by what the node has said of it. */
const allowed: Partial<Record<Outcome, readonly number[]>> = {
	created: [1],
	alreadyCreated: [1],
	unknown: [0, 1],
};

/**
 * Sends orders whose executions were disturbed once more, as their owner would. After that each
 * order exists once, or the node has said that it is unknown whether it does.
 *
 * @returns how often each outcome was said
 */
async function sendAgain(orders: readonly string[]): Promise<ReturnType<typeof tally>> {
	await postAll(orders);
	const executions = await sender.finished();
	const said = outcomesIn(executions);
	const creations = creationsOf(installation);
	const wrong = orders
		.map((order) => ({ order, said: said.get(order), creations: creations.get(order) ?? 0 }))
		.filter((one) => !(one.said && allowed[one.said]?.includes(one.creations)));
	expect(wrong).toEqual([]);
	return tally(executions);
}

/** What was said of each order. */
function outcomesIn(executions: readonly SentExecution[]): Map<string, Outcome> {
	const each = executions.flatMap(({ outcomes }) => [...outcomes]);
	return new Map(
		each.flatMap(([order, [outcome]]) => (outcome ? [[order, outcome] as const] : [])),
	);
}
