import type { Claimant } from '../deduplication/ledger';
import { limits } from '../service/limits';
import type { CreationBody } from '../service/schemas';
import type { Creation } from './outcomes';

/** Groups creations that may share requests: those for the same company with the same type. */
export function groupCreations(creations: readonly Creation[]): Creation[][] {
	const groups = new Map<string, Creation[]>();
	for (const creation of creations) {
		const key = `${creation.companyId ?? ''}/${creation.type ?? ''}`;
		const group = groups.get(key);
		if (group) group.push(creation);
		else groups.set(key, [creation]);
	}
	return [...groups.values()];
}

/** The request body for a batch of one group (API document, section 4.1). */
export function creationBody(batch: readonly Creation[]): CreationBody {
	const { companyId, type } = batch[0] ?? {};
	return {
		deliveries: batch.map(({ delivery }) => delivery),
		...(companyId !== undefined && { companyId }),
		...(type !== undefined && { type }),
	};
}

/** A crash leaves all claimed references unknown, so even a large run claims no more than this. */
export const maxClaimed = 800;

/**
 * How many creations to claim at once. The same number is already claimed by then, and both together
 * should be a tenth of the run. But each claim costs as much as everything that is remembered, so it
 * is never less than one batch.
 */
export function claimSize(count: number, batchSize: number): number {
	const requests = Math.floor(Math.min(count / 10, maxClaimed) / 2 / batchSize);
	return Math.max(1, requests) * batchSize;
}

/** Enough to reach the rate limit (API document, section 8) when a response takes 2 seconds. */
const maxInFlight = 4;

/**
 * How many requests may be in flight: together they contain at most a tenth of the creations. If
 * n8n crashes, the outcome of everything in flight is unknown.
 *
 * @param batchSize how many creations share a request; undefined for the automatic choice
 */
export function maxRequestsInFlight(count: number, batchSize?: number): number {
	const size = batchSize ?? (count <= maxSentIndividually ? 1 : limits.deliveriesPerRequest);
	return Math.max(1, Math.min(maxInFlight, Math.floor(count / 10 / size)));
}

/** The creations with a reference ID, in the form that the ledger uses. */
export function toClaimants(batch: readonly Creation[]): Claimant[] {
	return batch.flatMap(({ delivery: { referenceId }, orderId }) =>
		referenceId === undefined ? [] : [{ referenceId, orderId }],
	);
}

/**
 * Runs up to this size use one request per delivery unless Batch Size is set: the size of a typical
 * shop's run, and a fifth of the requests that the rate limit allows per minute.
 */
const maxSentIndividually = 20;

/**
 * Whether the remaining deliveries of a run get one request each, so that a rejected delivery or a
 * lost response does not affect the others.
 *
 * @param remaining how many deliveries remain
 * @param availableRequests how many requests the rate limit allows now
 */
export function canSendIndividually(remaining: number, availableRequests: number): boolean {
	return remaining <= maxSentIndividually && remaining <= availableRequests;
}
