import fc from 'fast-check';

import {
	RateLimit,
	rateLimitFor,
	type WaitTimes,
} from '../../../nodes/DeliveryService/sending/rateLimit';
import type { Clock } from '../../../nodes/DeliveryService/common/clock';
import { limits } from '../../../nodes/DeliveryService/service/limits';
import { VirtualTime } from '../../support/virtualTime';

const windowMs = 60_000;

let time: VirtualTime;

beforeEach(() => {
	time = new VirtualTime();
});

/** A request that takes so long, and notes when it began. */
function request(begun: number[], tookMs = 0): () => Promise<string> {
	return async () => {
		begun.push(time.now());
		await time.wait(tookMs);
		return 'answer';
	};
}

/** So many requests, one after the other. */
async function runInTurn(limit: RateLimit, count: number, tookMs = 0): Promise<number[]> {
	const begun: number[] = [];
	for (let sent = 0; sent < count; sent++) await limit.run(request(begun, tookMs), { clock: time });
	return begun;
}

describe('requests through one limit', () => {
	test('go out at once while there are fewer than the limit, and give their answers', async () => {
		const started = time.now();
		const limit = new RateLimit(3, windowMs);
		const begun: number[] = [];
		const answers = await time.until(
			Promise.all([1, 2, 3].map(async () => await limit.run(request(begun), { clock: time }))),
		);
		expect(answers).toEqual(['answer', 'answer', 'answer']);
		expect(begun).toEqual([started, started, started]);
	});

	test('wait until the oldest has left the window, and no longer', async () => {
		const started = time.now();
		const begun = await time.until(runInTurn(new RateLimit(3, windowMs), 7));
		expect(begun.map((at) => at - started)).toEqual([
			...[0, 0, 0],
			...[1, 1, 1].map((ms) => windowMs + ms),
			2 * (windowMs + 1),
		]);
	});

	test.each([windowMs - 1, windowMs])(
		'wait, asked for %i ms later, for all of the window to be over',
		async (laterMs) => {
			const started = time.now();
			const limit = new RateLimit(1, windowMs);
			await time.until(runInTurn(limit, 1));
			await time.until(time.wait(laterMs));
			expect(await time.until(runInTurn(limit, 1))).toEqual([started + windowMs + 1]);
		},
	);

	test('count from their answer, since the service may have counted them as late as that', async () => {
		const started = time.now();
		const begun = await time.until(runInTurn(new RateLimit(1, windowMs), 3, 5000));
		expect(begun.map((at) => at - started)).toEqual([0, 65_001, 130_002]);
	});

	test('wait while as many as allowed are under way', async () => {
		const limit = new RateLimit(2, windowMs);
		const begun: number[] = [];
		await time.until(
			Promise.all(
				[1, 2, 3].map(async () => await limit.run(request(begun, 90_000), { clock: time })),
			),
		);
		const [first = 0, , third = 0] = begun;
		const earliest = 90_000 + windowMs;
		expect(third - first).toBeGreaterThan(earliest);
		expect(third - first).toBeLessThan(earliest + 100);
	});

	test('count also when they fail', async () => {
		const limit = new RateLimit(1, windowMs);
		const started = time.now();
		await expect(
			limit.run(async () => await Promise.reject(new Error('broken')), { clock: time }),
		).rejects.toThrow('broken');
		const [begun = 0] = await time.until(runInTurn(limit, 1));
		expect(begun - started).toBeGreaterThan(windowMs);
	});

	test('wait for a pause that another execution waits for, the longest of several', async () => {
		const limit = new RateLimit(5, windowMs);
		const started = time.now();
		const begun: number[] = [];
		await time.until(
			Promise.all([
				limit.run(request(begun), { clock: time, pauseMs: 7000 }),
				limit.run(request(begun), { clock: time, pauseMs: 5000 }),
				limit.run(request(begun), { clock: time }),
			]),
		);
		expect(begun.map((at) => at - started)).toEqual([7000, 7000, 7000]);
	});

	test('are told how long they waited for the limit, and how long for a pause', async () => {
		const limit = new RateLimit(1, windowMs);
		const waits: WaitTimes[] = [];
		const note = async (waited: WaitTimes) => await Promise.resolve(waits.push(waited));
		await time.until(limit.run(note, { clock: time }));
		await time.until(limit.run(note, { clock: time, pauseMs: 5000 }));
		await time.until(limit.run(note, { clock: time, pauseMs: 90_000 }));
		expect(waits).toEqual([
			{ forLimitMs: 0, forServiceMs: 0 },
			{ forLimitMs: windowMs + 1 - 5000, forServiceMs: 5000 },
			{ forLimitMs: 0, forServiceMs: 90_000 },
		]);
	});

	test('that wait already wait for a pause that is asked for meanwhile', async () => {
		const limit = new RateLimit(1, windowMs);
		const started = time.now();
		const waiting = runInTurn(limit, 2);
		const begun: number[] = [];
		const pausing = time
			.wait(1000)
			.then(async () => await limit.run(request(begun), { clock: time, pauseMs: 200_000 }));
		const [[, second]] = await time.until(Promise.all([waiting, pausing]));
		const [paused = 0] = begun;
		expect(Math.min(second ?? 0, paused)).toBe(started + 201_000);
	});

	test.each([
		['goes out at once when it may not wait as long as another waits', 299_000, 0],
		['waits as long as another does when it may', 300_000, 300_000],
	])('of which one %s', async (_what, maxPauseMs, waitsMs) => {
		const limit = new RateLimit(2, windowMs);
		const started = time.now();
		const begun: number[] = [];
		const paused = limit.run(request([]), { clock: time, pauseMs: 300_000 });
		const other = limit.run(request(begun), { clock: time, maxPauseMs });
		await time.until(Promise.all([paused, other]));
		expect(begun.map((at) => at - started)).toEqual([waitsMs]);
	});

	test('wait for pauses of others no longer than they may in all', async () => {
		const limit = new RateLimit(9, windowMs);
		const started = time.now();
		const begun: number[] = [];
		const first = limit.run(request([]), { clock: time, pauseMs: 60_000 });
		const later = [50_000, 100_000, 150_000].map(async (at) => {
			await time.wait(at);
			await limit.run(request([]), { clock: time, pauseMs: 60_000 });
		});
		const other = limit.run(request(begun), { clock: time, maxPauseMs: 130_000 });
		await time.until(Promise.all([first, ...later, other]));
		const [at = 0] = begun;
		expect(at - started).toBeGreaterThanOrEqual(60_000);
		expect(at - started).toBeLessThanOrEqual(130_000);
	});

	test('wait no longer for a pause when the execution that accepted it was stopped', async () => {
		const limit = new RateLimit(2, windowMs);
		const started = time.now();
		const stop = new AbortController();
		const begun: number[] = [];
		const paused = limit.run(request(begun), {
			clock: time,
			signal: stop.signal,
			pauseMs: 3_000_000,
		});
		const other = limit.run(request(begun), { clock: time });
		const stopping = time.wait(10_000).then(() => stop.abort());
		await time.until(Promise.all([paused, other, stopping]));
		const [at = 0] = begun;
		expect(begun).toHaveLength(1);
		expect(at - started).toBeGreaterThanOrEqual(10_000);
		expect(at - started).toBeLessThanOrEqual(15_000);
	});

	describe('when the clock is set back by an hour', () => {
		const hourMs = 3_600_000;
		/** The clock of the test, set back when an hour by it is over. */
		let setBackMs: number;
		let clock: Clock;

		beforeEach(() => {
			setBackMs = 0;
			clock = {
				now: () => time.now() - setBackMs,
				wait: async (ms, signal) => await time.wait(ms, signal),
			};
		});

		test('wait for the limit as long as before', async () => {
			const limit = new RateLimit(1, windowMs);
			await time.until(limit.run(request([]), { clock }));
			const started = time.now();
			setBackMs = hourMs;
			const begun: number[] = [];
			await time.until(limit.run(request(begun), { clock }));
			expect(begun.map((at) => at - started)).toEqual([windowMs + 1]);
		});

		test('wait for a pause at most twice as long', async () => {
			const limit = new RateLimit(2, windowMs);
			const started = time.now();
			const begun: number[] = [];
			const waits: WaitTimes[] = [];
			const paused = limit.run(
				async (waited) => {
					waits.push(waited);
					await request(begun)();
				},
				{ clock, pauseMs: 30_000 },
			);
			const other = limit.run(request(begun), { clock });
			const setting = time.wait(10_000).then(() => (setBackMs = hourMs));
			await time.until(Promise.all([paused, other, setting]));
			for (const at of begun) expect(at - started).toBeLessThanOrEqual(60_000);
			for (const { forServiceMs } of waits) expect(forServiceMs).toBeGreaterThanOrEqual(0);
		});
	});

	test('however long they take and whoever sends them, never exceed the limit in any window', async () => {
		const requestArbitrary = fc.record({
			idleMs: fc.oneof(fc.constant(0), fc.nat(20_000)),
			tookMs: fc.oneof(fc.constant(0), fc.nat(100_000)),
			// When the service counts it: somewhere between its start and its answer.
			countedAfter: fc.double({ min: 0, max: 1, noNaN: true }),
		});
		await fc.assert(
			fc.asyncProperty(
				fc.integer({ min: 1, max: 4 }),
				fc.array(fc.array(requestArbitrary, { maxLength: 8 }), { minLength: 1, maxLength: 3 }),
				async (most, executions) => {
					time = new VirtualTime();
					const limit = new RateLimit(most, windowMs);
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
						const next = ordered[index + most];
						return next !== undefined && next - at < windowMs;
					});
					expect(tooMany).toEqual([]);
					expect(counted).toHaveLength(executions.flat().length);
				},
			),
		);
	});
});

