import type { Creation } from '../sending/outcomes';

/** A creation whose reference ID another one before it has. */
export interface Further {
	creation: Creation;
	first: Creation;
}

/** The creations of one input, by what their reference IDs say of each other. */
export interface BySameReference {
	/** The first of each company's reference ID, and all that have none. */
	first: readonly Creation[];
	/** Further ones of the same order, or where an order is not known. */
	further: readonly Further[];
	/** Further ones of another order than the first. */
	ofAnotherOrder: readonly Creation[];
}

/**
 * Tells creations apart that share a reference ID within a company.
 *
 * @param ownCompanyId the company of deliveries that name none, as far as it is known
 */
export function bySameReference(
	creations: readonly Creation[],
	ownCompanyId?: number,
): BySameReference {
	const first = new Map<string, Creation>();
	const further: Further[] = [];
	const ofAnotherOrder: Creation[] = [];
	for (const creation of creations) {
		const { item, companyId = ownCompanyId, delivery } = creation;
		const name = JSON.stringify([companyId, delivery.referenceId ?? { item }]);
		const before = first.get(name);
		if (!before) first.set(name, creation);
		else if (areOfTwoOrders(creation, before)) ofAnotherOrder.push(creation);
		else further.push({ creation, first: before });
	}
	return { first: [...first.values()], further, ofAnotherOrder };
}

function areOfTwoOrders({ shopifyOrder: one }: Creation, { shopifyOrder: other }: Creation) {
	return one?.id !== undefined && other?.id !== undefined && one.id !== other.id;
}
