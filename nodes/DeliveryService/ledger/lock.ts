/** The lock under which an access to the store runs, across processes. */
import { randomUUID } from 'crypto';

import type { Clock } from '../common/clock';
import { retry } from './retry';
import type { Entries } from './store';

/** The store is not reliable, or not in time. `messages/` words why. */
export class StoreError extends Error {
	constructor(readonly code: 'tooSlow' | 'stopped') {
		super(code);
	}
}

/** A lock across processes: one of them has it until someone releases it. */
export interface Lock {
	/**
	 * Acquires the lock if it is free. Otherwise adds a mark that lasts as long as the current holder
	 * has the lock: if the mark is already there, the holder has not changed since the last attempt.
	 *
	 * Rejects when another process was faster, or when the lock is not available.
	 */
	tryAcquire(mark: string): Promise<'acquired' | 'newHolder' | 'sameHolder'>;
	/** Frees the lock, whoever has it. */
	release(): Promise<void>;
}

/** `random` returns a number from 0 up to 1; `signal` is aborted when the execution is stopped. */
type LockOptions = { clock: Clock; random: () => number; signal?: AbortSignal };

/** The average pause between attempts to acquire a lock, and the longest: for a crashed holder. */
const pauseMs = 20;
const maxPauseMs = 1000;

/** How long a holder may start accesses, and the longest that one is expected to take. */
const maxHoldMs = 60_000;
const maxAccessMs = 120_000;

/** Until when a holder certainly has the lock, and may release it: the end of its last access. */
const maxWorkMs = maxHoldMs + maxAccessMs;

/**
 * The lease: a holder ends its work and releases the lock before, even if it stalls in both. A holder
 * that is still at work after it could overwrite what others record: n8n's store accepts late writes.
 */
export const leaseMs = maxWorkMs + maxAccessMs;

/**
 * After this many consecutive failures, the lock counts as not available. Losing a race is followed
 * by an attempt that finds the lock taken: only a broken database keeps failing.
 */
const maxConsecutiveFailures = 10;

/** Whether a lock certainly was acquired at most this long ago: a clock that was set back can't tell. */
type IsWithin = (ms: number) => boolean;

/**
 * Runs work with entries while no other process runs any under the same lock. A process whose lease
 * has expired counts as crashed: if it is still alive, its work is rejected.
 *
 * @throws what the work throws; or an error when the lock is not available or was lost, so that the
 *   result of the work can't be relied on
 */
export async function withLock<Result>(
	lock: Lock,
	entries: Entries,
	work: (entries: Entries) => Promise<Result>,
	options: LockOptions,
): Promise<Result> {
	const isWithin = await acquire(lock, options);
	const assertWithin = (ms: number) => {
		if (!isWithin(ms)) throw new StoreError('tooSlow');
	};
	try {
		assertWithin(maxHoldMs);
		const result = await work({
			async record(wanted) {
				assertWithin(maxHoldMs);
				return await entries.record(wanted);
			},
			async remove(unwanted) {
				assertWithin(maxHoldMs);
				await entries.remove(unwanted);
			},
		});
		assertWithin(maxWorkMs);
		return result;
	} finally {
		// By then, it may be another's. If the release fails, the lock expires, which takes minutes.
		const release = async () => (isWithin(maxWorkMs) ? await lock.release() : undefined);
		await retry(options.clock, release).catch(() => undefined);
	}
}

async function acquire(lock: Lock, { clock, random, signal }: LockOptions): Promise<IsWithin> {
	const mark = randomUUID();
	// Processes that wait for a crashed holder must not all release the lock at once: the second
	// would take it away from the one that has just acquired it.
	const expiryMs = leaseMs * (1 + random() / 5);
	// Measured in pauses: a clock that is changed must neither free nor block a lock, and a database
	// that stalls for everyone must not make a holder look crashed.
	let sameHolderMs = 0;
	let failures = 0;
	for (;;) {
		const started = clock.now();
		const attempt = lock.tryAcquire(mark);
		const found =
			failures < maxConsecutiveFailures ? await attempt.catch(() => undefined) : await attempt;
		if (found === 'acquired')
			return (ms) => {
				const heldMs = clock.now() - started;
				// The system clock is regularly set back a little.
				return heldMs > -1000 && heldMs <= ms;
			};
		failures = found === undefined ? failures + 1 : 0;
		if (found === 'newHolder') sameHolderMs = 0;
		if (found === 'sameHolder' && sameHolderMs >= expiryMs) await lock.release();
		const pause = Math.min(Math.max(pauseMs, sameHolderMs / 10), maxPauseMs) * (0.5 + random());
		await clock.wait(pause);
		sameHolderMs += pause;
		// After a short wait, a stopped execution can still record what it created.
		if (sameHolderMs >= 10_000 && signal?.aborted) throw new StoreError('stopped');
	}
}
