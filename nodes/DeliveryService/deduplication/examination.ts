import type { Clock } from '../common/clock';
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
	/** Whether another execution has overwritten that claim, given the entries that were added. */
	isOverwritten?: (reference: string, added: ReadonlySet<string>) => boolean;
}

/** The states of claimants, and what recording has changed. */
export interface Examination {
	states: ReadonlyMap<string, ReferenceState>;
	/** The entries that were added when the references were claimed. */
	added: ReadonlySet<string>;
	/** The entries to remove, doubt last. */
	obsolete: string[];
	/** Whole orders that were claimed for fulfillment orders, not yet recorded as in parts. */
	newlySplit: Claimant[];
	/** Whole orders that were found in parts. */
	foundSplit: Claimant[];
	/** How long recording took. */
	tookMs: number;
}

/**
 * Claims references, and determines their previous states. A fulfillment order claims its whole order
 * as well: it is free if it adds that claim, or if the whole order is in parts already.
 *
 * In the normal case entries are only added: to remove one, n8n searches all of them. But looking
 * for an entry records it, and a crash at that moment must not leave an entry behind that marks the
 * reference as created or in parts. So a look-up records doubt as well, and removes both: if it is
 * interrupted, the state is unknown.
 *
 * @param claimants no two with the same reference
 * @param otherEntries entries to record together with the claims
 * @throws when the store fails
 */
export async function examine(
	entries: Entries,
	names: ReferenceEntries,
	claimants: readonly Claimant[],
	clock: Clock,
	{ isSplit, isOverwritten = () => false }: KnownOrders,
	otherEntries: readonly string[] = [],
): Promise<Examination> {
	const { pending } = names;
	const started = clock.now();
	const wholes = new Set(claimants.flatMap((one) => (wholeOrder(one) ? [] : [one.referenceId])));
	const orders = claimants.flatMap((one) => wholeOrder(one) ?? []);
	const unknownOrders = orders.filter((order) => !isSplit(order.referenceId));
	const claims = [...claimants, ...unknownOrders].map(pending);
	// n8n may keep both of two equal entries that are recorded at once.
	const added = await entries.record([...new Set([...claims, ...otherEntries])]);
	const tookMs = clock.now() - started;

	const isNew = (claimant: Claimant) => added.has(pending(claimant));
	const wasOverwritten = ({ referenceId }: Claimant) => isOverwritten(referenceId, added);
	const isTaken = (order: Claimant) =>
		isSplit(order.referenceId)
			? wasOverwritten(order)
			: !isNew(order) || wholes.has(order.referenceId);
	const isNotOverwritten = (claimant: Claimant) => !wasOverwritten(claimant);
	const known = claimants.filter((claimant) => !isNew(claimant));
	const taken = claimants
		.filter(isNew)
		.flatMap((claimant) => wholeOrder(claimant) ?? [])
		.filter(isTaken);
	const found = await lookUpClaimed(
		entries,
		names,
		known.filter(isNotOverwritten),
		taken.filter(isNotOverwritten),
	);
	const stateOfClaimed = (claimant: Claimant) =>
		wasOverwritten(claimant) ? 'unknown' : found.stateOf(claimant);
	const stateOf = (claimant: Claimant): ReferenceState => {
		if (!isNew(claimant)) return stateOfClaimed(claimant);
		const order = wholeOrder(claimant);
		return order && isTaken(order) ? partStates[stateOfClaimed(order)] : 'free';
	};
	const states = new Map(claimants.map((one) => [one.referenceId, stateOf(one)]));
	const freeOrders = claimants
		.filter(({ referenceId }) => states.get(referenceId) === 'free')
		.flatMap((claimant) => wholeOrder(claimant) ?? []);
	const used = new Set([...wholes, ...freeOrders.map(({ referenceId }) => referenceId)]);
	const unused = [
		...claimants.filter((one) => isNew(one) && states.get(one.referenceId) !== 'free'),
		...unknownOrders.filter((order) => isNew(order) && !used.has(order.referenceId)),
	];
	return {
		states,
		added,
		obsolete: [...new Set([...unused.map(pending), ...found.added])],
		newlySplit: freeOrders.filter((order) => !isSplit(order.referenceId) && isNew(order)),
		foundSplit: taken.filter((order) => stateOfClaimed(order) === 'inParts'),
		tookMs,
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
