import type { Result } from '../common/result';
import {
	currencyDecimals,
	multiply,
	share,
	sign,
	subtract,
	sum,
	zero,
	type Decimal,
} from './decimal';
import type { FulfillmentOrder } from './fulfillmentOrder';
import { fieldName, howToRequest, orderLabel, type LineItem, type Order } from './order';
import { problemFrom } from './problems';

/** What is left to ship of one line item. */
export interface RemainingLine {
	name: string;
	sku: string | undefined;
	properties: LineItem['properties'];
	/** The number of units, at least 1. */
	units: number;
	/** The weight of one unit, if known. */
	gramsPerUnit: Decimal | undefined;
	/** The price of the remaining units after discounts, if known. */
	price: Decimal | undefined;
}

/**
 * Finds what is left to ship of an order, or of its fulfillment order: the units that are not
 * refunded, removed or fulfilled, of all lines that need shipping and aren't gift cards.
 *
 * @returns the lines with units left to ship, or why that can't be determined
 */
export function remainingLines(order: Order): Result<RemainingLine[]> {
	return order.fulfillmentOrder ? linesOfPart(order, order.fulfillmentOrder) : linesOfOrder(order);
}

function linesOfPart(
	order: Order,
	{ line_items: parts }: FulfillmentOrder,
): Result<RemainingLine[]> {
	const lines: RemainingLine[] = [];
	const kept = new Map(keptLines(order).map(({ line, units }) => [line, units]));
	const partUnits = unitsByLine(parts.map(toUnits));
	for (const { line_item_id: id, fulfillable_quantity: left } of parts) {
		if (left === 0) continue;
		const index = order.line_items.findIndex((line) => line.id === id);
		const line = order.line_items[index];
		if (!line) {
			const message = `${orderLabel(order)} doesn't contain the item with the ID ${id} of its fulfillment order. If the order was edited, fetch it again. ${howToRequest(order, `all "${fieldName(order, ['line_items'])}" with their IDs`)}.`;
			return { ok: false, problem: { message } };
		}
		if (!needsShipping(line)) continue;
		const units = kept.get(line) ?? 0;
		if (partUnits(id) > units) {
			const message = `${orderLabel(order)} has fewer units of "${lineName(line, index)}" (${units}) than its fulfillment order (${partUnits(id)}). Fetch the order and its fulfillment orders again: one of them is out of date.`;
			return { ok: false, problem: { message } };
		}
		lines.push(toRemainingLine(order, line, index, left));
	}
	return { ok: true, value: lines };
}

function linesOfOrder(order: Order): Result<RemainingLine[]> {
	const lines: RemainingLine[] = [];
	const problems: string[] = [];
	for (const [index, { line, units }] of countLines(order).entries()) {
		if (!units) continue;
		if (units.left === undefined) {
			const missing =
				line.fulfillable_quantity === undefined
					? fieldName(order, ['line_items', index, 'fulfillable_quantity'])
					: fieldName(order, ['fulfillments']);
			problems.push(
				`${orderLabel(order)} doesn't say how many units of the partly fulfilled item "${lineName(line, index)}" are left to ship. ${howToRequest(order, `"${missing}"`)}, or fulfill the rest manually.`,
			);
		} else if (units.left > 0) lines.push(toRemainingLine(order, line, index, units.left));
	}
	return problems.length > 0
		? { ok: false, problem: problemFrom(problems) }
		: { ok: true, value: lines };
}

function toRemainingLine(
	order: Order,
	line: LineItem,
	index: number,
	units: number,
): RemainingLine {
	return {
		name: lineName(line, index),
		sku: line.sku,
		properties: line.properties,
		units,
		gramsPerUnit: unitGrams(line),
		price: priceAfterDiscounts(line, units, order.currency),
	};
}

function lineName(line: LineItem, index: number): string {
	return line.name ?? line.title ?? `Item ${index + 1}`;
}

/** Whether a line is something that is shipped. */
function needsShipping(line: LineItem): boolean {
	return line.requires_shipping !== false && !line.gift_card;
}

/**
 * Whether units that were not refunded or removed have shipped or are about to. They may be in the
 * delivery of this order, or may have shipped in another way.
 */
