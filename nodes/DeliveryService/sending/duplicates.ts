import {
	anotherOrder,
	sameOrderInInput,
	sameReferenceInInput,
	sentInParts,
	unknownOutcome,
	type Creation,
	type CreationResult,
	type Failed,
	type Outcome,
	type Skipped,
} from './outcomes';

/**
 * A creation with the reference ID of an earlier one, or of the same order: one is the whole order, the
 * other a fulfillment order.
 */
export interface Duplicate {
	creation: Creation;
	first: Creation;
}

/** The creations of one input, grouped by whether they share a reference ID. */
export interface ReferenceGroups {
	/**
	 * The first with each reference ID of a company, and all without a reference ID. No order is here
	 * both whole and by fulfillment order, as far as the orders are known.
	 */
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

/** Finds creations that share a reference ID or an order within a company. */
export function findDuplicates(
	creations: readonly Creation[],
	{ ledgerFor, ownCompanyId }: ReferenceOptions,
): ReferenceGroups {
	if (ledgerFor === undefined) return { unique: creations, duplicates: [], conflicts: [] };
	const unique = new Map<string, Creation>();
	const partsByOrder = new Map<string, Creation[]>();
	const duplicates: Duplicate[] = [];
	const conflicts: Creation[] = [];
	for (const creation of creations) {
		const { item, companyId = ownCompanyId, delivery, orderReferenceId } = creation;
		const keyOf = (reference: unknown) => JSON.stringify([companyId, reference]);
		const key = keyOf(delivery.referenceId ?? { item });
		const orderKey = orderReferenceId === undefined ? undefined : keyOf(orderReferenceId);
		const sameReference = unique.get(key);
		const sameOrder = (
			orderKey === undefined ? partsByOrder.get(key) : wholeIn(unique.get(orderKey))
		)?.find((other) => !haveDifferentOrders(creation, other));
		const first = sameReference ?? sameOrder;
		if (!first) {
			unique.set(key, creation);
			if (orderKey !== undefined) addTo(partsByOrder, orderKey, creation);
		} else if (haveDifferentOrders(creation, first)) conflicts.push(creation);
		else duplicates.push({ creation, first });
	}
	return { unique: [...unique.values()], duplicates, conflicts };
}

function haveDifferentOrders({ orderId: one }: Creation, { orderId: other }: Creation): boolean {
	return one !== undefined && other !== undefined && one !== other;
}

function addTo(lists: Map<string, Creation[]>, key: string, creation: Creation): void {
	const list = lists.get(key);
	if (list) list.push(creation);
	else lists.set(key, [creation]);
}

/** A creation that is no fulfillment order, as a list. */
function wholeIn(creation: Creation | undefined): Creation[] {
	return creation?.orderReferenceId === undefined && creation ? [creation] : [];
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

function duplicateOutcome(duplicate: Duplicate, firstOutcome: Outcome | undefined): Outcome {
	switch (firstOutcome?.kind) {
		case 'created':
		case 'skipped':
			return isWholeAfterPart(duplicate) ? sentInParts() : skippedDuplicate(duplicate);
		case 'unknown':
			return unknownAfter(duplicate);
		default:
			return notSentAfter(duplicate);
	}
}

/** Whether it is a whole order after one of its fulfillment orders: the others may not be in the input. */
export function isWholeAfterPart({ creation, first }: Duplicate): boolean {
	return creation.orderReferenceId === undefined && !haveSameReference(creation, first);
}

/** The outcome of another duplicate whose first creation has a delivery. */
export function skippedDuplicate({ creation, first }: Duplicate): Skipped {
	return haveSameReference(creation, first)
		? sameReferenceInInput(creation)
		: sameOrderInInput(creation);
}

/** The outcome is not "not sent", which would mean that there is no such delivery. */
function unknownAfter({ creation, first }: Duplicate): Failed {
	const { item } = first;
	if (haveSameReference(creation, first))
		return unknownOutcome(
			`item ${item} has the same reference ID, and it is unknown whether its delivery was created`,
			true,
		);
	return unknownOutcome(
		`item ${item} is of the same order (${first.delivery.referenceId}), and it is unknown whether its delivery was created`,
		false,
		`Start with the error of item ${item}.`,
	);
}

function notSentAfter({ creation, first }: Duplicate): Failed {
	const { item } = first;
	const [relation, advice] = haveSameReference(creation, first)
		? [
				'has the same reference ID',
				'If they are separate deliveries, give each its own reference ID.',
			]
		: [
				`is of the same order (${first.delivery.referenceId})`,
				'Pass either the order or its fulfillment orders to this node.',
			];
	return {
		kind: 'notSent',
		problem: {
			message: `This delivery was not sent: item ${item} ${relation} and was not created`,
			description: `Check the error of item ${item}, then run the workflow again. ${advice}`,
		},
	};
}

function haveSameReference({ delivery: one }: Creation, { delivery: other }: Creation): boolean {
	return one.referenceId === other.referenceId;
}
