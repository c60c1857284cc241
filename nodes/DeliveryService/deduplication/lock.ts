import type { Clock } from '../common/clock';

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

/** The average pause before the next attempt to acquire a lock. */
const pauseMs = 20;

/**
 * The lease. Until it expires, no one else can proceed; after it, a holder that is still alive would
 * no longer be alone. A holder needs milliseconds, or seconds when the database is very busy.
 */
const leaseMs = 10_000;

/**
 * After this many consecutive failures, the lock counts as not available. Losing a race is followed
 * by an attempt that finds the lock taken, which is not a failure: only a broken database keeps
 * failing.
 */
const maxConsecutiveFailures = 10;

/**
 * Runs work while no other process runs any under the same lock. A process whose lease has expired
 * counts as crashed: if it is still alive, two may run at once.
 *
 * @param mark unique among everyone who uses the lock
 * @param random returns a random number from 0 up to 1
 * @throws what the work throws, or the lock's error when it is not available
 */
export async function withLock<Result>(
	lock: Lock,
	mark: string,
	clock: Clock,
	random: () => number,
	work: () => Promise<Result>,
): Promise<Result> {
	await acquire(lock, mark, clock, random);
	try {
		return await work();
	} finally {
		// If this fails, the work is still valid, and the lease expires.
		await lock.release().catch(() => undefined);
	}
}

async function acquire(
	lock: Lock,
	mark: string,
	clock: Clock,
	random: () => number,
): Promise<void> {
	// Processes that wait for a crashed holder must not all release the lock at once: the second
	// would take it away from the one that has just acquired it.
	const expiryMs = leaseMs * (1 + random() / 2);
	// Measured in pauses: a clock that is changed must neither free nor block a lock.
	let sameHolderMs = 0;
	let failures = 0;
	for (;;) {
		const attempt = lock.tryAcquire(mark);
		const found =
			failures < maxConsecutiveFailures ? await attempt.catch(() => undefined) : await attempt;
		if (found === 'acquired') return;
		failures = found === undefined ? failures + 1 : 0;
		if (found === 'newHolder') sameHolderMs = 0;
		if (found === 'sameHolder' && sameHolderMs >= expiryMs) await lock.release();
		const pause = pauseMs * (0.5 + random());
		await clock.wait(pause);
		sameHolderMs += pause;
	}
}