describe('a request whose execution is stopped', () => {
	test('while it waits is not sent, and waits no longer', async () => {
		const limit = new RateLimit(1, windowMs);
		await time.until(runInTurn(limit, 1));
		const started = time.now();
		const stop = new AbortController();
		const begun: number[] = [];
		const waiting = limit.run(request(begun), { clock: time, signal: stop.signal });
		const stopping = time.wait(1000).then(() => stop.abort());
		const [answer] = await time.until(Promise.all([waiting, stopping]));
		expect(answer).toBeUndefined();
		expect(begun).toEqual([]);
		expect(time.now() - started).toBe(1000);
	});

	test('before it was asked for is not sent, though the limit would allow it', async () => {
		const begun: number[] = [];
		const answer = await new RateLimit(1, windowMs).run(request(begun), {
			clock: time,
			signal: AbortSignal.abort(),
		});
		expect(answer).toBeUndefined();
		expect(begun).toEqual([]);
	});

	test('leaves its place to others', async () => {
		const limit = new RateLimit(1, windowMs);
		await limit.run(request([]), { clock: time, signal: AbortSignal.abort() });
		const started = time.now();
		expect(await time.until(runInTurn(limit, 1))).toEqual([started]);
	});
});

describe('the limit of an API key', () => {
	test('is one for all executions of a process', () => {
		expect(rateLimitFor('https://a.example', 'key')).toBe(rateLimitFor('https://a.example', 'key'));
	});

	test('is another for another key or another service', () => {
		const all = [
			rateLimitFor('https://a.example', 'key'),
			rateLimitFor('https://a.example', 'other'),
			rateLimitFor('https://b.example', 'key'),
			rateLimitFor('https://b.example","x', 'y'),
			rateLimitFor('https://b.example', 'x","y'),
		];
		expect(new Set(all).size).toBe(all.length);
	});

	test('is the one of the document: 100 creation requests in any minute', async () => {
		const started = time.now();
		const begun = await time.until(runInTurn(rateLimitFor('https://c.example', 'key'), 101));
		expect(begun.filter((at) => at === started)).toHaveLength(100);
		expect(begun.at(-1)).toBe(started + 60_001);
		expect(limits).toMatchObject({ creationRequestsPerWindow: 100, creationWindowMs: 60_000 });
	});
});
