/*
 * n8n's store has no lock across processes: each access reads and writes all entries, so one process
 * can overwrite what another has just recorded. So each claim has its own mark, and is valid only if
 * the mark is still there after the claim has settled; otherwise it is repeated.
 *
 * Two cases need three executions of different nodes in several processes, all within milliseconds,
 * and are accepted: one removes a claim that it takes for its own look-up's entry, and another one
 * claims the reference before the first claim is verified; and a fulfillment order is claimed while
 * its order is recorded as in parts by mistake, between two accesses of the one that notices it.
 */

const minSettlingMs = 50;

/** A claim that is overwritten later than this is not noticed. */
const maxSettlingMs = 30_000;

/**
 * How long a claim must settle before it is verified.
 *
 * @param tookMs how long recording it took; an access of another process takes as long
 */
export function settlingMs(tookMs: number): number {
	return Math.min(Math.max(minSettlingMs, 3 * tookMs), maxSettlingMs);
}

/** How many times to record a claim that other processes keep overwriting before giving up. */
export const maxClaimAttempts = 5;
