import type { Claimant } from '../deduplication/ledger';
import type { CreationBody } from '../service/schemas';
import type { Creation } from './outcomes';

/** Creations that may share requests: those for the same company with the same type. */
export function groupsOf(creations: readonly Creation[]): Creation[][] {
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
export function bodyOf(batch: readonly Creation[]): CreationBody {
	const { companyId, type } = batch[0] ?? {};
	return {
		deliveries: batch.map(({ delivery }) => delivery),
		...(companyId !== undefined && { companyId }),
		...(type !== undefined && { type }),
	};
}

/** Those creations that have a reference ID, as the ledger knows them. */
export function claimantsOf(batch: readonly Creation[]): Claimant[] {
	return batch.flatMap(({ delivery: { referenceId }, orderId }) =>
		referenceId === undefined ? [] : [{ referenceId, orderId }],
	);
}
