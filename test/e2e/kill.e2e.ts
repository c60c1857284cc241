import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import fc from 'fast-check';

import { waitFor } from '../../playground/n8n/progress';
import { openInstallation } from './support/installation';
import { openQueueInstallation, type QueueInstallation } from './support/queue';
import {
	chunk,
	countCreations,
	countOutcomes,
	orderNames,
	publishSender,
	type Outcome,
	type Sender,
	type SenderResult,
} from './support/sending';

const kills = 4;
const ordersPerRound = 1000;
const ordersPerExecution = 200;
const batchSize = 40;
const requestsPerRound = ordersPerRound / batchSize;
const latencyMs = 150;

/** Set KILL_SEED to kill the workers at the same moments as in another run. */
const seed = Number(process.env.KILL_SEED ?? randomInt(2 ** 31));

/** The maximum number of requests in flight in a round. */
const maxInFlight = ordersPerRound / ordersPerExecution;

/**
 * When to kill a worker: a delay after a number of requests of the round have arrived, while more
 * requests remain than can be in flight.
 */
const killMoment = fc.record({
	requests: fc.integer({ min: 1, max: requestsPerRound - maxInFlight }),
	delayMs: fc.integer({ min: 0, max: latencyMs }),
	/** The index among the busy workers. */
	worker: fc.nat({ max: 1 }),
});

/** A run that is sent individually, and when n8n is killed: in the middle, after several claims. */
const smallRun = { count: 24, afterMs: 7000 };
const smallRunLatencyMs = 1500;

/** How long n8n may take to save a response that it has received. */
const confirmationMs = 500;

/** As many references are claimed ahead as requests may be in flight. */
const claimWindow = 4;

let installation: QueueInstallation;
let sender: Sender;

beforeAll(async () => {
	installation = await openQueueInstallation();
	installation.service.control.settings({
		latencyMs,
		// The rate limit has its own test.
		creationLimit: { requests: 1_000_000, perMs: 1 },
	});
	sender = await publishSender(installation, { batchSize });
});

afterAll(async () => {
	await installation?.close();
});

// Runs beside the small runs below, which have their own n8n: both mostly wait.
test.concurrent(
	`creates no duplicate and loses no order when ${kills} workers are killed while sending`,
	async () => {
		console.log(`  KILL_SEED=${seed}`);
		const moments = fc.sample(fc.noBias(killMoment), { seed, numRuns: kills });
		for (const [index, moment] of moments.entries()) {
			const orders = orderNames(`K${index + 1}`, ordersPerRound);
			await postUntil(orders, moment.requests);
			await sleep(moment.delayMs);
			const busyWorkers = await installation.busyWorkers();
			const worker = busyWorkers[moment.worker % busyWorkers.length];
			if (!worker) throw new Error('Expected a busy worker');
			await installation.killWorker(worker);
			const replacement = installation.addWorker();
			const first = await sender.results();
			await replacement;
			const resent = await resend(orders);
			expect(await takenOverFrom(worker)).toEqual([]);
			console.log(
				`  kill ${index + 1}: ${JSON.stringify({ ...moment, first: countOutcomes(first), resent })}`,
			);
			expect(countOutcomes(first).created ?? 0).toBeLessThan(ordersPerRound);
		}
	},
	90 * 60_000,
);

