/*
 * n8n's store has no lock across processes: each access reads and writes all entries, so one process
 * can overwrite what another has just recorded. A claim therefore has a mark of its own. It counts
 * only when the mark is still there after the claim has settled; otherwise it is made again.
 */

const minSettlingMs = 50;

/** Three times as long as a lock may be held. */
const maxSettlingMs = 30_000;

/**
 * How long a claim must stand before it is checked.
 *
 * @param tookMs how long recording it took: an access of another process takes as long
 */
export function settlingMs(tookMs: number): number {
	return Math.min(Math.max(minSettlingMs, 3 * tookMs), maxSettlingMs);
}

/** How often a claim that another process overwrote is made before it is given up. */
export const maxClaimAttempts = 5;
