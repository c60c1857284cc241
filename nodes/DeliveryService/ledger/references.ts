import { chunk } from '../common/chunk';
import { maxEntriesPerRemoval, type Store } from './entries';

/** A delivery that needs a reference, and its order if known. */
export interface Claimant {
	referenceId: string;
	/** Unique across all shops, while two orders may share a reference. */
	orderId?: string;
	/** The reference that the whole order would have, if the delivery is for a fulfillment order. */
	orderReferenceId?: string;
}

/** The result of claiming a reference. */
export type Claim =
	/** This execution may send it. */
	| 'claimed'
	/** An earlier run created its delivery. */
	| 'created'
	/** It is a fulfillment order, and a delivery was created for the whole order. */
	| 'wholeCreated'
	/** It is a whole order, and its fulfillment orders were claimed. */
	| 'inParts'
	/** The reference belongs to another order, which was created. */
	| 'anotherOrder'
	/** Another execution claimed it and is sending it now, or crashed. */
	| 'unknown'
	/** Like unknown, but nothing more will be learned about it. */
	| 'lost'
	/** It is a fulfillment order, and the whole order is unknown. */
	| 'wholeUnknown'
	/** It is a fulfillment order, and the whole order is lost. */
	| 'wholeLost';

/** The state of a reference: it may be sent, or why not. */
export type ReferenceState = 'free' | Exclude<Claim, 'claimed'>;

/** The whole order of a fulfillment order. */
export function wholeOrder({ orderReferenceId, orderId }: Claimant): Claimant | undefined {
	return orderReferenceId === undefined ? undefined : { referenceId: orderReferenceId, orderId };
}

/** The entries of a reference, besides its order. */
const entryParts = ['pending', 'created', 'no order', 'doubted', 'lost', 'in parts'] as const;

type EntryPart = (typeof entryParts)[number];

/** Returns the entries of references. */
export type ReferenceEntries = ReturnType<typeof referenceEntries>;

/**
 * Names the entries of references. The store can only record entries and return which ones were new,
 * so the state of a reference consists of several entries:
 *
 * | entries                           | state                                         |
 * | --------------------------------- | --------------------------------------------- |
 * | none                              | never sent, or released                       |
 * | pending                           | claimed, response not processed: unknown      |
 * | pending and lost                  | claimed, and its outcome stays unknown: lost  |
 * | pending, created and order X      | created for the order X only                  |
 * | pending, created and no order     | created, for an order that is not known       |
 * | pending and in parts              | its fulfillment orders are claimed            |
 * | doubted, with any others          | a look-up was interrupted: unknown, or lost   |
 *
 * With both created and in parts, created counts. A fulfillment order has no entry for its order: its
 * reference contains an ID that is unique across all shops. Nor has an order in parts: fulfillment
 * orders of another order with the same reference may be sent too.
 *
 * @param scope what references are unique within: the service and the company
 */
export function referenceEntries(scope: string) {
	const entry = (part: EntryPart) => (claimant: Claimant) =>
		entryOf(scope, part, claimant.referenceId);
	const pending = entry('pending');
	const created = entry('created');
	const noOrder = entry('no order');
	const doubted = entry('doubted');
	const inParts = entry('in parts');
	const order = (claimant: Claimant) =>
		claimant.orderId === undefined
			? noOrder(claimant)
			: entryOf(scope, `order ${JSON.stringify(claimant.orderId)}`, claimant.referenceId);
	const ofOrder = (claimant: Claimant) =>
		claimant.orderReferenceId === undefined ? [order(claimant)] : [];
	return {
		...{ pending, created, noOrder, doubted, inParts, order, lost: entry('lost') },
		/** Those that usually determine the state of a claimed reference. */
		details: (claimant: Claimant) => [
			doubted(claimant),
			created(claimant),
			...(claimant.orderId === undefined ? [] : ofOrder(claimant)),
		],
		/** Those of a created delivery. */
		ofCreated: (claimant: Claimant) => [pending(claimant), created(claimant), ...ofOrder(claimant)],
	};
}

/** How many references to forget per exclusive access, so that others do not wait too long. */
const maxReferencesPerAccess = Math.floor(maxEntriesPerRemoval / entryParts.length);

/**
 * Forgets references, whatever their state. The entries of their orders remain, since the orders are
 * not known; they mean nothing without the others. A whole order and its fulfillment orders are
 * forgotten separately.
 *
 * Looking for a reference records it, which drops one of the oldest entries when the store is full.
 * Since all are removed again before the next access, at most one access's references are affected.
 *
 * @returns the references that would not have been sent; if this is interrupted, others may appear
 *   as unknown until they are forgotten once more
 * @throws when the store fails
 */
export async function forgetReferences(
	store: Store,
	scope: string,
	references: readonly string[],
): Promise<ReadonlySet<string>> {
	const remembered = new Set<string>();
	// n8n may keep both of two equal entries that are recorded at once.
	for (const some of chunk([...new Set(references)], maxReferencesPerAccess))
		await store.runExclusive(async (entries) => {
			const pendingOf = (reference: string) => entryOf(scope, 'pending', reference);
			const added = await entries.record(some.map(pendingOf));
			for (const reference of some) if (!added.has(pendingOf(reference))) remembered.add(reference);
			await entries.remove(
				some.flatMap((reference) => entryParts.map((part) => entryOf(scope, part, reference))),
			);
		});
	return remembered;
}

/** The reference comes last because it may contain anything: no two entries are ever equal. */
export function entryOf(scope: string, state: string, reference: string): string {
	return `${scope}\n${state}\n${reference}`;
}