test.concurrent.each(['newest', '1.123'] as const)(
	'leaves only the requests in flight and one claim window unknown when n8n (%s) is killed in a small run',
	async (version) => {
		const single = await openInstallation(version);
		try {
			const { client, service, credentials, n8n } = single;
			const { count, afterMs } = smallRun;
			const singleSender = await publishSender(
				{
					client,
					service,
					credentials,
					webhookUrl: n8n.url,
					inactiveExecutions: async () => Promise.resolve(new Set()),
				},
				{},
			);
			service.control.settings({ latencyMs: smallRunLatencyMs });
			const orders = orderNames('S', count);
			await singleSender.post(orders);
			await sleep(afterMs);
			single.n8n.child.kill('SIGKILL');
			const killedAt = Date.now();
			const creations = service.control.requests();
			const since = killedAt - smallRunLatencyMs - confirmationMs;
			const inFlight = Math.min(creations.filter(({ at }) => at > since).length, claimWindow);
			await single.restartN8n();
			await singleSender.results();
			// The service handles what it has received, also without a client.
			await sleep(smallRunLatencyMs);
			const before = countCreations(single);
			await singleSender.post(orders);
			const again = countOutcomes(await singleSender.results());
			console.log(`  ${JSON.stringify({ version, sent: creations.length, inFlight, again })}`);
			expect(again.unknown ?? 0).toBeLessThanOrEqual(inFlight + claimWindow);
			expect((again.unknown ?? 0) + (again.alreadyCreated ?? 0) + (again.created ?? 0)).toBe(count);
			expect(again.alreadyCreated ?? 0).toBeGreaterThanOrEqual(
				creations.length - inFlight - claimWindow,
			);
			const after = countCreations(single);
			expect(orders.filter((order) => (after.get(order) ?? 0) > 1)).toEqual([]);
			expect(after.size - before.size).toBe(again.created ?? 0);
		} finally {
			await single.close();
		}
	},
	30 * 60_000,
);

test.each([
	['Redis', 'redis'],
	['PostgreSQL', 'postgresql'],
] as const)(
	'creates no duplicate and loses no order when %s restarts while sending',
	async (_, server) => {
		const orders = orderNames(server, ordersPerRound);
		await postUntil(orders, requestsPerRound / 2);
		await installation[server].restart();
		const first = countOutcomes(await sender.results());
		console.log(`  ${JSON.stringify({ first, resent: await resend(orders) })}`);
	},
	30 * 60_000,
);

/** Posts orders to n8n, and waits until the service has received the given number of requests. */
async function postUntil(orders: readonly string[], requests: number): Promise<void> {
	const { control } = installation.service;
	const before = control.requests().length;
	await postAll(orders);
	await waitFor(`${requests} requests`, () => control.requests().length - before >= requests);
}

async function postAll(orders: readonly string[]): Promise<void> {
	for (const part of chunk(orders, ordersPerExecution)) await sender.post(part);
}

/** Returns the executions of a killed worker that another one has restarted, as n8n 1 does. */
async function takenOverFrom(killed: QueueInstallation['workers'][number]): Promise<string[]> {
	const ids = await killed.loggedExecutions('started');
	const started = await Promise.all(
		installation.workers.map(({ loggedExecutions }) => loggedExecutions('started')),
	);
	return started.flat().filter((id) => ids.includes(id));
}

/** How many deliveries an order may have at the service, by reported outcome. */
const allowedCounts: Partial<Record<Outcome, readonly number[]>> = {
	created: [1],
	alreadyCreated: [1],
	unknown: [0, 1],
};

/**
 * Resends orders whose executions were interrupted, as their owner would. Expects that each order then
 * has one delivery, or that the node has reported an unknown outcome.
 *
 * @returns the number of orders by outcome
 */
async function resend(orders: readonly string[]): Promise<ReturnType<typeof countOutcomes>> {
	await postAll(orders);
	const executions = await sender.results();
	const outcomes = firstOutcomes(executions);
	const creations = countCreations(installation);
	const mismatches = orders
		.map((order) => ({ order, outcome: outcomes.get(order), count: creations.get(order) ?? 0 }))
		.filter(({ outcome, count }) => !(outcome && allowedCounts[outcome]?.includes(count)));
	expect(mismatches).toEqual([]);
	return countOutcomes(executions);
}

/** Returns the first reported outcome of each order. */
function firstOutcomes(executions: readonly SenderResult[]): Map<string, Outcome> {
	const entries = executions.flatMap(({ outcomes }) => [...outcomes]);
	return new Map(
		entries.flatMap(([order, [outcome]]) => (outcome ? [[order, outcome] as const] : [])),
	);
}
