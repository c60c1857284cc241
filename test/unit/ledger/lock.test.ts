import fc from 'fast-check';

import { leaseMs, withLock, type Lock } from '../../../nodes/DeliveryService/ledger/lock';
import type { Clock } from '../../../nodes/DeliveryService/common/clock';
import type { Entries } from '../../../nodes/DeliveryService/ledger/store';
import {
	entriesOf,
	memoryLock,
	noTime,
	type AccessTimes,
	type LockRow,
} from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

let time: VirtualTime;
let row: LockRow;

beforeEach(() => {
	time = new VirtualTime();
	row = {};
});

interface Settings {
	signal?: AbortSignal;
	times?: () => AccessTimes;
	random?: () => number;
	lock?: Lock;
}

const noEntries: Entries = {
	record: async () => await Promise.resolve(new Set()),
	remove: async () => await Promise.resolve(),
};

/** Runs work under the lock in a new process. */
async function runInProcess<Result>(
	work: (entries: Entries) => Promise<Result>,
	{
		times = () => noTime,
		random = () => 0.5,
		lock = memoryLock(row, time, times),
		signal,
	}: Settings = {},
): Promise<Result> {
	const entries = entriesOf({ entries: new Set() }, time, () => noTime);
	return await withLock(lock, entries, work, { clock: time, random, signal });
}

/** Ignores that a run gave up because its accesses were slow. */
async function unlessTooSlow(run: Promise<unknown>): Promise<void> {
	await run.catch((error: unknown) => {
		if (!String(error).includes('tooSlow')) throw error;
	});
}

test('returns the result of the work and releases the lock', async () => {
	expect(await time.until(runInProcess(async () => await Promise.resolve('done')))).toBe('done');
	expect(row.marks).toBeUndefined();
});

test('releases the lock when the database failed at first', async () => {
	const lock = memoryLock(row, time, () => noTime);
	let failures = 2;
	const unreliable: Lock = {
		...lock,
		release: async () => {
			if (failures-- > 0) throw new Error('no database');
			await lock.release();
		},
	};
	await time.until(runInProcess(async () => await Promise.resolve(), { lock: unreliable }));
	expect(row.marks).toBeUndefined();
});

describe('a crashed holder', () => {
	beforeEach(async () => {
		await time.until(memoryLock(row, time, () => noTime).tryAcquire('crashed'));
	});

	test('keeps no stopped execution waiting', async () => {
		const started = time.now();
		const signal = AbortSignal.abort();
		const run = runInProcess(async () => await Promise.resolve(), { signal });
		await expect(time.until(run)).rejects.toThrow('stopped');
		expect(time.now() - started).toBeLessThan(15_000);
	});
});

test('lets a stopped execution work after a short wait, so that it can record what it created', async () => {
	const other = runInProcess(async () => await time.wait(5_000));
	const signal = AbortSignal.abort();
	const stopped = runInProcess(async () => await Promise.resolve('done'), { signal });
	await time.until(Promise.all([other, expect(stopped).resolves.toBe('done')]));
});

test('throws the error of the work and releases the lock', async () => {
	const failing = async () => await Promise.reject(new Error('no database'));
	await expect(time.until(runInProcess(failing))).rejects.toThrow('no database');
	expect(row.marks).toBeUndefined();
});

test.each([
	['1 second', 1000],
	['2 minutes', 120_000],
])('never lets two processes work at once when accesses take up to %s', async (_name, maxMs) => {
	const milliseconds = fc.oneof(fc.nat(5), fc.nat(Math.floor(maxMs / 3)));
	const timesArbitrary = fc.record({
		before: milliseconds,
		between: milliseconds,
		after: milliseconds,
	});
	await fc.assert(
		fc.asyncProperty(
			fc.array(fc.record({ start: fc.nat(500), workMs: fc.nat(maxMs) }), {
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
							await unlessTooSlow(runInProcess(async () => await work(workMs), { times }));
						}),
					),
				);
				// All give up if each access takes more than a minute.
				expect([1, maxMs > 60_000 ? 0 : 1]).toContain(maxWorking);
				expect(row.marks).toBeUndefined();
			},
		),
		{ numRuns: Number(process.env.SEQUENCES ?? 300) },
	);
});

