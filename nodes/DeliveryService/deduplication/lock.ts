import type { Clock } from '../shared/clock';

/** A place that can be filled by one process only, until somebody empties it. */
export interface Slot {
	/**
	 * Leaves a mark in the slot. It is filled by that when it was empty; else the mark tells later
	 * whether it is still filled by the same process.
	 *
	 * Rejects when another process was faster just then, or when the slot cannot be reached.
	 */
	enter(mark: string): Promise<'filled' | 'marked' | 'markedBefore'>;
	empty(): Promise<void>;
}

/** How long to wait, on average, before a slot that was not empty is looked at again. */
const pauseMs = 20;

/**
 * After how long a slot counts as abandoned by a process that was killed: until then nobody else can
 * go on. It is filled for milliseconds only, seconds when the database is very busy.
 */
const abandonedAfterMs = 10_000;

/** Whoever enters when another was faster finds the slot filled the next time, and does not fail. */
const mostFailuresInARow = 10;

/**
 * Does work while no other process does any under the same slot. One that fills the slot for longer
 * than it may is taken for dead: then two may be at work at once.
 *
 * @param mark what nobody else marks the slot with
 * @param random a number from 0 up to 1, different each time
 * @throws what the work throws, or the slot when it cannot be reached
 */
export async function underLock<Result>(
	slot: Slot,
	mark: string,
	clock: Clock,
	random: () => number,
	work: () => Promise<Result>,
): Promise<Result> {
	await fill(slot, mark, clock, random);
	try {
		return await work();
	} finally {
		// When that fails it counts as abandoned some time later; what was done holds all the same.
		await slot.empty().catch(() => undefined);
	}
}

async function fill(slot: Slot, mark: string, clock: Clock, random: () => number): Promise<void> {
	// Several that wait for a dead one do not empty the slot at the same moment.
	const patienceMs = abandonedAfterMs * (1 + random() / 2);
	let filledSince = clock.now();
	let failures = 0;
	for (;;) {
		const entering = slot.enter(mark);
		const found =
			failures < mostFailuresInARow ? await entering.catch(() => undefined) : await entering;
		if (found === 'filled') return;
		failures = found === undefined ? failures + 1 : 0;
		if (found === 'marked') filledSince = clock.now();
		if (found === 'markedBefore' && clock.now() - filledSince >= patienceMs) await slot.empty();
		await clock.wait(pauseMs * (0.5 + random()));
	}
}
