import { limits } from '../service/schemas';
import type { Job } from './job';

/** Groups jobs that may share requests: those for the same company with the same type. */
export function groupJobs(jobs: readonly Job[]): Job[][] {
	const groups = new Map<string, Job[]>();
	for (const job of jobs) {
		const key = `${job.companyId ?? ''}/${job.type ?? ''}`;
		const group = groups.get(key);
		if (group) group.push(job);
		else groups.set(key, [job]);
	}
	return [...groups.values()];
}

/**
 * Up to this many deliveries use one request each unless Batch Size is set: half of the requests that
 * the rate limit allows per minute, because other workflows need the rest.
 */
const maxSentIndividually = 50;

/** After a rejected batch, the others get the smallest requests that take at most 5 minutes. */
const maxRequestsAfterRejection = 5 * limits.creationRequestsPerWindow;

/** Enough to reach the rate limit (API document, section 8) when a response takes 2 seconds. */
const maxInFlight = 4;

/** A crash leaves all claimed deliveries unknown, so even a large run claims no more than this. */
export const maxClaimed = 800;

/** How the deliveries of a group share requests. */
export interface Plan {
	/** Whether each has its own request, so that none is affected by another's failure. */
	isIndividual: boolean;
	/** The most deliveries per request. */
	size: number;
	/** How many are claimed at once: each claim costs as much as everything that is remembered. */
	claimed: number;
	/** How many requests may be in flight. */
	inFlight: number;
}

/**
 * Plans a group: if n8n crashes, or the service rejects a batch, everything in flight is unknown, so
 * that is only a small part of the group.
 *
 * @param count the deliveries of the group
 * @param batchSize the maximum that the user has set
 * @param stopsAfterFailure whether no new batch starts after a failed one
 */
export function planGroup(
	count: number,
	batchSize: number | undefined,
	stopsAfterFailure: boolean,
): Plan {
	const isIndividual = batchSize === undefined && count <= maxSentIndividually;
	const size = isIndividual ? 1 : (batchSize ?? limits.deliveriesPerRequest);
	const most = Math.min(Math.ceil(count / 10), maxClaimed);
	const inFlight =
		size === 1 && (isIndividual || !stopsAfterFailure)
			? maxInFlight
			: Math.min(maxInFlight, Math.floor(count / (size === 1 ? 10 : 25) / size));
	return {
		isIndividual,
		size,
		claimed: Math.max(isIndividual ? maxInFlight : 1, Math.floor(most / size)) * size,
		inFlight: Math.max(1, inFlight),
	};
}

/** The size of batches after the service has rejected one: each further rejection affects fewer. */
export function sizeAfterRejection(remaining: number): number {
	return Math.max(1, Math.ceil(remaining / maxRequestsAfterRejection));
}