test.each([16, 60, 120])(
	'keeps other processes out while the holder stalls for %d s',
	async (seconds) => {
		const events: string[] = [];
		const stalled = runInProcess(async () => {
			await time.wait(seconds * 1000);
			events.push('end of the stall');
		});
		const others = [1, 2].map(
			async () =>
				await runInProcess(async () => {
					events.push('next');
					await time.wait(5000);
				}),
		);
		await time.until(Promise.all([stalled, ...others]));
		expect(events).toEqual(['end of the stall', 'next', 'next']);
		expect(row.marks).toBeUndefined();
	},
);

describe('a holder that stalls for longer than the lease', () => {
	/** The work of another process that takes over meanwhile, and is at work when the stall ends. */
	async function whileOther(stall: () => Promise<unknown>): Promise<void> {
		const other = runInProcess(async () => {
			const [mark] = row.marks ?? [];
			await time.wait(50_000);
			expect(row.marks).toContain(mark);
		});
		await time.until(Promise.all([expect(stall()).rejects.toThrow('tooSlow'), other]));
		expect(row.marks).toBeUndefined();
	}

	test('rejects its work and leaves the lock to the next holder', async () => {
		const stalled = runInProcess(async () => await time.wait(leaseMs * 1.1 + 5000));
		await whileOther(async () => await stalled);
	});

	test('starts no access', async () => {
		const access = jest.fn();
		const stalled = runInProcess(async (entries) => {
			await time.wait(leaseMs * 1.1 + 5000);
			await entries.record(['late']);
			access();
		});
		await whileOther(async () => await stalled);
		expect(access).not.toHaveBeenCalled();
	});
});

test.each(['record', 'remove'] as const)(
	'starts no access (%s) after a minute, but releases the lock',
	async (operation) => {
		const access = jest.fn();
		const late = runInProcess(async (entries) => {
			await time.wait(61_000);
			await entries[operation](['late']);
			access();
		});
		await expect(time.until(late)).rejects.toThrow('tooSlow');
		expect(access).not.toHaveBeenCalled();
		expect(row.marks).toBeUndefined();
	},
);

test('runs accesses within a minute', async () => {
	const work = runInProcess(async (entries) => {
		await time.wait(59_000);
		await entries.remove(['one']);
		return await entries.record(['one']);
	});
	expect(await time.until(work)).toEqual(new Set(['one']));
});

test('rejects work during which the clock was set back, since nobody knows how long it took', async () => {
	let backMs = 0;
	const clock: Clock = { now: () => time.now() - backMs, wait: async (ms) => await time.wait(ms) };
	const lock = memoryLock(row, time, () => noTime);
	const work = async () => {
		backMs = 3_600_000;
		await Promise.resolve();
	};
	const running = withLock(lock, noEntries, work, { clock, random: () => 0.5 });
	await expect(time.until(running)).rejects.toThrow('tooSlow');
});

describe('after a crash of the holder', () => {
	beforeEach(() => {
		row.marks = new Set(['mark of a crashed process']);
	});

	test.each([
		[300_000, 0],
		[330_000, 0.5],
	])('acquires the lock after %d ms', async (expiryMs, random) => {
		const started = time.now();
		await time.until(runInProcess(async () => await Promise.resolve(), { random: () => random }));
		const waited = time.now() - started;
		expect(waited).toBeGreaterThanOrEqual(expiryMs);
		expect(waited).toBeLessThan(expiryMs + 2000);
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
	const options = { mark: 'mark', clock: changedClock, random: () => 0 };
	await time.until(withLock(lock, noEntries, work, options));
	expect(time.now() - began).toBeGreaterThanOrEqual(leaseMs);
	expect(time.now() - began).toBeLessThan(leaseMs + 2000);
});

test('does not break the lock when several holders follow one another', async () => {
	let working = 0;
	const busy = async () => {
		expect(++working).toBe(1);
		await time.wait(100_000);
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
