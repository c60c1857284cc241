/** How a run uses requests: how many deliveries each has, and how many are claimed and in flight. */
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
 * Up to this many deliveries have a request each unless Batch Size is set: what the rate limit allows in
 * five minutes. A bad address then affects no other delivery.
 */
const maxSentIndividually = 5 * limits.creationRequestsPerWindow;

/** Enough to reach the rate limit (docs/api.md, section 8) when a response takes 2 seconds. */
const maxInFlight = 4;

/** A crash leaves all claimed deliveries unknown, so even a large run claims no more than this. */
export const maxClaimed = 800;

/** How the deliveries of a run share requests. */
export interface Plan {
	/** Whether each has its own request because Batch Size isn't set: a failure affects no other one. */
	isIndividual: boolean;
	/** The most deliveries per request. */
	size: number;
	/** How many are claimed at once: each claim costs as much as everything that is remembered. */
	claimed: number;
	/** How many requests may be in flight. */
	inFlight: number;
}

/**
 * Plans a run: if n8n crashes, everything that is claimed is unknown, so that is a tenth of the run.
 *
 * @param count the deliveries that may have to be sent
 * @param batchSize the maximum that the user has set
 */
export function planRun(count: number, batchSize: number | undefined): Plan {
	const isIndividual = batchSize === undefined && count <= maxSentIndividually;
	const size = isIndividual ? 1 : (batchSize ?? limits.deliveriesPerRequest);
	const share = Math.min(Math.ceil(count / 10), maxClaimed);
	const requests = Math.max(isIndividual ? maxInFlight : 1, Math.floor(share / size));
	return {
		isIndividual,
		size,
		claimed: requests * size,
		inFlight: Math.min(maxInFlight, requests),
	};
}
