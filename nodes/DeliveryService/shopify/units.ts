import type { FulfillmentOrder } from './fulfillmentOrder';
import { fieldName, howToRequest, orderLabel, type LineItem, type Order } from './order';

/** The units of a line item. A line that needs no shipping has none. */
export interface LineUnits {
	line: LineItem;
	name: string;
	/** Those that the customer keeps, fulfilled ones included: not refunded, removed or canceled. */
	kept: number;
	/** Those left to ship of the whole order, or undefined if unknown. */
	left: number | undefined;
	/** Those that this delivery takes. */
	taken: number;
}

/** The units of all line items of an order. */
export interface OrderUnits {
	lines: LineUnits[];
	/** Why the units that this delivery takes can't be determined. */
	problems: string[];
}

/**
 * Counts the units of an order. Its delivery takes those left to ship, of all lines that need shipping
 * and aren't gift cards; the delivery of a fulfillment order takes those assigned to it.
 */
export function countUnits(order: Order): OrderUnits {
	const { fulfillmentOrder: part } = order;
	return part ? takeAssigned(order, part) : takeLeft(order);
}

function takeAssigned(order: Order, { line_items: parts }: FulfillmentOrder): OrderUnits {
	const assigned = parts.map(({ line_item_id: id, fulfillable_quantity: quantity }) => ({
		id,
		quantity,
	}));
	const unitsOf = unitsByLine(assigned);
	const lines = countLines(order).map((line) => ({
		...line,
		taken: needsShipping(line.line) ? unitsOf(line.line.id) : 0,
	}));
	const unknown = assigned.find(
		({ id, quantity }) => quantity > 0 && !order.line_items.some((line) => line.id === id),
	);
	const tooMany = lines.find(({ taken, kept }) => taken > kept);
	const problems = [
		unknown &&
			`${orderLabel(order)} doesn't contain the item with the ID ${unknown.id} of its fulfillment order. If the order was edited, fetch it again. ${howToRequest(order, `all "${fieldName(order, ['line_items'])}" with their IDs`)}.`,
		tooMany &&
			`${orderLabel(order)} has fewer units of "${tooMany.name}" (${tooMany.kept}) than its fulfillment order (${tooMany.taken}). Fetch the order and its fulfillment orders again: one of them is out of date.`,
	];
	return { lines, problems: problems.filter((problem) => problem !== undefined).slice(0, 1) };
}

function takeLeft(order: Order): OrderUnits {
	const counted = countLines(order);
	const problems = counted.flatMap(({ line, name, left }, index) => {
		if (left !== undefined) return [];
		const missing =
			line.fulfillable_quantity === undefined
				? ['line_items', index, 'fulfillable_quantity']
				: ['fulfillments'];
		return `${orderLabel(order)} doesn't say how many units of the partly fulfilled item "${name}" are left to ship. ${howToRequest(order, `"${fieldName(order, missing)}"`)}, or fulfill the rest manually.`;
	});
	const lines = counted.map((line) => ({ ...line, taken: Math.max(0, line.left ?? 0) }));
	return { lines, problems };
}

/** Whether a line is something that is shipped. */
function needsShipping(line: LineItem): boolean {
	return line.requires_shipping !== false && !line.gift_card;
}

/**
 * Whether units that were not refunded or removed have shipped or are about to. They may be in the
 * delivery of this order, or may have shipped in another way.
 */
export function isPartlyFulfilled(
	{ fulfillmentOrder: part }: Order,
	{ lines }: OrderUnits,
): boolean {
	if (part)
		return part.line_items.some(
			// Without the assigned units, it is unclear whether some have shipped.
			({ quantity, fulfillable_quantity: left }) => quantity === undefined || left < quantity,
		);
	return lines.some(({ kept, left }) => (left ?? 0) < kept);
}

function countLines(order: Order): Array<Omit<LineUnits, 'taken'>> {
	const refundLines = order.refunds?.flatMap((refund) => refund.refund_line_items);
	const refunded = refundLines && unitsByLine(refundLines);
	const canceled =
		refundLines && unitsByLine(refundLines.filter((line) => line.restock_type === 'cancel'));
	const fulfillments = order.fulfillments?.filter(({ status }) => !status || status === 'success');
	const fulfilled =
		fulfillments && unitsByLine(fulfillments.flatMap((fulfillment) => fulfillment.line_items));
	return order.line_items.map((line, index) => {
		const name = line.name ?? line.title ?? `Item ${index + 1}`;
		if (!needsShipping(line)) return { line, name, kept: 0, left: 0 };
		const refundedUnits = refunded?.(line.id) ?? 0;
		const current = line.current_quantity ?? line.quantity - refundedUnits;
		const kept = Math.max(0, Math.min(line.quantity, current));
		// Units that were removed without a refund can't have been fulfilled.
		const removed = refunded ? Math.max(0, line.quantity - kept - refundedUnits) : 0;
		const unfulfilled = unfulfilledUnits(
			line,
			(canceled?.(line.id) ?? 0) + removed,
			// None of a partly fulfilled line means that they are listed elsewhere.
			fulfilled?.(line.id) || undefined,
		);
		const left = kept === 0 ? 0 : unfulfilled && Math.min(kept, unfulfilled);
		return { line, name, kept, left };
	});
}

/** A function from a line's ID to its units in all entries. */
function unitsByLine(entries: ReadonlyArray<{ id?: string; quantity: number }>) {
	const units = new Map<string | undefined, number>();
	for (const { id, quantity } of entries) units.set(id, (units.get(id) ?? 0) + quantity);
	return (id: string | undefined) => units.get(id) ?? 0;
}

/**
 * The number of units that are neither fulfilled nor canceled, or undefined if unknown.
 * fulfillable_quantity alone doesn't show it if a line has both: by Shopify's documentation, it
 * subtracts only the larger one of fulfilled and refunded units.
 *
 * @param canceled the units that were refunded or removed before they were fulfilled
 * @param fulfilled the fulfilled units, or undefined if the order's fulfillments contain none
 */
function unfulfilledUnits(
	line: LineItem,
	canceled: number,
	fulfilled: number | undefined,
): number | undefined {
	const { quantity, fulfillable_quantity: fulfillable, fulfillment_status: status } = line;
	const isPartial = status === 'partial' || fulfilled !== undefined;
	if (fulfillable === undefined) {
		if (status === 'fulfilled') return 0;
		if (!isPartial) return quantity;
		return fulfilled === undefined ? undefined : quantity - fulfilled - canceled;
	}
	if (canceled === 0) return fulfillable;
	if (status === 'fulfilled') return 0;
	if (!isPartial) return fulfillable;
	// Something of a partly fulfilled line is fulfilled, and something is left.
	const most = Math.min(fulfillable, quantity - 1 - canceled);
	const least = Math.max(1, fulfillable - canceled);
	if (fulfilled === undefined) return most <= least ? most : undefined;
	return Math.min(most, quantity - fulfilled - canceled);
}
