/** Items of one input that are the same delivery: the first one is sent, the others depend on it. */
import type { Job, RememberedJob } from './job';

/**
 * Sets `first` of each duplicate: the job with its reference ID, or with the whole order of its
 * fulfillment order. A different delivery with the same reference ID fails at once.
 */
export function markDuplicates(jobs: readonly RememberedJob[]): void {
	const keyOf = (company: number | undefined, reference: string) =>
		JSON.stringify([company, reference]);
	/** Equal for two jobs of one order; without order IDs, if their deliveries are equal. */
	const contentOf = ({ claim, delivery }: RememberedJob) =>
		claim.orderId ?? JSON.stringify(delivery);
	const firsts = new Map<string, RememberedJob>();
	for (const job of jobs) {
		const { companyId, referenceId, orderId } = job.claim;
		const first = firsts.get(keyOf(companyId, referenceId));
		if (!first) firsts.set(keyOf(companyId, referenceId), job);
		else if (contentOf(job) === contentOf(first)) job.first = first;
		else if (orderId === undefined)
			job.outcome = { kind: 'notSent', why: { code: 'anotherDelivery', first } };
		else job.outcome = { kind: 'notSent', why: { code: 'anotherOrder' } };
	}
	for (const job of firsts.values()) {
		const { companyId, orderId, part } = job.claim;
		const whole = part && firsts.get(keyOf(companyId, part.orderReferenceId));
		if (whole && !whole.claim.part && whole.claim.orderId === orderId) job.first = whole;
	}
}

/**
 * Sets the outcomes of duplicates: skipped, unless the first one may have no delivery.
 *
 * @param jobs in the order of their items: a duplicate comes after a first one that is a duplicate itself
 */
export function settleDuplicates(jobs: readonly Job[]): void {
	for (const job of jobs) {
		const { first } = job;
		if (!first) continue;
		const kind = first.outcome?.kind ?? 'created';
		if (kind === 'created' || kind === 'skipped') {
			const isSame = job.claim?.referenceId === first.claim?.referenceId;
			job.outcome = { kind: 'skipped', why: { code: isSame ? 'sameReference' : 'sameOrder' } };
		} else {
			const why = { code: 'firstFailed', first } as const;
			job.outcome = { kind: kind === 'unknown' ? 'unknown' : 'notSent', why };
		}
	}
}
