import type { Result } from '../common/result';
import { share, sign, subtract, sum, times, zero, type Decimal } from './decimal';
import { orderLabel, type LineItem, type Order } from './order';
import { problemFrom } from './problems';

/** What is left to ship of one line of an order. */
export interface RemainingLine {
	name: string;
	/** How many units; at least one. */
	units: number;
	/** The weight of one unit, when the order tells it. */
	gramsPerUnit: Decimal | undefined;
	/** What the remaining units cost after discounts, when the order tells it. */
	price: Decimal | undefined;
}

/**
 * Finds what is left to ship of an order: lines that need shipping, without gift cards, and of
 * those only the units that are neither refunded, removed nor fulfilled.
 *
 * @returns the lines with something left to ship, or why that can't be told
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
				`${orderLabel(order)} does not tell how much is left of "${name}", which is partly fulfilled: its "line_items[${index}].fulfillable_quantity" is missing. Let the Shopify node return it, or fulfil the rest by hand.`,
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
 * Whether units that are neither refunded nor removed have left with a carrier, or are about to: an
 * order that was sent counts as fulfilled, but so does what went another way.
 */
export function isFulfilledInPart(order: Order): boolean {
	const refunded = refundedUnits(order);
	return order.line_items.some((line) => {
		if (line.requires_shipping === false || line.gift_card) return false;
		const kept = keptUnits(line, refunded);
		return kept > 0 && (unfulfilledUnits(line) ?? 0) < kept;
	});
}

/**
 * The weight of one unit. Shopify writes 0 for products whose weight was not entered: in a sum it
 * would make a package look lighter than it is.
 */
function unitGrams({ grams }: LineItem): Decimal | undefined {
	return grams && sign(grams) > 0 ? grams : undefined;
}

/** Units refunded or removed, by line item ID. */
function refundedUnits(order: Order): Map<string | undefined, number> {
	const units = new Map<string | undefined, number>();
	for (const refund of order.refunds)
		for (const { line_item_id, quantity } of refund.refund_line_items)
			units.set(line_item_id, (units.get(line_item_id) ?? 0) + quantity);
	return units;
}

/**
 * Units of a line that are still to be shipped (0 or less: none), or undefined when the order does
 * not tell. Both of Shopify's counts are heeded, since each lacks what the other knows:
 * current_quantity counts fulfilled units in, and fulfillable_quantity takes refunded units off the
 * fulfilled ones first.
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

/** Units that are neither refunded nor removed. */
function keptUnits(line: LineItem, refunded: ReadonlyMap<string | undefined, number>): number {
	const current = line.current_quantity ?? line.quantity - (refunded.get(line.id) ?? 0);
	return Math.min(line.quantity, current);
}

/** Units that are not fulfilled, or undefined when the order does not tell. */
function unfulfilledUnits(line: LineItem): number | undefined {
	if (line.fulfillable_quantity !== undefined) return line.fulfillable_quantity;
	if (line.fulfillment_status === 'fulfilled') return 0;
	return line.fulfillment_status === 'partial' ? undefined : line.quantity;
}

/**
 * What some units of a line cost after discounts. A discount is for all units of the line, so the
 * units bear their share of it.
 */
function priceAfterDiscounts(
	line: LineItem,
	units: number,
	currency: string | undefined,
): Decimal | undefined {
	const discount = lineDiscount(line);
	if (!line.price || !discount) return undefined;
	const borne =
		units === line.quantity
			? discount
			: share(discount, units, line.quantity, currencyDecimals(currency));
	const price = subtract(times(line.price, units), borne);
	return sign(price) < 0 ? zero : price;
}

/**
 * The discounts on a line, or undefined when the order does not tell. The allocations hold the
 * line's own discounts and its shares of the whole order's; total_discount repeats the former, so
 * it counts only where there are no allocations.
 */
function lineDiscount(line: LineItem): Decimal | undefined {
	const { discount_allocations: allocations, total_discount: lineDiscount } = line;
	if (allocations.length === 0) return lineDiscount ? lineDiscount.amount : zero;
	return sum(allocations.map(({ amount }) => amount));
}

/** Looking a currency up takes longer than the rest of an order. */
const knownDecimals = new Map<string, number>();

/** How many decimals a currency has; two when the order does not name a well-formed one. */
function currencyDecimals(currency = ''): number {
	if (!/^[A-Za-z]{3}$/.test(currency)) return 2;
	const known = knownDecimals.get(currency);
	if (known !== undefined) return known;
	const parts = new Intl.NumberFormat('en', { style: 'currency', currency }).formatToParts(0);
	const decimals = parts.find(({ type }) => type === 'fraction')?.value.length ?? 0;
	knownDecimals.set(currency, decimals);
	return decimals;
}
