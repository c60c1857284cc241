/**
 * A reference ID in the ledger. Its entries in the store are:
 *
 * | entry     | meaning                                                                        |
 * | --------- | ------------------------------------------------------------------------------ |
 * | claimed   | an execution may send it, or its order's fulfillment orders                     |
 * | created   | its delivery was created; without this, the outcome is unknown                  |
 * | order     | the order that it was created for: two shops can use the same reference         |
 * | parts     | it is an order that is sent by fulfillment order                                |
 * | unit      | some units of one of the order's line items were claimed                        |
 * | resend    | Allow Resending has replaced this name by the one with the next number          |
 * | examined  | a look-up is going on, or was interrupted: what it asked for can't be relied on |
 *
 * No entry is ever listed: the store can only record entries, and tell which of them were new.
 */
export interface Name {
	/** The child company that the reference belongs to; undefined for the own company. */
	companyId?: number;
	reference: string;
	/** Of a fulfillment order: the number of its order, so that both can be sent again together. */
	orderNumber: number;
	/** How many times Allow Resending was used for it. */
	number: number;
}

type EntryKind = 'claimed' | 'created' | 'order' | 'parts' | 'unit' | 'resend' | 'examined';

/** An entry of a name: no two are ever equal, whatever a reference contains. */
export function entryOf(
	{ companyId, reference, orderNumber, number }: Name,
	kind: EntryKind,
	...details: ReadonlyArray<string | number>
): string {
	const key = ['delivery', companyId ?? null, reference, orderNumber, number, kind, ...details];
	return JSON.stringify(key);
}

/** The name after Allow Resending. */
export function nextName(name: Name): Name {
	return { ...name, number: name.number + 1 };
}

/** The part of an order that one delivery takes. */
export interface OrderPart {
	/** The reference ID that the whole order would have. */
	orderReferenceId: string;
	/** All line items of the order: their quantity as ordered, and the units that this delivery takes. */
	lines: ReadonlyArray<{ id: string; quantity: number; units: number }>;
}

/** The units of an order with more are claimed in groups, so that no order fills the store. */
const maxUnitsPerOrder = 48;

/** The units that a delivery takes of one line item: any of these entries, as many as `count`. */
export interface UnitClaim {
	entries: string[];
	count: number;
}

/**
 * The entries for the units of a part. Shopify doesn't say which of a line's units are in a
 * fulfillment order, so any that are free count.
 */
export function unitClaims(order: Name, { lines }: OrderPart): UnitClaim[] {
	const total = lines.reduce((sum, { quantity }) => sum + quantity, 0);
	const maxGroups =
		total <= maxUnitsPerOrder ? Infinity : Math.max(1, maxUnitsPerOrder / lines.length);
	return lines.flatMap(({ id, quantity, units }) => {
		if (units <= 0) return [];
		const groupSize = Math.max(1, Math.ceil(quantity / Math.floor(maxGroups)));
		const entries = Array.from(
			{ length: Math.ceil(Math.max(quantity, units) / groupSize) },
			(_, group) => entryOf(order, 'unit', id, group),
		);
		return [{ entries, count: Math.ceil(units / groupSize) }];
	});
}