export function isPartlyFulfilled(order: Order): boolean {
	if (order.fulfillmentOrder)
		return order.fulfillmentOrder.line_items.some(
			// Without the assigned units, it is unclear whether some have shipped.
			({ quantity, fulfillable_quantity: left }) => quantity === undefined || left < quantity,
		);
	return countLines(order).some(({ units }) => units && (units.left ?? 0) < units.kept);
}

/**
 * The weight of one unit. Shopify returns 0 for products without a weight; adding it up would make
 * a package look lighter than it is.
 */
function unitGrams({ grams }: LineItem): Decimal | undefined {
	return grams && sign(grams) > 0 ? grams : undefined;
}

/** A line that is shipped, and how many of its units the customer keeps. */
export interface KeptLine {
	line: LineItem;
	/** The units that are not refunded, removed or canceled, fulfilled ones included. */
	units: number;
	/** Their price after discounts, if known. */
	price: Decimal | undefined;
}

/** The lines of the whole order that need shipping, fulfilled ones included. */
export function keptLines(order: Order): KeptLine[] {
	return countLines(order).flatMap(({ line, units }) => {
		if (!units || units.kept <= 0) return [];
		const price = priceAfterDiscounts(line, units.kept, order.currency);
		return [{ line, units: units.kept, price }];
	});
}

/** The units of a line item. */
interface LineUnits {
	/** Those that are not refunded, removed or canceled, fulfilled ones included. */
	kept: number;
	/** Those left to ship (none if 0 or less), or undefined if unknown. */
	left: number | undefined;
}

/** The units of each line; none of a line that needs no shipping. */
function countLines(order: Order): Array<{ line: LineItem; units: LineUnits | undefined }> {
	const refundLines = order.refunds?.flatMap((refund) => refund.refund_line_items);
	const refunded = refundLines && unitsByLine(refundLines);
	const canceled =
		refundLines && unitsByLine(refundLines.filter((line) => line.restock_type === 'cancel'));
	const fulfillments = order.fulfillments?.filter(({ status }) => !status || status === 'success');
	const fulfilled =
		fulfillments && unitsByLine(fulfillments.flatMap((fulfillment) => fulfillment.line_items));
	return order.line_items.map((line) => {
		if (!needsShipping(line)) return { line, units: undefined };
		const refundedUnits = refunded?.(line.id) ?? 0;
		const kept = Math.min(line.quantity, line.current_quantity ?? line.quantity - refundedUnits);
		// Units that were removed without a refund can't have been fulfilled.
		const removed = refunded ? Math.max(0, line.quantity - kept - refundedUnits) : 0;
		const unfulfilled = unfulfilledUnits(
			line,
			(canceled?.(line.id) ?? 0) + removed,
			// None of a partly fulfilled line means that they are listed elsewhere.
			fulfilled?.(line.id) || undefined,
		);
		const left = kept <= 0 ? 0 : unfulfilled && Math.min(kept, unfulfilled);
		return { line, units: { kept, left } };
	});
}

const toUnits = ({
	line_item_id: id,
	fulfillable_quantity: quantity,
}: FulfillmentOrder['line_items'][number]) => ({ id, quantity });

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

/**
 * The price of some units of a line after discounts. A discount applies to all units of the line,
 * so only the share of these units is subtracted.
 */
function priceAfterDiscounts(
	line: LineItem,
	units: number,
	currency: string | undefined,
): Decimal | undefined {
	const discount = lineDiscount(line);
	if (!line.price || !discount) return undefined;
	const discountShare =
		units === line.quantity
			? discount
			: share(discount, units, line.quantity, currencyDecimals(currency));
	const price = subtract(multiply(line.price, units), discountShare);
	return sign(price) < 0 ? zero : price;
}

/**
 * The total discount of a line, or undefined if unknown. The allocations contain both the line's
 * own discounts and its shares of order discounts. total_discount repeats the line's own discounts,
 * so it counts only without allocations.
 */
function lineDiscount(line: LineItem): Decimal | undefined {
	const { discount_allocations: allocations, total_discount: lineDiscount } = line;
	if (allocations.length === 0) return lineDiscount ? lineDiscount.amount : zero;
	return sum(allocations.map(({ amount }) => amount));
}
