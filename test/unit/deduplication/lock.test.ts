import fc from 'fast-check';

import { withLock, type Lock } from '../../../nodes/DeliveryService/deduplication/lock';
import type { Clock } from '../../../nodes/DeliveryService/common/clock';
import { memoryLock, noTime, type AccessTimes, type LockRow } from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

let time: VirtualTime;
let row: LockRow;
let processes: number;

beforeEach(() => {
	time = new VirtualTime();
	row = {};
	processes = 0;
});

interface Settings {
	times?: () => AccessTimes;
	random?: () => number;
	lock?: Lock;
}

/** Runs work under the lock in a new process. */
async function runInProcess<Result>(
	work: () => Promise<Result>,
	{ times = () => noTime, random = () => 0.5, lock = memoryLock(row, time, times) }: Settings = {},
): Promise<Result> {
	return await withLock(lock, `process ${++processes}`, time, random, work);
}

test('returns the result of the work and releases the lock', async () => {
	expect(await time.until(runInProcess(async () => await Promise.resolve('done')))).toBe('done');
	expect(row.marks).toBeUndefined();
});

test('throws the error of the work and releases the lock', async () => {
	const failing = async () => await Promise.reject(new Error('no database'));
	await expect(time.until(runInProcess(failing))).rejects.toThrow('no database');
	expect(row.marks).toBeUndefined();
});

test('never lets two processes work at once, however slow they are', async () => {
	const milliseconds = fc.oneof(fc.nat(5), fc.nat(1000));
	const timesArbitrary = fc.record({
		before: milliseconds,
		between: milliseconds,
		after: milliseconds,
	});
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.record({ start: fc.nat(500), workMs: fc.nat(3000) }), {
				minLength: 2,
				maxLength: 4,
			}),
			fc.infiniteStream(timesArbitrary),
			async (works, stream) => {
				time = new VirtualTime();
				row = {};
				const times = () => {
					const next: IteratorResult<AccessTimes, AccessTimes> = stream.next();
					return next.value;
				};
				let working = 0;
				let maxWorking = 0;
				const work = async (ms: number) => {
					maxWorking = Math.max(maxWorking, ++working);
					await time.wait(ms);
					working--;
				};
				await time.until(
					Promise.all(
						works.map(async ({ start, workMs }) => {
							await time.wait(start);
							await runInProcess(async () => await work(workMs), { times });
						}),
					),
				);
				expect(maxWorking).toBe(1);
				expect(row.marks).toBeUndefined();
			},
		),
		{ numRuns: 300 },
	);
});

describe('after a crash of the holder', () => {
	beforeEach(() => {
		row.marks = new Set(['mark of a crashed process']);
	});

	test.each([
		[10_000, 0],
		[12_500, 0.5],
	])('acquires the lock after %d ms', async (expiryMs, random) => {
		const started = time.now();
		await time.until(runInProcess(async () => await Promise.resolve(), { random: () => random }));
		const waited = time.now() - started;
		expect(waited).toBeGreaterThanOrEqual(expiryMs);
		expect(waited).toBeLessThan(expiryMs + 100);
	});
});

test.each([
	['set back', -3_600_000],
	['set forward', 3_600_000],
])('keeps the lease when the clock is %s by an hour', async (_how, byMs) => {
	const began = time.now();
	const changedClock: Clock = {
		now: () => time.now() + (time.now() - began > 5000 ? byMs : 0),
		wait: async (ms) => await time.wait(ms),
	};
	row.marks = new Set(['mark of a crashed process']);
	const lock = memoryLock(row, time, () => noTime);
	const work = async () => await Promise.resolve();
	await time.until(withLock(lock, 'mark', changedClock, () => 0, work));
	expect(time.now() - began).toBeGreaterThanOrEqual(10_000);
	expect(time.now() - began).toBeLessThan(20_000);
});

test('does not break the lock when several holders follow one another', async () => {
	let working = 0;
	const busy = async () => {
		expect(++working).toBe(1);
		await time.wait(8000);
		working--;
	};
	// The last of them waits far longer than one lease.
	const all = Promise.all(
		Array.from({ length: 5 }, async (_, number) => {
			await runInProcess(busy, { random: () => number / 5 });
		}),
	);
	await time.until(all);
	expect(row.marks).toBeUndefined();
});

test('returns the result even when the lock cannot be released afterwards', async () => {
	const lock: Lock = {
		...memoryLock(row, time, () => noTime),
		release: async () => await Promise.reject(new Error('no database')),
	};
	const done = runInProcess(async () => await Promise.resolve('done'), { lock });
	expect(await time.until(done)).toBe('done');
});

test('throws without running the work when the lock is not available', async () => {
	const lock: Lock = {
		tryAcquire: async () => await Promise.reject(new Error('no database')),
		release: async () => await Promise.resolve(),
	};
	const work = jest.fn(async () => await Promise.resolve());
	await expect(time.until(runInProcess(work, { lock }))).rejects.toThrow('no database');
	expect(work).not.toHaveBeenCalled();
});
