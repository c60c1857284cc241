import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { step } from '../../playground/n8n/progress';
import type { Installation } from '../installation';
import type { LimitRun } from '../results';
import { accountFor, deliveries, errorsOf, Sender, Target } from '../sending';
import { ownFromJson } from '../workflows';

/** The limit of the service (API document, section 8). */
const limit = { requests: 100, perMs: 60_000 };
const fullBatch = 100;

/**
 * How much shorter the minute and the response time are in scaled time. Each request then has that
 * many times fewer deliveries, so n8n has as many deliveries per second to handle as in real time.
 */
const limitScale = 10;

/** What to measure under the rate limit. */
export interface LimitPlan {
	/** The requests of a run; the service accepts 100 per minute. */
	requests: number;
	/** Whether to measure one run in real time too, which takes two minutes. */
	inRealTime: boolean;
}

/** Shortens the minute of the rate limit in the installed package. */
export async function shortenMinute(packageFolder: string): Promise<void> {
	const file = join(packageFolder, 'dist/nodes/DeliveryService/service/limits.js');
	const text = await readFile(file, 'utf8');
	const shorter = text.replace(
		'creationWindowMs: 60_000',
		`creationWindowMs: ${limit.perMs / limitScale}`,
	);
	if (shorter === text) throw new Error(`${file} does not contain the minute of the rate limit`);
	await writeFile(file, shorter);
}

/**
 * Measures the throughput under the rate limit, in an n8n with a package changed by `shortenMinute`
 * and in an unchanged one. Returns each run; adds errors to `problems`.
 */
export async function measureLimit(
	installations: { scaled: Installation; real: Installation },
	{ requests, inRealTime }: LimitPlan,
	rounds: number,
	problems: string[],
): Promise<LimitRun[]> {
	const run = { requests, problems };
	const scaled = { installation: installations.scaled, scale: limitScale, rounds };
	const real = { installation: installations.real, scale: 1, rounds: 1 };
	return [
		...(await measureRuns({ ...run, ...scaled, latenciesMs: [20, 2000] })),
		...(inRealTime ? await measureRuns({ ...run, ...real, latenciesMs: [2000] }) : []),
	];
}

async function measureRuns({
	installation,
	requests,
	problems,
	scale,
	rounds,
	latenciesMs,
}: {
	installation: Installation;
	requests: number;
	problems: string[];
	scale: number;
	rounds: number;
	latenciesMs: readonly number[];
}): Promise<LimitRun[]> {
	const target = await Target.open(installation);
	const { control } = target.service;
	const windowMs = limit.perMs / scale;
	const batchSize = fullBatch / scale;
	const count = requests * batchSize;
	const title = `${requests} requests under the rate limit, ${scale === 1 ? 'real time' : 'scaled time'}`;
	try {
		const sending = ownFromJson(target.own, { batchSize });
		const sender = await Sender.publish(installation, `limit-${scale}`, sending);
		await sender.send(deliveries(batchSize, 'warm-up'));
		return await step(title, async () => {
			const runs: LimitRun[] = [];
			for (let round = 0; round < rounds; round++) {
				for (const latencyMs of latenciesMs) {
					control.reset();
					control.settings({
						latencyMs: latencyMs / scale,
						creationLimit: { requests: limit.requests, perMs: windowMs },
					});
					await target.forgetLimit();
					const result = await sender.send(deliveries(count, `${latencyMs}-${round}`));
					const account = accountFor(target.service, [result]);
					const deliveriesPerMinute =
						sustained(account.times, windowMs) * fullBatch * limit.requests;
					runs.push({ scale, latencyMs, deliveriesPerMinute });
					const errors = errorsOf(account, count);
					problems.push(...errors.map((error) => `Rate limit, ${latencyMs} ms: ${error}`));
				}
			}
			return runs;
		});
	} finally {
		await target.close();
	}
}

/**
 * Returns the used share of the rate limit after the first full window: the window divided by the
 * mean time between a request and the hundredth request after it. Returns 0 for too few requests.
 */
export function sustained(times: readonly number[], windowMs: number): number {
	const sorted = [...times].sort((one, other) => one - other);
	const gaps = sorted.slice(limit.requests).map((at, index) => at - (sorted[index] ?? NaN));
	if (gaps.length === 0) return 0;
	return windowMs / (gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length);
}
