import type { Claimant } from '../deduplication/ledger';
import { limits } from '../service/limits';
import type { CreationBody } from '../service/schemas';
import type { Creation } from './outcomes';

/** Creations that may share requests: those for the same company with the same type. */
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

/** The body of the request for a batch of one group (service document, section 4.1). */
export function creationBody(batch: readonly Creation[]): CreationBody {
	const { companyId, type } = batch[0] ?? {};
	return {
		deliveries: batch.map(({ delivery }) => delivery),
		...(companyId !== undefined && { companyId }),
		...(type !== undefined && { type }),
	};
}

/** A killed process leaves unknown what it has claimed: also of a large run not more than this. */
export const maxClaimed = 800;

/**
 * How many creations are claimed at once. As many again are claimed already when that happens, and
 * both together are to be a tenth of the run. But each claim costs as much as all that is
 * remembered: so never less than a request holds.
 */
export function claimSize(count: number, batchSize: number): number {
	const requests = Math.floor(Math.min(count / 10, maxClaimed) / 2 / batchSize);
	return Math.max(1, requests) * batchSize;
}

/** Enough to reach the rate limit (service document, section 8) when a response takes 2 seconds. */
const maxInFlight = 4;

/**
 * How many requests may be in flight: no more than contain a tenth of the creations. When the
 * process is killed, the outcome of all that is in flight is unknown.
 *
 * @param batchSize how many creations share a request; undefined for the automatic choice
 */
export function maxRequestsInFlight(count: number, batchSize?: number): number {
	const size = batchSize ?? (count <= maxSentIndividually ? 1 : limits.deliveriesPerRequest);
	return Math.max(1, Math.min(maxInFlight, Math.floor(count / 10 / size)));
}

/** Those creations that have a reference ID, as the ledger knows them. */
export function toClaimants(batch: readonly Creation[]): Claimant[] {
	return batch.flatMap(({ delivery: { referenceId }, orderId }) =>
		referenceId === undefined ? [] : [{ referenceId, orderId }],
	);
}

/**
 * Up to how many deliveries have a request each, when nobody says how many share one: a shop's usual
 * run. They take a fifth of what the limit allows in a minute.
 */
const maxSentIndividually = 20;

/**
 * Whether the deliveries that are left of a run have a request each, so that one which is refused,
 * or whose answer is lost, touches no other.
 *
 * @param left how many they are
 * @param room how many requests the limit allows now
 */
export function canSendIndividually(left: number, room: number): boolean {
	return left <= maxSentIndividually && left <= room;
}
