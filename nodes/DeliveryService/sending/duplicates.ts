import {
	anotherOrder,
	sameReferenceInInput,
	unknownOutcome,
	type Creation,
	type CreationResult,
	type Failed,
	type Outcome,
} from './outcomes';

/** A creation with the reference ID of an earlier one. */
export interface Duplicate {
	creation: Creation;
	first: Creation;
}

/** The creations of one input, grouped by whether they share a reference ID. */
export interface ReferenceGroups {
	/** The first with each reference ID of a company, and all without a reference ID. */
	unique: readonly Creation[];
	/** Later ones for the same order, or where an order is not known. */
	duplicates: readonly Duplicate[];
	/** Later ones for another order than the first. */
	conflicts: readonly Creation[];
}

/** How reference IDs are distinguished in a run. */
interface ReferenceOptions {
	/** Opens the ledger of sent references; without it, a reference ID may be sent repeatedly. */
	ledgerFor?: unknown;
	/** The company of deliveries that name none, if known. */
	ownCompanyId?: number;
}

/** Finds creations that share a reference ID within a company. */
export function findDuplicates(
	creations: readonly Creation[],
	{ ledgerFor, ownCompanyId }: ReferenceOptions,
): ReferenceGroups {
	if (ledgerFor === undefined) return { unique: creations, duplicates: [], conflicts: [] };
	const unique = new Map<string, Creation>();
	const duplicates: Duplicate[] = [];
	const conflicts: Creation[] = [];
	for (const creation of creations) {
		const { item, companyId = ownCompanyId, delivery } = creation;
		const key = JSON.stringify([companyId, delivery.referenceId ?? { item }]);
		const first = unique.get(key);
		if (!first) unique.set(key, creation);
		else if (haveDifferentOrders(creation, first)) conflicts.push(creation);
		else duplicates.push({ creation, first });
	}
	return { unique: [...unique.values()], duplicates, conflicts };
}

function haveDifferentOrders({ orderId: one }: Creation, { orderId: other }: Creation): boolean {
	return one !== undefined && other !== undefined && one !== other;
}

/**
 * The results of creations that were not sent because of their reference ID. A duplicate is skipped,
 * unless the first one failed: then its order may have no delivery.
 *
 * @param results of the unique creations
 */
export function resolveDuplicates(
	{ duplicates, conflicts }: ReferenceGroups,
	results: readonly CreationResult[],
): CreationResult[] {
	if (duplicates.length + conflicts.length === 0) return [];
	const outcomes = new Map(results.map(({ creation, outcome }) => [creation.item, outcome]));
	return [
		...duplicates.map((duplicate) => ({
			creation: duplicate.creation,
			outcome: duplicateOutcome(duplicate, outcomes.get(duplicate.first.item)),
		})),
		...conflicts.map((creation) => ({ creation, outcome: anotherOrder(creation) })),
	];
}

function duplicateOutcome(
	{ creation, first }: Duplicate,
	firstOutcome: Outcome | undefined,
): Outcome {
	switch (firstOutcome?.kind) {
		case 'created':
		case 'skipped':
			return sameReferenceInInput(creation);
		case 'unknown':
			// Not "not sent", which would mean that there is no such delivery.
			return unknownOutcome(
				`item ${first.item} has the same reference ID, and it is unknown whether its delivery was created`,
				true,
			);
		default:
			return notSentAfter(first);
	}
}

function notSentAfter({ item }: Creation): Failed {
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not sent: item ${item} has the same reference ID and was not created`,
			description: `Check the error of item ${item}, then run the workflow again. If they are separate deliveries, give each its own reference ID.`,
		},
	};
}
