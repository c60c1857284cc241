import type { Clock } from '../common/clock';

/** A lock for several processes: one of them holds it, until somebody releases it. */
export interface Lock {
	/**
	 * Takes the lock if nobody holds it. If somebody does, leaves a mark with this holding of the lock:
	 * a mark that is there already tells that the holder has not changed since the last try.
	 *
	 * Rejects when another process was faster just then, or when the lock cannot be reached.
	 */
	tryAcquire(mark: string): Promise<'acquired' | 'heldAnew' | 'heldStill'>;
	/** Lets the next one acquire it, whoever holds it. */
	release(): Promise<void>;
}

/** How long to wait, on average, before the next try to acquire a lock that is held. */
const pauseMs = 20;

/**
 * After how long the holder of a lock counts as killed. Until then nobody else can go on; after it a
 * living holder would no longer be alone. Holding takes milliseconds, or seconds when the database
 * is very busy.
 */
const abandonedAfterMs = 10_000;

/**
 * After how many failures in a row the lock counts as out of reach. Who fails because another was
 * faster finds the lock held at the next try, which is no failure: only a broken database goes on
 * failing.
 */
const maxFailuresInARow = 10;

/**
 * Does work while no other process does any under the same lock. A process that holds the lock for
 * longer than it may is taken for dead: then two may be at work at once.
 *
 * @param mark what nobody else marks the lock with
 * @param random a number from 0 up to 1, different each time
 * @throws what the work throws, or the lock when it cannot be reached
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
		// When this fails, what was done holds all the same, and the lock counts as abandoned in time.
		await lock.release().catch(() => undefined);
	}
}

async function acquire(
	lock: Lock,
	mark: string,
	clock: Clock,
	random: () => number,
): Promise<void> {
	// Those that wait for a dead holder must not all release the lock at once: the second of them
	// would take it from the one that has just acquired it.
	const patienceMs = abandonedAfterMs * (1 + random() / 2);
	// Counted in pauses: a clock that is moved must neither free a lock nor keep it.
	let heldForMs = 0;
	let failures = 0;
	for (;;) {
		const trying = lock.tryAcquire(mark);
		const found = failures < maxFailuresInARow ? await trying.catch(() => undefined) : await trying;
		if (found === 'acquired') return;
		failures = found === undefined ? failures + 1 : 0;
		if (found === 'heldAnew') heldForMs = 0;
		if (found === 'heldStill' && heldForMs >= patienceMs) await lock.release();
		const pause = pauseMs * (0.5 + random());
		await clock.wait(pause);
		heldForMs += pause;
	}
}
