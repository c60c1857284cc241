import { step } from '../../playground/n8n/progress';
import type { Installation } from '../installation';
import type { LimitRun } from '../results';
import { accountFor, deliveries, errorsOf, Sender, Target } from '../sending';
import { ownFromJson } from '../workflows';

/** The limit of the service (docs/api.md, section 8). */
const limit = { requests: 100, perMs: 60_000 };
const batchSize = 100;

/**
 * Measures the throughput under the rate limit, once for each response time. Returns each run; adds
 * errors to `problems`.
 */
export async function measureLimit(
	installation: Installation,
	{ requests, latenciesMs }: { requests: number; latenciesMs: readonly number[] },
	problems: string[],
): Promise<LimitRun[]> {
	const target = await Target.open(installation);
	const { control } = target.service;
	const count = requests * batchSize;
	try {
		const sender = await Sender.publish(
			installation,
			'limit',
			ownFromJson(target.own, { batchSize }),
		);
		return await step(`${requests} requests under the rate limit`, async () => {
			const runs: LimitRun[] = [];
			for (const latencyMs of latenciesMs) {
				control.reset();
				control.settings({ latencyMs, creationLimit: limit });
				await target.forgetLimit();
				const result = await sender.send(deliveries(count, `limit-${latencyMs}`));
				const account = accountFor(target.service, [result]);
				const perMinute = sustained(account.times, limit) * limit.requests * batchSize;
				runs.push({ latencyMs, deliveriesPerMinute: perMinute });
				const errors = errorsOf(account, count);
				problems.push(...errors.map((error) => `Rate limit, ${latencyMs} ms: ${error}`));
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
export function sustained(
	times: readonly number[],
	{ requests, perMs }: { requests: number; perMs: number },
): number {
	const sorted = [...times].sort((one, other) => one - other);
	const gaps = sorted.slice(requests).map((at, index) => at - (sorted[index] ?? NaN));
	if (gaps.length === 0) return 0;
	return perMs / (gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length);
}
