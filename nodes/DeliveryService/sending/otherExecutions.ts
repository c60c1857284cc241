import type { Clock } from '../common/clock';
import type { Claimant } from '../ledger/references';
import { unknownElsewhere, type Creation, type Failed } from './outcomes';

/** The creations that other executions have claimed, and may be sending now. */
export class ClaimedElsewhere {
	private waiting: Creation[] = [];

	/** What was claimed: their own reference IDs, or those of their whole orders. */
	private readonly references = new Map<Creation, string>();

	/** Adds a creation and the reference ID that was claimed. */
	add(creation: Creation, reference: string): void {
		this.waiting.push(creation);
		this.references.set(creation, reference);
	}

	/** Adds creations that were taken, since nothing has changed. */
	addAgain(creations: readonly Creation[]): void {
		this.waiting.push(...creations);
	}

	/** Takes all creations. */
	take(): Creation[] {
		return this.waiting.splice(0);
	}

	/** The outcome of a creation that no execution has settled. */
	outcomeOf(creation: Creation): Failed {
		return unknownElsewhere(creation, this.references.get(creation));
	}

	/** The claimed references of creations, in the form that the ledger uses. */
	claimantsOf(creations: readonly Creation[]): Claimant[] {
		return creations.flatMap((creation) => {
			const referenceId = this.references.get(creation);
			return referenceId === undefined ? [] : [{ referenceId }];
		});
	}
}

/** How long to wait for other executions, in milliseconds, as long as nothing changes. */
const pausesMs = [500, 1000, 2000, 4000, 8000, 16_000, 32_000];

/**
 * Waits until other executions know the outcome of the creations that they have claimed. A crashed
 * execution never will, so the wait ends when nothing has changed for a minute: the rate
 * limit can hold an execution up that long.
 *
 * @param claimed the creations that other executions have claimed
 * @param retry claims them again, and returns those that another execution still has
 * @param signal aborted when nothing more is sent
 * @returns those whose outcome stays unknown
 */
export async function waitForOthers(
	claimed: readonly Creation[],
	retry: (claimed: readonly Creation[]) => Promise<readonly Creation[]>,
	clock: Clock,
	signal?: AbortSignal,
): Promise<readonly Creation[]> {
	let waiting = claimed;
	let pauses = pausesMs;
	while (waiting.length > 0 && !signal?.aborted) {
		const [pauseMs, ...longer] = pauses;
		if (pauseMs === undefined) break;
		await clock.wait(pauseMs, signal);
		if (signal?.aborted) break;
		const left = await retry(waiting);
		pauses = left.length < waiting.length ? pausesMs : longer;
		waiting = left;
	}
	return waiting;
}
