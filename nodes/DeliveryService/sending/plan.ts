import { limits } from '../service/schemas';
import type { Job } from './job';

/**
 * Sets `first` of each duplicate: the job with its reference ID, or with the whole order of its
 * fulfillment order. A different delivery with the same reference ID fails at once.
 */
export function markDuplicates(jobs: readonly Job[]): void {
	const keyOf = (company?: number, reference?: string) => JSON.stringify([company, reference]);
	/** Equal for two jobs of one order; without order IDs, if their deliveries are equal. */
	const contentOf = ({ claim, delivery }: Job) => claim?.orderId ?? JSON.stringify(delivery);
	const firsts = new Map<string, Job>();
	for (const job of jobs) {
		const { companyId, referenceId, orderId } = job.claim ?? {};
		if (referenceId === undefined) continue;
		const first = firsts.get(keyOf(companyId, referenceId));
		if (!first) firsts.set(keyOf(companyId, referenceId), job);
		else if (contentOf(job) === contentOf(first)) job.first = first;
		else if (orderId === undefined || first.claim?.orderId === undefined)
			job.outcome = { kind: 'notSent', why: { code: 'anotherDelivery', first } };
		else job.outcome = { kind: 'notSent', why: { code: 'anotherOrder' } };
	}
	for (const job of firsts.values()) {
		const { companyId, orderId, part } = job.claim ?? {};
		const whole = part && firsts.get(keyOf(companyId, part.orderReferenceId));
		if (whole?.claim && !whole.claim.part && whole.claim.orderId === orderId) job.first = whole;
	}
}

/** Sets the outcomes of duplicates: skipped, unless the first one may have no delivery. */
export function settleDuplicates(jobs: readonly Job[]): void {
	for (const job of jobs) {
		const { first } = job;
		if (!first) continue;
		// The first one may be a fulfillment order of a whole order itself.
		const kind = (first.first ?? first).outcome?.kind ?? 'created';
		if (kind === 'created' || kind === 'skipped') {
			const isSame = job.claim?.referenceId === first.claim?.referenceId;
			job.outcome = { kind: 'skipped', why: { code: isSame ? 'sameReference' : 'sameOrder' } };
		} else {
			const why = { code: 'firstFailed', first } as const;
			job.outcome = { kind: kind === 'unknown' ? 'unknown' : 'notSent', why };
		}
	}
}

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
 * @param count the deliveries of the group that may have to be sent
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
