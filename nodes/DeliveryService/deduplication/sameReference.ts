import type { Creation } from '../sending/outcomes';

/**
 * The first creation of each company's reference ID apart from the further ones. Those without a
 * reference ID are all first ones.
 *
 * @param ownCompanyId the company of deliveries that name none, as far as it is known
 */
export function bySameReference(
	creations: readonly Creation[],
	ownCompanyId?: number,
): { first: readonly Creation[]; further: readonly Creation[] } {
	const first: Creation[] = [];
	const further: Creation[] = [];
	const seen = new Set<string>();
	for (const creation of creations) {
		const { companyId = ownCompanyId, delivery } = creation;
		const name = JSON.stringify([companyId, delivery.referenceId]);
		(delivery.referenceId !== undefined && seen.has(name) ? further : first).push(creation);
		seen.add(name);
	}
	return { first, further };
}
