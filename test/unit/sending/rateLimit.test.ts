import fc from 'fast-check';

import { RateLimit, rateLimitFor } from '../../../nodes/DeliveryService/sending/rateLimit';
import type { Clock } from '../../../nodes/DeliveryService/common/clock';
import { limits } from '../../../nodes/DeliveryService/service/schemas';
import { VirtualTime } from '../../support/virtualTime';

const windowMs = 60_000;

let time: VirtualTime;

beforeEach(() => {
	time = new VirtualTime();
});

/** A request with this duration, which records when it started. */
function request(started: number[], tookMs = 0): () => Promise<string> {
	return async () => {
		started.push(time.now());
		await time.wait(tookMs);
		return 'response';
	};
}

/** Runs this many requests, one after the other, and returns when they started. */
async function runInTurn(limit: RateLimit, count: number, tookMs = 0): Promise<number[]> {
	const startedAt: number[] = [];
	for (let sent = 0; sent < count; sent++) await limit.run(request(startedAt, tookMs), time);
	return startedAt;
}

describe('RateLimit', () => {
	test('runs requests immediately below the limit, and returns their results', async () => {
		const started = time.now();
		const limit = new RateLimit(3, windowMs);
		const startedAt: number[] = [];
		const results = await time.until(
			Promise.all([1, 2, 3].map(async () => await limit.run(request(startedAt), time))),
		);
		expect(results).toEqual(['response', 'response', 'response']);
		expect(startedAt).toEqual([started, started, started]);
	});

	test('makes a request wait exactly until the oldest one has left the window', async () => {
		const started = time.now();
		const startedAt = await time.until(runInTurn(new RateLimit(3, windowMs), 7));
		expect(startedAt.map((at) => at - started)).toEqual([
			0,
			0,
			0,
			...[1, 1, 1].map((ms) => windowMs + ms),
			2 * (windowMs + 1),
		]);
	});

	test('makes a request at the end of the window wait', async () => {
		const started = time.now();
		const limit = new RateLimit(1, windowMs);
		await time.until(runInTurn(limit, 1));
		await time.until(time.wait(windowMs));
		expect(await time.until(runInTurn(limit, 1))).toEqual([started + windowMs + 1]);
	});

	test('counts a request even when it fails', async () => {
		const limit = new RateLimit(1, windowMs);
		const started = time.now();
		await expect(
			limit.run(async () => await Promise.reject(new Error('broken')), time),
		).rejects.toThrow('broken');
		const [startedAt = 0] = await time.until(runInTurn(limit, 1));
		expect(startedAt - started).toBeGreaterThan(windowMs);
	});

	test('waits for the limit no longer when the clock was set back by an hour', async () => {
		const limit = new RateLimit(1, windowMs);
		await time.until(runInTurn(limit, 1));
		const now = () => time.now() - 3_600_000;
		const clock: Clock = { now, wait: async (ms) => await time.wait(ms) };
		const started = time.now();
		await time.until(limit.run(request([]), clock));
		expect(time.now() - started).toBeLessThanOrEqual(windowMs + 1);
	});

	test('never exceeds the limit in any window, whatever the durations and executions', async () => {
		const requestArbitrary = fc.record({
			idleMs: fc.oneof(fc.constant(0), fc.nat(20_000)),
			tookMs: fc.oneof(fc.constant(0), fc.nat(100_000)),
			// When the service counts it: at any time between its start and its response.
			countedAfter: fc.double({ min: 0, max: 1, noNaN: true }),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 4 }),
				fc.array(fc.array(requestArbitrary, { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
				async (max, executions) => {
					time = new VirtualTime();
					const limit = new RateLimit(max, windowMs);
					const counted: number[] = [];
					await time.until(
						Promise.all(
							executions.map(async (requests) => {
								for (const { idleMs, tookMs, countedAfter } of requests) {
									await time.wait(idleMs);
									await limit.run(async () => {
										counted.push(time.now() + tookMs * countedAfter);
										await time.wait(tookMs);
									}, time);
								}
							}),
						),
					);
					const ordered = counted.sort((a, b) => a - b);
					const tooMany = ordered.filter((at, index) => {
						const next = ordered[index + max];
						return next !== undefined && next - at < windowMs;
					});
					expect(tooMany).toEqual([]);
					expect(counted).toHaveLength(executions.flat().length);
				},
			),
		);
	});
});

describe('a request of a stopped execution', () => {
	test('does not run a request that is stopped while it waits, and ends the wait', async () => {
		const limit = new RateLimit(1, windowMs);
		await time.until(runInTurn(limit, 1));
		const started = time.now();
		const stop = new AbortController();
		const startedAt: number[] = [];
		const waiting = limit.run(request(startedAt), time, stop.signal);
		const stopping = time.wait(1000).then(() => stop.abort());
		const [result] = await time.until(Promise.all([waiting, stopping]));
		expect(result).toBeUndefined();
		expect(startedAt).toEqual([]);
		expect(time.now() - started).toBe(1000);
	});

	test('does not run a request that was stopped before, even below the limit', async () => {
		const startedAt: number[] = [];
		const result = await new RateLimit(1, windowMs).run(
			request(startedAt),
			time,
			AbortSignal.abort(),
		);
		expect(result).toBeUndefined();
		expect(startedAt).toEqual([]);
	});

	test('does not count a stopped request', async () => {
		const limit = new RateLimit(1, windowMs);
		await limit.run(request([]), time, AbortSignal.abort());
		const started = time.now();
		expect(await time.until(runInTurn(limit, 1))).toEqual([started]);
	});
});

describe('rateLimitFor', () => {
	test('returns the same limit for the same API key and service', () => {
		expect(rateLimitFor('https://a.example', 'key')).toBe(rateLimitFor('https://a.example', 'key'));
	});

	test('returns different limits for different keys or services', () => {
		const all = [
			rateLimitFor('https://a.example', 'key'),
			rateLimitFor('https://a.example', 'other'),
			rateLimitFor('https://b.example', 'key'),
			rateLimitFor('https://b.example","x', 'y'),
			rateLimitFor('https://b.example', 'x","y'),
		];
		expect(new Set(all).size).toBe(all.length);
	});

	test('allows 100 creation requests per minute, as the API document says', async () => {
		const started = time.now();
		const startedAt = await time.until(runInTurn(rateLimitFor('https://c.example', 'key'), 101));
		expect(startedAt.filter((at) => at === started)).toHaveLength(100);
		expect(startedAt.at(-1)).toBe(started + 60_001);
		expect(limits).toMatchObject({ creationRequestsPerWindow: 100, creationWindowMs: 60_000 });
	});
});
