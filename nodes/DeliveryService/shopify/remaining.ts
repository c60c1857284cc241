import type { Result } from '../common/result';
import { multiply, share, sign, subtract, sum, zero, type Decimal } from './decimal';
import { orderLabel, type LineItem, type Order } from './order';
import { problemFrom } from './problems';

/** What is left to ship of one line item. */
export interface RemainingLine {
	name: string;
	/** The number of units, at least 1. */
	units: number;
	/** The weight of one unit, if known. */
	gramsPerUnit: Decimal | undefined;
	/** The price of the remaining units after discounts, if known. */
	price: Decimal | undefined;
}

/**
 * Finds what is left to ship of an order: the units that are not refunded, removed or fulfilled, of
 * all lines that need shipping and aren't gift cards.
 *
 * @returns the lines with units left to ship, or why that can't be determined
 */
export function remainingLines(order: Order): Result<RemainingLine[]> {
	const refunded = refundedUnits(order);
	const lines: RemainingLine[] = [];
	const problems: string[] = [];
	for (const [index, line] of order.line_items.entries()) {
		if (line.requires_shipping === false || line.gift_card) continue;
		const name = line.name ?? line.title ?? `Item ${index + 1}`;
		const units = remainingUnits(line, refunded);
		if (units === undefined)
			problems.push(
				`${orderLabel(order)} doesn't say how many units of the partly fulfilled item "${name}" are left to ship. Make sure the Shopify node returns "line_items[${index}].fulfillable_quantity", or fulfill the rest manually.`,
			);
		else if (units > 0)
			lines.push({
				name,
				units,
				gramsPerUnit: unitGrams(line),
				price: priceAfterDiscounts(line, units, order.currency),
			});
	}
	return problems.length > 0
		? { ok: false, problem: problemFrom(problems) }
		: { ok: true, value: lines };
}

/**
 * Whether units that were not refunded or removed have shipped or are about to. They may be in the
 * delivery of this order, or may have shipped in another way.
 */
export function isPartlyFulfilled(order: Order): boolean {
	const refunded = refundedUnits(order);
	return order.line_items.some((line) => {
		if (line.requires_shipping === false || line.gift_card) return false;
		const kept = keptUnits(line, refunded);
		return kept > 0 && (unfulfilledUnits(line) ?? 0) < kept;
	});
}

/**
 * The weight of one unit. Shopify returns 0 for products without a weight; adding it up would make
 * a package look lighter than it is.
 */
function unitGrams({ grams }: LineItem): Decimal | undefined {
	return grams && sign(grams) > 0 ? grams : undefined;
}

/** The number of refunded or removed units by line item ID. */
function refundedUnits(order: Order): Map<string | undefined, number> {
	const units = new Map<string | undefined, number>();
	for (const refund of order.refunds)
		for (const { line_item_id, quantity } of refund.refund_line_items)
			units.set(line_item_id, (units.get(line_item_id) ?? 0) + quantity);
	return units;
}

/**
 * The number of units left to ship (none if 0 or less), or undefined if unknown. Both of Shopify's
 * counts are needed: current_quantity includes fulfilled units, and fulfillable_quantity subtracts
 * refunded units from the fulfilled ones first.
 */
function remainingUnits(
	line: LineItem,
	refunded: ReadonlyMap<string | undefined, number>,
): number | undefined {
	const kept = keptUnits(line, refunded);
	if (kept <= 0) return 0;
	const unfulfilled = unfulfilledUnits(line);
	return unfulfilled && Math.min(kept, unfulfilled);
}

/** The number of units that are not refunded or removed. */
function keptUnits(line: LineItem, refunded: ReadonlyMap<string | undefined, number>): number {
	const current = line.current_quantity ?? line.quantity - (refunded.get(line.id) ?? 0);
	return Math.min(line.quantity, current);
}

/** The number of unfulfilled units, or undefined if unknown. */
function unfulfilledUnits(line: LineItem): number | undefined {
	if (line.fulfillable_quantity !== undefined) return line.fulfillable_quantity;
	if (line.fulfillment_status === 'fulfilled') return 0;
	return line.fulfillment_status === 'partial' ? undefined : line.quantity;
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

/** Cached, since getting the decimals of a currency takes longer than mapping the order. */
const decimalsByCurrency = new Map<string, number>();

/** The number of decimals of a currency; 2 if the code is missing or malformed. */
function currencyDecimals(currency = ''): number {
	if (!/^[A-Za-z]{3}$/.test(currency)) return 2;
	const cached = decimalsByCurrency.get(currency);
	if (cached !== undefined) return cached;
	const parts = new Intl.NumberFormat('en', { style: 'currency', currency }).formatToParts(0);
	const decimals = parts.find(({ type }) => type === 'fraction')?.value.length ?? 0;
	decimalsByCurrency.set(currency, decimals);
	return decimals;
}
