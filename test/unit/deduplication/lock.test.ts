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

/** Does work in a process of its own. */
async function inProcess<Result>(
	work: () => Promise<Result>,
	{ times = () => noTime, random = () => 0.5, lock = memoryLock(row, time, times) }: Settings = {},
): Promise<Result> {
	return await withLock(lock, `process ${++processes}`, time, random, work);
}

test('gives what the work gives and releases the lock', async () => {
	expect(await time.until(inProcess(async () => await Promise.resolve('done')))).toBe('done');
	expect(row.marks).toBeUndefined();
});

test('throws what the work throws and releases the lock', async () => {
	const failing = async () => await Promise.reject(new Error('no database'));
	await expect(time.until(inProcess(failing))).rejects.toThrow('no database');
	expect(row.marks).toBeUndefined();
});

test('lets no two processes work at once, however slow each is', async () => {
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
				let atWork = 0;
				let most = 0;
				const work = async (ms: number) => {
					most = Math.max(most, ++atWork);
					await time.wait(ms);
					atWork--;
				};
				await time.until(
					Promise.all(
						works.map(async ({ start, workMs }) => {
							await time.wait(start);
							await inProcess(async () => await work(workMs), { times });
						}),
					),
				);
				expect(most).toBe(1);
				expect(row.marks).toBeUndefined();
			},
		),
		{ numRuns: 300 },
	);
});

describe('when a process was killed at work', () => {
	beforeEach(() => {
		row.marks = new Set(['held by the dead']);
	});

	test.each([
		[10_000, 0],
		[12_500, 0.5],
	])('the next one goes on after %d ms', async (leastMs, random) => {
		const started = time.now();
		await time.until(inProcess(async () => await Promise.resolve(), { random: () => random }));
		const waited = time.now() - started;
		expect(waited).toBeGreaterThanOrEqual(leastMs);
		expect(waited).toBeLessThan(leastMs + 100);
	});
});

test.each([
	['set back', -3_600_000],
	['put forward', 3_600_000],
])('counts on no clock that is %s by an hour', async (_how, byMs) => {
	const began = time.now();
	const moved: Clock = {
		now: () => time.now() + (time.now() - began > 5000 ? byMs : 0),
		wait: async (ms) => await time.wait(ms),
	};
	row.marks = new Set(['held by the dead']);
	const lock = memoryLock(row, time, () => noTime);
	const work = async () => await Promise.resolve();
	await time.until(withLock(lock, 'mine', moved, () => 0, work));
	expect(time.now() - began).toBeGreaterThanOrEqual(10_000);
	expect(time.now() - began).toBeLessThan(20_000);
});

test('does not take a lock for abandoned that others hold one after the other', async () => {
	let atWork = 0;
	const busy = async () => {
		expect(++atWork).toBe(1);
		await time.wait(8000);
		atWork--;
	};
	// The last of them waits far longer than a single one may hold the lock.
	const all = Promise.all(
		Array.from({ length: 5 }, async (_, number) => {
			await inProcess(busy, { random: () => number / 5 });
		}),
	);
	await time.until(all);
	expect(row.marks).toBeUndefined();
});

test('works all the same when the lock cannot be released afterwards', async () => {
	const lock: Lock = {
		...memoryLock(row, time, () => noTime),
		release: async () => await Promise.reject(new Error('no database')),
	};
	const done = inProcess(async () => await Promise.resolve('done'), { lock });
	expect(await time.until(done)).toBe('done');
});

test('throws when the lock cannot be reached, and does no work', async () => {
	const lock: Lock = {
		tryAcquire: async () => await Promise.reject(new Error('no database')),
		release: async () => await Promise.resolve(),
	};
	const work = jest.fn(async () => await Promise.resolve());
	await expect(time.until(inProcess(work, { lock }))).rejects.toThrow('no database');
	expect(work).not.toHaveBeenCalled();
});
