import type { Clock } from '../common/clock';
import type { Entries } from './access';

/** A lock across processes: one of them has it until someone releases it. */
export interface Lock {
	/**
	 * Acquires the lock if it is free. Otherwise adds a mark that lasts as long as the current holder
	 * has the lock: if the mark is already there, the holder has not changed since the last attempt.
	 * The holder's own mark is there from the start.
	 *
	 * Rejects when another process was faster, or when the lock is not available.
	 */
	tryAcquire(mark: string): Promise<'acquired' | 'newHolder' | 'sameHolder'>;
	/** Frees the lock, whoever has it. */
	release(): Promise<void>;
}

/** The average pause before the next attempt to acquire a lock. */
const pauseMs = 20;

/** The longest pause: a crashed holder blocks the lock for minutes. */
const maxLockPauseMs = 1000;

/** The longest that one access to n8n's database is expected to take; usually it is milliseconds. */
const maxAccessMs = 120_000;

/** Waiting longer than this is reported, and ends when the execution is stopped. */
const longWaitMs = 10_000;

/** How long a holder may start accesses. */
const maxHoldMs = 60_000;

/** Until when a holder certainly has the lock, and may release it: the end of its last access. */
const maxWorkMs = maxHoldMs + maxAccessMs;

/**
 * The lease: a holder ends its work and releases the lock before, even if it stalls in both. Until it
 * expires, no one else can proceed. A holder that is still at work after it would no longer be alone,
 * and could overwrite what others record: n8n's store can't reject a late write.
 */
export const leaseMs = maxWorkMs + maxAccessMs;

/**
 * After this many consecutive failures, the lock counts as not available. Losing a race is followed
 * by an attempt that finds the lock taken, which is not a failure: only a broken database keeps
 * failing.
 */
const maxConsecutiveFailures = 10;

/**
 * Runs work while no other process runs any under the same lock. A process whose lease has expired
 * counts as crashed: if it is still alive, its work is rejected.
 *
 * @param mark unique among everyone who uses the lock
 * @param random returns a random number from 0 up to 1
 * @param work must call `assertHeld` before each of its accesses, which throws when it is too late
 *   for another one
 * @throws what the work throws; or an error when the lock is not available or was lost, so that the
 *   result of the work can't be relied on
 */
export async function withLock<Result>(
	lock: Lock,
	mark: string,
	clock: Clock,
	random: () => number,
	work: (assertHeld: () => void) => Promise<Result>,
	waiting: Waiting = {},
): Promise<Result> {
	const hold = await acquire(lock, mark, clock, random, waiting);
	try {
		const result = await work(() => {
			if (!hold.isWithin(maxHoldMs)) throw tooSlow();
		});
		if (!hold.isWithin(maxWorkMs)) throw tooSlow();
		return result;
	} finally {
		await release(lock, hold, clock);
	}
}

/** The entries, for the work under a lock. @param assertHeld what {@link withLock} passes to it */
export function whileHeld(entries: Entries, assertHeld: () => void): Entries {
	return {
		async record(wanted) {
			assertHeld();
			return await entries.record(wanted);
		},
		async remove(unwanted) {
			assertHeld();
			await entries.remove(unwanted);
		},
	};
}

/** How far the system clock may be set back unnoticed, as it regularly is. */
const toleranceMs = 1000;

/** What to do during a long wait for a lock. */
export interface Waiting {
	/** Aborted when the execution is stopped. */
	signal?: AbortSignal;
	/** Called once. */
	onLongWait?: () => void;
}

/** The time since a lock was acquired. */
interface Hold {
	/** Whether it certainly is at most this long: a clock that was set back can't tell. */
	isWithin(ms: number): boolean;
}

function startHold(clock: Clock): Hold {
	const started = clock.now();
	return {
		isWithin(ms) {
			const heldMs = clock.now() - started;
			return heldMs > -toleranceMs && heldMs <= ms;
		},
	};
}

/** How often to try to release a lock: it would block everyone for minutes. */
const maxReleaseAttempts = 3;

/** Releases a lock unless it may be another's by the time. Then, or if this fails, it expires. */
async function release(lock: Lock, hold: Hold, clock: Clock): Promise<void> {
	for (let attempt = 1; attempt <= maxReleaseAttempts && hold.isWithin(maxWorkMs); attempt++)
		try {
			return await lock.release();
		} catch {
			await clock.wait(500);
		}
}

function tooSlow(): Error {
	return new Error("n8n's database was too slow");
}

async function acquire(
	lock: Lock,
	mark: string,
	clock: Clock,
	random: () => number,
	{ signal, onLongWait }: Waiting,
): Promise<Hold> {
	// Processes that wait for a crashed holder must not all release the lock at once: the second
	// would take it away from the one that has just acquired it.
	const expiryMs = leaseMs * (1 + random() / 5);
	// Measured in pauses: a clock that is changed must neither free nor block a lock, and a database
	// that stalls for everyone must not make a holder look crashed.
	let sameHolderMs = 0;
	let failures = 0;
	let isReported = false;
	for (;;) {
		const hold = startHold(clock);
		const attempt = lock.tryAcquire(mark);
		const found =
			failures < maxConsecutiveFailures ? await attempt.catch(() => undefined) : await attempt;
		if (found === 'acquired') {
			if (hold.isWithin(maxHoldMs)) return hold;
			await release(lock, hold, clock);
		}
		failures = found === undefined ? failures + 1 : 0;
		if (found === 'newHolder') sameHolderMs = 0;
		if (found === 'sameHolder' && sameHolderMs >= expiryMs) await lock.release();
		const pause = Math.min(Math.max(pauseMs, sameHolderMs / 10), maxLockPauseMs) * (0.5 + random());
		await clock.wait(pause);
		sameHolderMs += pause;
		if (sameHolderMs < longWaitMs) continue;
		if (signal?.aborted) throw new Error('the execution was stopped');
		if (!isReported) onLongWait?.();
		isReported = true;
	}
}
