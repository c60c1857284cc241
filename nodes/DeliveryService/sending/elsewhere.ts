/** Waiting for what other executions do at this moment. */
import type { Clock } from '../common/clock';
import type { RememberedJob } from './job';

/** A job whose delivery or change another execution has claimed. */
export interface ClaimedElsewhere {
	job: RememberedJob;
	/** Whether it is certainly at work on it: an execution of the same process. */
	isAtWork: boolean;
}

/**
 * Looks again and again at what other executions have claimed: as long as one is certainly at work, or
 * as long as something changes. What is left then counts as that of a process that has crashed.
 *
 * @param look gets what is left, and returns what is still claimed elsewhere
 */
export async function waitForOthers(
	claimed: readonly ClaimedElsewhere[],
	look: (left: readonly RememberedJob[]) => Promise<readonly ClaimedElsewhere[]>,
	clock: Clock,
	signal?: AbortSignal,
): Promise<void> {
	let left = claimed;
	let pauses = pausesMs;
	while (left.length > 0) {
		const [pauseMs, ...longer] = pauses;
		if (pauseMs === undefined) return;
		await clock.wait(pauseMs, signal);
		if (signal?.aborted) return;
		const still = await look(left.map(({ job }) => job));
		if (still.length < left.length) pauses = pausesMs;
		else if (longer.length > 0 || !still.some(({ isAtWork }) => isAtWork)) pauses = longer;
		left = still;
	}
}

/** The pauses between the looks, in milliseconds, as long as nothing changes. */
const pausesMs = [500, 1000, 2000, 4000, 8000, 16_000, 32_000];
