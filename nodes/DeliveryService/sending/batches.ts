import type { Claimant } from '../ledger/references';
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
export const maxInFlight = 4;

/**
 * How many requests may be in flight. Together they contain only a small part of the creations: if
 * n8n crashes, the outcome of everything in flight is unknown, and so it is of every batch in flight
 * that the service rejects. A request with a single creation risks little, unless a failure should
 * keep the next ones from being sent.
 *
 * @param count the creations of the group
 * @param size how many of them share a request
 * @param stopsAfterFailure whether no new request starts after a failed one
 */
export function maxRequestsInFlight(
	count: number,
	size: number,
	stopsAfterFailure: boolean,
): number {
	if (size === 1 && !stopsAfterFailure) return maxInFlight;
	const largestPart = size === 1 ? count / 10 : count / 25;
	return Math.max(1, Math.min(maxInFlight, Math.floor(largestPart / size)));
}

/** The creations with a reference ID, in the form that the ledger uses. */
export function toClaimants(batch: readonly Creation[]): Claimant[] {
	return batch.flatMap(({ delivery: { referenceId }, orderId, orderReferenceId }) =>
		referenceId === undefined ? [] : [{ referenceId, orderId, orderReferenceId }],
	);
}

/**
 * Up to this many deliveries use one request each unless Batch Size is set: half of the requests that
 * the rate limit allows per minute, because other workflows need the rest.
 */
export const maxSentIndividually = 50;

/** The same for what remains after full batches: a large run should not become slower. */
const maxRestSentIndividually = 20;

/** After a rejected batch, the others get the smallest requests that take at most 5 minutes. */
const maxRequestsAfterRejection = 5 * limits.creationRequestsPerWindow;

/** Decides how many creations each request of a run contains. */
export class RequestSizes {
	private maxIndividual = maxSentIndividually;

	/** The maximum since a batch was rejected. */
	private reduced = Infinity;

	private hasUsedReduced = false;

	private sendsIndividually = false;

	/** @param batchSize the maximum that the user has set */
	constructor(private readonly batchSize?: number) {}

	/** Starts a group of creations that may share requests. */
	startGroup(): void {
		this.maxIndividual = maxSentIndividually;
		this.sendsIndividually = false;
	}

	/**
	 * The size of the next request. The deliveries of a small run are sent individually, so that a
	 * rejected delivery or a lost response does not affect the others.
	 *
	 * @param remaining how many creations of the run remain
	 * @param availableRequests how many requests the rate limit allows now
	 */
	next(remaining: number, availableRequests: number): number {
		const max = Math.min(this.maxIndividual, availableRequests);
		this.sendsIndividually ||= this.batchSize === undefined && remaining <= max;
		if (this.sendsIndividually) return 1;
		return Math.min(this.batchSize ?? limits.deliveriesPerRequest, this.reduced);
	}

	/** Like {@link next}, when the request starts. */
	take(remaining: number, availableRequests: number): number {
		const size = this.next(remaining, availableRequests);
		if (size > 1) this.maxIndividual = maxRestSentIndividually;
		this.hasUsedReduced ||= size === this.reduced;
		return size;
	}

	/** Reduces the size because a batch was rejected: each further rejection affects fewer. */
	reduce(remaining: number): void {
		if (this.reduced === Infinity)
			this.reduced = Math.max(1, Math.ceil(remaining / maxRequestsAfterRejection));
	}

	/** Whether the deliveries of a small run, or the last ones, are sent individually. */
	get isIndividual(): boolean {
		return this.sendsIndividually;
	}

	/** The size of the requests that were reduced, if there were any. */
	get reducedSize(): number | undefined {
		return this.hasUsedReduced ? this.reduced : undefined;
	}
}
