/**
 * The names of the entries in the store: what the memory holds about a reference ID.
 *
 * | entry    | of       | meaning                                                                     |
 * | -------- | -------- | --------------------------------------------------------------------------- |
 * | claimed  | each     | an execution may send it, or its order's fulfillment orders                 |
 * | created  | delivery | its delivery was created; without this, the outcome is unknown              |
 * | order    | whole    | the order that it was created for: two shops can use the same reference; or |
 * |          |          | '', if it was created from fields or JSON: then it counts for every order   |
 * | part, n  | in parts | a fulfillment order has the number n: the first one is 0, none is left out  |
 * | number,n | part     | this is the one with the number n                                           |
 * | units    | in parts | n, a line item and a power of two: the units that n has claimed of the line |
 * |          |          | are the sum of these                                                        |
 * | freed, n | in parts | Allow Resending was used for n: its units don't count any more              |
 * | resend   | each     | Allow Resending was used: the entries with one more of `resends` count      |
 * | examined | each     | a lookup is going on, or was interrupted: the others can't be relied on     |
 *
 * A delivery of a whole order has the reference ID of the order. An order that is sent in parts, by
 * fulfillment order, has entries, too.
 */
export type EntryKind =
	'claimed' | 'created' | 'order' | 'part' | 'number' | 'units' | 'freed' | 'resend' | 'examined';

/** A reference ID that is claimed: a delivery's own, or that of an order that is sent in parts. */
export interface Reference {
	companyId: number | undefined;
	reference: string;
	/** How many times Allow Resending was used for it. After each, all of its entries are new ones. */
	resends: number;
	/** Of a fulfillment order: those of its order, so that both can be sent again together. */
	orderResends: number;
}

export function referenceOf(
	companyId: number | undefined,
	reference: string,
	orderResends = 0,
): Reference {
	return { companyId, reference, resends: 0, orderResends };
}

/** An entry of a reference: no two are ever equal, whatever a reference contains. */
export function entryOf(
	{ companyId, reference, orderResends, resends }: Reference,
	kind: EntryKind,
	...details: ReadonlyArray<string | number>
): string {
	const name = ['delivery', companyId ?? null, reference, orderResends, resends];
	return JSON.stringify([...name, kind, ...details]);
}
