import fc from 'fast-check';

import {
	RateLimit,
	rateLimitFor,
	type Waited,
} from '../../../nodes/DeliveryService/sending/rateLimit';
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
	for (let sent = 0; sent < count; sent++) await limit.run(request(begun, tookMs), time);
	return begun;
}

describe('requests through one limit', () => {
	test('go out at once while there are fewer than the limit, and give their answers', async () => {
		const started = time.now();
		const limit = new RateLimit(3, windowMs);
		const begun: number[] = [];
		const answers = await time.until(
			Promise.all([1, 2, 3].map(async () => await limit.run(request(begun), time))),
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
			Promise.all([1, 2, 3].map(async () => await limit.run(request(begun, 90_000), time))),
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
			limit.run(async () => await Promise.reject(new Error('broken')), time),
		).rejects.toThrow('broken');
		const [begun = 0] = await time.until(runInTurn(limit, 1));
		expect(begun - started).toBeGreaterThan(windowMs);
	});

	test('wait for the end of a pause, the longest of several', async () => {
		const limit = new RateLimit(3, windowMs);
		const started = time.now();
		limit.pauseUntil(started + 7000);
		limit.pauseUntil(started + 5000);
		expect(await time.until(runInTurn(limit, 2))).toEqual([started + 7000, started + 7000]);
	});

	test('are told how long they waited for the limit, and how long for a pause', async () => {
		const limit = new RateLimit(1, windowMs);
		const waits: Waited[] = [];
		const note = async (waited: Waited) => await Promise.resolve(waits.push(waited));
		await time.until(limit.run(note, time));
		limit.pauseUntil(time.now() + 5000);
		await time.until(limit.run(note, time));
		limit.pauseUntil(time.now() + 90_000);
		await time.until(limit.run(note, time));
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
		const pausing = time.wait(1000).then(() => limit.pauseUntil(started + 200_000));
		const [[, second]] = await time.until(Promise.all([waiting, pausing]));
		expect(second).toBe(started + 200_000);
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
		const waiting = limit.run(request(begun), time, stop.signal);
		const stopping = time.wait(1000).then(() => stop.abort());
		const [answer] = await time.until(Promise.all([waiting, stopping]));
		expect(answer).toBeUndefined();
		expect(begun).toEqual([]);
		expect(time.now() - started).toBe(1000);
	});

	test('before it was asked for is not sent, though the limit would allow it', async () => {
		const begun: number[] = [];
		const answer = await new RateLimit(1, windowMs).run(request(begun), time, AbortSignal.abort());
		expect(answer).toBeUndefined();
		expect(begun).toEqual([]);
	});

	test('leaves its place to others', async () => {
		const limit = new RateLimit(1, windowMs);
		await limit.run(request([]), time, AbortSignal.abort());
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
