import type { Entries } from './entries';
import {
	wholeOrder,
	type Claimant,
	type ReferenceEntries,
	type ReferenceState,
} from './references';

/** What the ledger already knows of whole orders. */
export interface KnownOrders {
	/** Whether this ledger has claimed the order for its fulfillment orders, or found it in parts. */
	isSplit: (reference: string) => boolean;
	/** Whether another execution has claimed the order since. */
	isLost: (reference: string) => boolean;
}

/** The states of claimants, and what follows for their whole orders and for the store. */
export interface Examination {
	states: ReadonlyMap<string, ReferenceState>;
	/** Whole orders that were claimed with free fulfillment orders, not yet recorded as in parts. */
	newlySplit: Claimant[];
	/** Whole orders that were found in parts. */
	foundSplit: Claimant[];
	/** The entries to remove, doubt last: claims that are not used, and those of look-ups. */
	obsolete: string[];
}

/** The whole orders that fulfillment orders claim as well: those that are not split yet. */
export function ordersToClaim(
	claimants: readonly Claimant[],
	isSplit: KnownOrders['isSplit'],
): Claimant[] {
	return claimants
		.flatMap((claimant) => wholeOrder(claimant) ?? [])
		.filter(({ referenceId }) => !isSplit(referenceId));
}

/**
 * Determines the states that references had before they were claimed. A fulfillment order is free if
 * its whole order was claimed with it, or is in parts already.
 *
 * @param claimants no two with the same reference
 * @param added the entries that were added when these claimants and their whole orders were claimed
 * @throws when the store fails
 */
export async function examine(
	entries: Entries,
	names: ReferenceEntries,
	claimants: readonly Claimant[],
	added: ReadonlySet<string>,
	{ isSplit, isLost }: KnownOrders,
): Promise<Examination> {
	const { pending } = names;
	const isNew = (claimant: Claimant) => added.has(pending(claimant));
	const isLostOrder = ({ referenceId }: Claimant) => isLost(referenceId);
	const wantedWholeReferences = new Set(
		claimants.flatMap((claimant) => (wholeOrder(claimant) ? [] : [claimant.referenceId])),
	);
	const isTaken = (order: Claimant) =>
		isSplit(order.referenceId)
			? isLostOrder(order)
			: !isNew(order) || wantedWholeReferences.has(order.referenceId);

	const newClaimants = claimants.filter(isNew);
	const takenOrders = newClaimants.flatMap((one) => wholeOrder(one) ?? []).filter(isTaken);
	const toLookUp = (some: readonly Claimant[]) => some.filter((one) => !isLostOrder(one));
	const found = await lookUpClaimed(
		entries,
		names,
		toLookUp(claimants.filter((one) => !isNew(one))),
		toLookUp(takenOrders),
	);
	const stateOfClaimed = (claimant: Claimant) =>
		isLostOrder(claimant) ? 'unknown' : found.stateOf(claimant);
	const stateOf = (claimant: Claimant): ReferenceState => {
		if (!isNew(claimant)) return stateOfClaimed(claimant);
		const order = wholeOrder(claimant);
		return order && isTaken(order) ? partStates[stateOfClaimed(order)] : 'free';
	};
	const states = new Map(claimants.map((one) => [one.referenceId, stateOf(one)]));

	const isFree = ({ referenceId }: Claimant) => states.get(referenceId) === 'free';
	const claimedOrders = ordersToClaim(claimants, isSplit).filter(isNew);
	const freeOrders = ordersToClaim(claimants.filter(isFree), isSplit).filter(isNew);
	const usedReferences = new Set([
		...wantedWholeReferences,
		...freeOrders.map(({ referenceId }) => referenceId),
	]);
	const unused = [
		...newClaimants.filter((one) => !isFree(one)),
		...claimedOrders.filter(({ referenceId }) => !usedReferences.has(referenceId)),
	];
	return {
		states,
		newlySplit: freeOrders,
		foundSplit: takenOrders.filter((order) => stateOfClaimed(order) === 'inParts'),
		obsolete: [...new Set([...unused.map(pending), ...found.added])],
	};
}

/** The state of a fulfillment order, by that of its whole order. */
const partStates = {
	created: 'wholeCreated',
	anotherOrder: 'free',
	inParts: 'free',
	unknown: 'wholeUnknown',
	lost: 'wholeLost',
} as const;

/**
 * Looks up the details of references that are claimed.
 *
 * @param orders whole orders of fulfillment orders, which are probably in parts
 * @returns their states, and the entries that were added, doubt last
 */
async function lookUpClaimed(
	entries: Entries,
	{ details, doubted, created, order, noOrder, inParts, lost }: ReferenceEntries,
	claimants: readonly Claimant[],
	orders: readonly Claimant[],
) {
	const asked = new Set<string>();
	const missing = new Set<string>();
	async function ask(wanted: readonly string[]): Promise<void> {
		const unasked = [...new Set(wanted)].filter((entry) => !asked.has(entry));
		if (unasked.length === 0) return;
		for (const entry of await entries.record(unasked)) missing.add(entry);
		for (const entry of unasked) asked.add(entry);
	}
	const has = (entry: string) => asked.has(entry) && !missing.has(entry);
	const isWhole = ({ orderReferenceId }: Claimant) => orderReferenceId === undefined;
	const isOtherOrder = (claimant: Claimant) =>
		isWhole(claimant) &&
		claimant.orderId !== undefined &&
		has(created(claimant)) &&
		!has(order(claimant)) &&
		!has(noOrder(claimant));
	const isUndecided = (claimant: Claimant) =>
		has(doubted(claimant)) || !(has(created(claimant)) || has(inParts(claimant)));
	const all = [...claimants, ...orders];
	await ask([...all.flatMap(details), ...orders.map(inParts)]);
	const undecided = all.filter(isUndecided);
	await ask([
		...all.filter(isOtherOrder).map(noOrder),
		...undecided.filter(isWhole).map(inParts),
		...undecided.map(lost),
	]);
	const doubts = new Set(all.map(doubted).filter((entry) => missing.has(entry)));
	return {
		added: [...[...missing].filter((entry) => !doubts.has(entry)), ...doubts],
		stateOf(claimant: Claimant): keyof typeof partStates {
			if (isUndecided(claimant)) return has(lost(claimant)) ? 'lost' : 'unknown';
			if (isOtherOrder(claimant)) return 'anotherOrder';
			return has(created(claimant)) ? 'created' : 'inParts';
		},
	};
}
