import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { step } from '../../playground/n8n/progress';
import { contenders, type Contender, type LimitRun } from '../results';
import { accountFor, deliveries, faultsOf, Sender, Target, type Account } from '../sending';
import { expertChunks, httpRequest, ownFromJson, type Sending } from '../workflows';
import type { Installation } from '../installation';

/** The limit of the service (service document, section 8). */
const limit = { requests: 100, perMs: 60_000 };
const fullBatch = 100;

/**
 * How much faster time passes where it is scaled: the window and the latency are so much shorter and
 * each request holds so much less, so that as many deliveries a second are to be made as in real
 * time, with so many times more requests.
 */
const limitScale = 10;

/** What to run under the limit. */
export interface LimitPlan {
	latenciesMs: readonly number[];
	rounds: number;
	/** How many requests our node has to send; the limit lets through 100 in a window. */
	requests: number;
	/** How many deliveries the others are given. */
	single: number;
	expert: number;
	/** Whether n8n's batching option is tried as well, which takes a minute. */
	batching: boolean;
	/** The latency at which our node is tried in real time as well, which takes two minutes. */
	realLatencyMs?: number;
}

/** Changes the installed package so that its minute is as short as the service's. */
export async function shortenMinute(packageFolder: string): Promise<void> {
	const minute = /(creationWindowMs: )60_000\b/g;
	let found = 0;
	const names = await readdir(join(packageFolder, 'dist'), { recursive: true });
	for (const name of names.filter((one) => one.endsWith('.js'))) {
		const file = join(packageFolder, 'dist', name);
		const text = await readFile(file, 'utf8');
		const shorter = text.replace(minute, `$1${limit.perMs / limitScale}`);
		if (shorter === text) continue;
		found++;
		await writeFile(file, shorter);
	}
	if (found === 0) throw new Error('The package does not name its minute where it is looked for');
}

/**
 * Runs our node under the limit, in an n8n whose package was changed by `shortenMinute`, and what it
 * is compared with in another n8n, in real time. Gives each run; adds to `problems` what went wrong.
 */
export async function measureLimit(
	installations: { scaled: Installation; real: Installation },
	plan: LimitPlan,
	problems: string[],
): Promise<LimitRun[]> {
	const runs: LimitRun[] = [];
	await own({ installation: installations.scaled, plan, problems, runs, scale: limitScale });
	await others(installations.real, plan, runs);
	const { realLatencyMs } = plan;
	// Both wait for most of their time.
	await Promise.all([
		realLatencyMs !== undefined &&
			own({
				...{ installation: installations.real, problems, runs, scale: 1 },
				plan: { ...plan, rounds: 1, latenciesMs: [realLatencyMs] },
			}),
		plan.batching && batches(installations.real, runs),
	]);
	return runs;
}

async function own({
	installation,
	plan: { rounds, requests, latenciesMs },
	problems,
	runs,
	scale,
}: {
	installation: Installation;
	plan: LimitPlan;
	problems: string[];
	runs: LimitRun[];
	scale: number;
}): Promise<void> {
	const target = await Target.open(installation);
	const { control } = target.service;
	const windowMs = limit.perMs / scale;
	const batchSize = fullBatch / scale;
	const count = requests * batchSize;
	const title = `${requests} requests under the limit, ${scale === 1 ? 'in real time' : 'scaled'}`;
	try {
		const sending = ownFromJson(target.own, { batchSize });
		const sender = await Sender.publish(installation, `limit-own-${scale}`, sending);
		await sender.send(deliveries(batchSize, 'warm-up'));
		await step(title, async () => {
			for (let round = 0; round < rounds; round++) {
				for (const latencyMs of latenciesMs) {
					control.reset();
					control.settings({
						latencyMs: Math.round(latencyMs / scale),
						creationLimit: { requests: limit.requests, perMs: windowMs },
					});
					await target.forgetLimit();
					const result = await sender.send(deliveries(count, `${latencyMs}-${round}`));
					const account = accountFor(target.service, [result]);
					const { created, refused, lost, times } = account;
					const deliveriesAMinute = sustained(times, windowMs) * fullBatch * limit.requests;
					const figures = { deliveriesAMinute, created, refused, lost };
					runs.push({ contender: 'ownJson', scale, latencyMs, ...figures });
					problems.push(
						...faultsOf(account, count).map(
							(fault) => `${contenders.ownJson}, under the limit at ${latencyMs} ms: ${fault}`,
						),
					);
				}
			}
		});
	} finally {
		await target.close();
	}
}

/**
 * The share of the limit that was used once its first window was full: how much later than a request
 * the hundredth after it came, held against the window. Gives 0 when there were not so many.
 */
export function sustained(times: readonly number[], windowMs: number): number {
	const sorted = [...times].sort((one, other) => one - other);
	const gaps = sorted
		.slice(limit.requests)
		.map((at, index) => at - (sorted[index] ?? Number.NEGATIVE_INFINITY));
	if (gaps.length === 0) return 0;
	return windowMs / (gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length);
}

/** They have no limit of their own that would have to be scaled: they run in real time. */
async function others(
	installation: Installation,
	plan: LimitPlan,
	runs: LimitRun[],
): Promise<void> {
	const target = await Target.open(installation);
	const { url } = target.service;
	try {
		const single = httpRequest(url, target.basic);
		const expert = expertChunks(url, target.basic);
		for (const latencyMs of plan.latenciesMs) {
			await other({ installation, target, runs, latencyMs }, 'single', single, plan.single);
			await other({ installation, target, runs, latencyMs }, 'expert', expert, plan.expert);
		}
	} finally {
		await target.close();
	}
}

/** HTTP Request with the batches that the limit allows, two of them. */
async function batches(installation: Installation, runs: LimitRun[]): Promise<void> {
	const target = await Target.open(installation);
	const batching = { batchSize: limit.requests, batchInterval: limit.perMs };
	try {
		const sending = httpRequest(target.service.url, target.basic, batching);
		const where = { installation, target, runs, latencyMs: 20 };
		await other(where, 'batching', sending, 2 * limit.requests);
	} finally {
		await target.close();
	}
}

async function other(
	{
		installation,
		target,
		runs,
		latencyMs,
	}: { installation: Installation; target: Target; runs: LimitRun[]; latencyMs: number },
	contender: Contender,
	sending: Sending,
	count: number,
): Promise<void> {
	const { control } = target.service;
	const sender = await Sender.publish(installation, `limit-${contender}-${latencyMs}`, sending);
	const title = `${contenders[contender]}: ${count} under the limit, ${latencyMs} ms`;
	await step(title, async () => {
		control.reset();
		control.settings({ latencyMs, creationLimit: limit });
		const result = await sender.send(deliveries(count, `${contender}-${latencyMs}`));
		const account = accountFor(target.service, [result]);
		const { created, refused, lost } = account;
		const deliveriesAMinute = inFirstMinute(account, created);
		runs.push({ contender, scale: 1, latencyMs, deliveriesAMinute, created, refused, lost });
	});
}

/** Of the deliveries that were created, how many by requests of the first minute. */
function inFirstMinute({ times, requests }: Account, created: number): number {
	const first = Math.min(...times);
	return (created * times.filter((at) => at < first + limit.perMs).length) / Math.max(1, requests);
}
