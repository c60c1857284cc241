import fc from 'fast-check';

import {
	RateLimit,
	rateLimitFor,
	type WaitTimes,
} from '../../../nodes/DeliveryService/sending/request';
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
	for (let sent = 0; sent < count; sent++)
		await limit.run(request(startedAt, tookMs), { clock: time });
	return startedAt;
}

describe('RateLimit', () => {
	test('runs requests immediately below the limit, and returns their results', async () => {
		const started = time.now();
		const limit = new RateLimit(3, windowMs);
		const startedAt: number[] = [];
		const results = await time.until(
			Promise.all([1, 2, 3].map(async () => await limit.run(request(startedAt), { clock: time }))),
		);
		expect(results).toEqual(['response', 'response', 'response']);
		expect(startedAt).toEqual([started, started, started]);
	});

	test('makes a request wait exactly until the oldest one has left the window', async () => {
		const started = time.now();
		const startedAt = await time.until(runInTurn(new RateLimit(3, windowMs), 7));
		expect(startedAt.map((at) => at - started)).toEqual([
			...[0, 0, 0],
			...[1, 1, 1].map((ms) => windowMs + ms),
			2 * (windowMs + 1),
		]);
	});

	test.each([windowMs - 1, windowMs])(
		'makes a request %i ms later wait for the end of the window',
		async (laterMs) => {
			const started = time.now();
			const limit = new RateLimit(1, windowMs);
			await time.until(runInTurn(limit, 1));
			await time.until(time.wait(laterMs));
			expect(await time.until(runInTurn(limit, 1))).toEqual([started + windowMs + 1]);
		},
	);

	test('counts a request from its response, since the service may have counted it that late', async () => {
		const started = time.now();
		const startedAt = await time.until(runInTurn(new RateLimit(1, windowMs), 3, 5000));
		expect(startedAt.map((at) => at - started)).toEqual([0, 65_001, 130_002]);
	});

	test('makes a request wait while the maximum number is in flight', async () => {
		const limit = new RateLimit(2, windowMs);
		const startedAt: number[] = [];
		await time.until(
			Promise.all(
				[1, 2, 3].map(async () => await limit.run(request(startedAt, 90_000), { clock: time })),
			),
		);
		const [first = 0, , third = 0] = startedAt;
		const earliest = 90_000 + windowMs;
		expect(third - first).toBeGreaterThan(earliest);
		expect(third - first).toBeLessThan(earliest + 100);
	});

	test('counts a request even when it fails', async () => {
		const limit = new RateLimit(1, windowMs);
		const started = time.now();
		await expect(
			limit.run(async () => await Promise.reject(new Error('broken')), { clock: time }),
		).rejects.toThrow('broken');
		const [startedAt = 0] = await time.until(runInTurn(limit, 1));
		expect(startedAt - started).toBeGreaterThan(windowMs);
	});

	test('makes all requests wait for the longest pause of any execution', async () => {
		const limit = new RateLimit(5, windowMs);
		const started = time.now();
		const startedAt: number[] = [];
		await time.until(
			Promise.all([
				limit.run(request(startedAt), { clock: time, pauseMs: 7000 }),
				limit.run(request(startedAt), { clock: time, pauseMs: 5000 }),
				limit.run(request(startedAt), { clock: time }),
			]),
		);
		expect(startedAt.map((at) => at - started)).toEqual([7000, 7000, 7000]);
	});

	test('passes on how long a request waited for the limit and for a pause', async () => {
		const limit = new RateLimit(1, windowMs);
		const waits: WaitTimes[] = [];
		const recordWait = async (waited: WaitTimes) => await Promise.resolve(waits.push(waited));
		await time.until(limit.run(recordWait, { clock: time }));
		await time.until(limit.run(recordWait, { clock: time, pauseMs: 5000 }));
		await time.until(limit.run(recordWait, { clock: time, pauseMs: 90_000 }));
		expect(waits).toEqual([
			{ forLimitMs: 0, forServiceMs: 0 },
			{ forLimitMs: windowMs + 1 - 5000, forServiceMs: 5000 },
			{ forLimitMs: 0, forServiceMs: 90_000 },
		]);
	});

	test('makes waiting requests wait for a pause that is requested meanwhile', async () => {
		const limit = new RateLimit(1, windowMs);
		const started = time.now();
		const waiting = runInTurn(limit, 2);
		const startedAt: number[] = [];
		const pausing = time
			.wait(1000)
			.then(async () => await limit.run(request(startedAt), { clock: time, pauseMs: 200_000 }));
		const [[, second]] = await time.until(Promise.all([waiting, pausing]));
		const [paused = 0] = startedAt;
		expect(Math.min(second ?? 0, paused)).toBe(started + 201_000);
	});

	test.each([
		['does not wait for a pause of another execution beyond its own maximum', 299_000, 0],
		['waits for a pause of another execution within its own maximum', 300_000, 300_000],
	])('%s', async (_what, maxPauseMs, expectedMs) => {
		const limit = new RateLimit(2, windowMs);
		const started = time.now();
		const startedAt: number[] = [];
		const paused = limit.run(request([]), { clock: time, pauseMs: 300_000 });
		const other = limit.run(request(startedAt), { clock: time, maxPauseMs });
		await time.until(Promise.all([paused, other]));
		expect(startedAt.map((at) => at - started)).toEqual([expectedMs]);
	});

	test('waits no longer than its own maximum for all pauses of others together', async () => {
		const limit = new RateLimit(9, windowMs);
		const started = time.now();
		const startedAt: number[] = [];
		const first = limit.run(request([]), { clock: time, pauseMs: 60_000 });
		const later = [50_000, 100_000, 150_000].map(async (at) => {
			await time.wait(at);
			await limit.run(request([]), { clock: time, pauseMs: 60_000 });
		});
		const other = limit.run(request(startedAt), { clock: time, maxPauseMs: 130_000 });
		await time.until(Promise.all([first, ...later, other]));
		const [at = 0] = startedAt;
		expect(at - started).toBeGreaterThanOrEqual(60_000);
		expect(at - started).toBeLessThanOrEqual(130_000);
	});

	test('ends a pause when the execution that accepted it is stopped', async () => {
		const limit = new RateLimit(2, windowMs);
		const started = time.now();
		const stop = new AbortController();
		const startedAt: number[] = [];
		const paused = limit.run(request(startedAt), {
			clock: time,
			signal: stop.signal,
			pauseMs: 3_000_000,
		});
		const other = limit.run(request(startedAt), { clock: time });
		const stopping = time.wait(10_000).then(() => stop.abort());
		await time.until(Promise.all([paused, other, stopping]));
		const [at = 0] = startedAt;
		expect(startedAt).toHaveLength(1);
		expect(at - started).toBeGreaterThanOrEqual(10_000);
		expect(at - started).toBeLessThanOrEqual(15_000);
	});

	describe('when the clock is set back by an hour', () => {
		const hourMs = 3_600_000;
		/** How far the clock is set back. */
		let setBackMs: number;
		let clock: Clock;

		beforeEach(() => {
			setBackMs = 0;
			clock = {
				now: () => time.now() - setBackMs,
				wait: async (ms, signal) => await time.wait(ms, signal),
			};
		});

		test('waits for the limit no longer when the clock is set back', async () => {
			const limit = new RateLimit(1, windowMs);
			await time.until(limit.run(request([]), { clock }));
			const started = time.now();
			setBackMs = hourMs;
			const startedAt: number[] = [];
			await time.until(limit.run(request(startedAt), { clock }));
			expect(startedAt.map((at) => at - started)).toEqual([windowMs + 1]);
		});

		test('waits at most twice as long for a pause when the clock is set back', async () => {
			const limit = new RateLimit(2, windowMs);
			const started = time.now();
			const startedAt: number[] = [];
			const waits: WaitTimes[] = [];
			const paused = limit.run(
				async (waited) => {
					waits.push(waited);
					await request(startedAt)();
				},
				{ clock, pauseMs: 30_000 },
			);
			const other = limit.run(request(startedAt), { clock });
			const setting = time.wait(10_000).then(() => (setBackMs = hourMs));
			await time.until(Promise.all([paused, other, setting]));
			for (const at of startedAt) expect(at - started).toBeLessThanOrEqual(60_000);
			for (const { forServiceMs } of waits) expect(forServiceMs).toBeGreaterThanOrEqual(0);
		});
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
									await limit.run(
										async () => {
											counted.push(time.now() + tookMs * countedAfter);
											await time.wait(tookMs);
										},
										{ clock: time },
									);
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
		const waiting = limit.run(request(startedAt), { clock: time, signal: stop.signal });
		const stopping = time.wait(1000).then(() => stop.abort());
		const [result] = await time.until(Promise.all([waiting, stopping]));
		expect(result).toBeUndefined();
		expect(startedAt).toEqual([]);
		expect(time.now() - started).toBe(1000);
	});

	test('does not run a request that was stopped before, even below the limit', async () => {
		const startedAt: number[] = [];
		const result = await new RateLimit(1, windowMs).run(request(startedAt), {
			clock: time,
			signal: AbortSignal.abort(),
		});
		expect(result).toBeUndefined();
		expect(startedAt).toEqual([]);
	});

	test('does not count a stopped request', async () => {
		const limit = new RateLimit(1, windowMs);
		await limit.run(request([]), { clock: time, signal: AbortSignal.abort() });
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
