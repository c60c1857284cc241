import type { Job } from './job';

/** A job that is not sent because an earlier one of the same input has its delivery. */
interface Duplicate {
	job: Job;
	first: Job;
}

/**
 * Finds jobs with the reference ID of an earlier one, or of an order that the input contains whole as
 * well. A different delivery with the same reference ID fails at once.
 *
 * @param jobs those with a claim
 * @returns the duplicates, whose outcome depends on that of the first one
 */
export function findDuplicates(jobs: readonly Job[]): Duplicate[] {
	const keyOf = ({ claim }: Job, reference: string, orderId = '') =>
		JSON.stringify([claim?.companyId, reference, orderId]);
	const firstByReference = new Map<string, Job>();
	const wholeByOrder = new Map<string, Job>();
	const duplicates: Duplicate[] = [];
	for (const job of jobs) {
		const { claim } = job;
		if (!claim) continue;
		const key = keyOf(job, claim.referenceId);
		const first = firstByReference.get(key);
		if (!first) {
			firstByReference.set(key, job);
			if (!claim.part) wholeByOrder.set(keyOf(job, claim.referenceId, claim.orderId), job);
		} else if (isSameDelivery(job, first)) duplicates.push({ job, first });
		else
			job.outcome = {
				kind: 'notSent',
				why: areOtherOrders(job, first)
					? { code: 'anotherOrder' }
					: { code: 'anotherDelivery', first },
			};
	}
	const parts = [...firstByReference.values()].flatMap((job) => {
		const { part, orderId } = job.claim ?? {};
		const first = part && wholeByOrder.get(keyOf(job, part.orderReferenceId, orderId));
		return first ? [{ job, first }] : [];
	});
	// Those with the reference ID of a part depend on it.
	return [...parts, ...duplicates];
}

/** Sets the outcomes of duplicates: skipped, unless the first one may have no delivery. */
export function settleDuplicates(duplicates: readonly Duplicate[]): void {
	for (const { job, first } of duplicates) {
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

/** Whether two jobs are for the same order; without order IDs, whether their deliveries are equal. */
function isSameDelivery(one: Job, other: Job): boolean {
	const [oneId, otherId] = [one.claim?.orderId, other.claim?.orderId];
	if (oneId !== undefined || otherId !== undefined) return oneId === otherId;
	return JSON.stringify(one.delivery) === JSON.stringify(other.delivery);
}

function areOtherOrders({ claim: one }: Job, { claim: other }: Job): boolean {
	return (
		one?.orderId !== undefined && other?.orderId !== undefined && one.orderId !== other.orderId
	);
}
