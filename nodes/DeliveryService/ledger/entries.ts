/**
 * The names of the entries in the store: what the memory holds about a reference ID.
 *
 * | entry     | of       | meaning                                                                    |
 * | --------- | -------- | -------------------------------------------------------------------------- |
 * | claimed   | each     | an execution may send it, or its order's fulfillment orders                |
 * | created   | delivery | its delivery was created: with digests (their version, and whether with    |
 * |           |          | cash), without, or without an order: 'any', it counts for every one. If    |
 * |           |          | none of these exists, the outcome is unknown                               |
 * | order     | whole    | the order that it was created for: two shops can use the same reference    |
 * | sentCash, | delivery | a number and what it was sent as: see `changes.ts`                         |
 * | sentRest  |          |                                                                            |
 * | change    | delivery | a number above 0: an execution reports a change of its order               |
 * | told      | delivery | such a number: its digests are recorded                                    |
 * | part      | in parts | a number: one of its fulfillment orders has it; 0 is the first             |
 * | number    | part     | its number                                                                 |
 * | units     | in parts | a number, a line item and a power of two: see `units.ts`                   |
 * | freed     | in parts | a number: Allow Resending was used for it, so its units don't count        |
 * | resend    | each     | Allow Resending was used: the entries with one more of `resends` count     |
 * | examined  | each     | a lookup is going on, or was interrupted: the others can't be relied on    |
 * | seen      | order    | it was met in time, and not sent                                           |
 * | named     | delivery | its order was met late, and the user was asked to look for it              |
 *
 * A delivery of a whole order has the reference ID of the order. An order that is sent in parts, by
 * fulfillment order, has entries, too.
 */
type EntryKind =
	| 'claimed'
	| 'created'
	| 'order'
	| 'sentCash'
	| 'sentRest'
	| 'change'
	| 'told'
	| 'part'
	| 'number'
	| 'units'
	| 'freed'
	| 'resend'
	| 'examined'
	| 'seen'
	| 'named';

/** A reference ID that is claimed: a delivery's own, or that of an order that is sent in parts. */
export interface Reference {
	companyId: number | undefined;
	reference: string;
	/** How many times Allow Resending was used for it. After each, all of its entries are new ones. */
	resends: number;
	/** Of a fulfillment order: those of its order, so that both can be sent again together. */
	orderResends: number;
}

/** A reference ID for which Allow Resending was never used. */
export function referenceOf(companyId: number | undefined, reference: string): Reference {
	return { companyId, reference, resends: 0, orderResends: 0 };
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
