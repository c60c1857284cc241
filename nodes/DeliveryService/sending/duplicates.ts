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

/** The creations of one input, by reference ID. */
export interface ByReference {
	/** The first of each company's reference ID, and all that have none. */
	unique: readonly Creation[];
	/** Later ones of the same order, or where an order is not known. */
	duplicates: readonly Duplicate[];
	/** Later ones of another order than the first. */
	conflicts: readonly Creation[];
}

/** How references are told apart in a run. */
interface ReferenceOptions {
	/** Where sent references are kept; without it, a reference may be sent any number of times. */
	ledgerFor?: unknown;
	/** The company of deliveries that name none, where it is known. */
	ownCompanyId?: number;
}

/** Finds creations that share a reference ID within a company. */
export function findDuplicates(
	creations: readonly Creation[],
	{ ledgerFor, ownCompanyId }: ReferenceOptions,
): ByReference {
	if (ledgerFor === undefined) return { unique: creations, duplicates: [], conflicts: [] };
	const unique = new Map<string, Creation>();
	const duplicates: Duplicate[] = [];
	const conflicts: Creation[] = [];
	for (const creation of creations) {
		const { item, companyId = ownCompanyId, delivery } = creation;
		const name = JSON.stringify([companyId, delivery.referenceId ?? { item }]);
		const first = unique.get(name);
		if (!first) unique.set(name, creation);
		else if (areOfTwoOrders(creation, first)) conflicts.push(creation);
		else duplicates.push({ creation, first });
	}
	return { unique: [...unique.values()], duplicates, conflicts };
}

function areOfTwoOrders({ orderId: one }: Creation, { orderId: other }: Creation): boolean {
	return one !== undefined && other !== undefined && one !== other;
}

/**
 * The results of creations that were not sent because of their reference ID. A duplicate is skipped,
 * unless the first one failed: then no delivery of its order may exist.
 *
 * @param results of the unique ones
 */
export function resolveDuplicates(
	{ duplicates, conflicts }: ByReference,
	results: readonly CreationResult[],
): CreationResult[] {
	if (duplicates.length + conflicts.length === 0) return [];
	const outcomes = new Map(results.map(({ creation, outcome }) => [creation.item, outcome]));
	return [
		...duplicates.map(({ creation, first }) => ({
			creation,
			outcome: duplicateOutcome(first, outcomes.get(first.item)),
		})),
		...conflicts.map((creation) => ({ creation, outcome: anotherOrder(creation) })),
	];
}

function duplicateOutcome(first: Creation, outcome: Outcome | undefined): Outcome {
	switch (outcome?.kind) {
		case 'created':
		case 'skipped':
			return sameReferenceInInput;
		case 'unknown':
			// Not "not sent", which would mean that there is no such delivery.
			return unknownOutcome(
				`so it is for item ${first.item}, which has the same reference ID`,
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
			message: `This delivery was not sent: item ${item} has the same reference ID, and was not created`,
			description: `See what is said of item ${item}, then run the workflow again. If they are two deliveries, give each a reference ID of its own.`,
		},
	};
}
