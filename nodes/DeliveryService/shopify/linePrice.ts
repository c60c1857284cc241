/** What the customer pays for units of a line item. */
import {
	currencyDecimals,
	multiply,
	scale,
	sign,
	subtract,
	sum,
	whole,
	zero,
	type Decimal,
} from './money';
import type { LineItem } from './order';

/**
 * The price of some units of a line after discounts, or undefined if unknown. A discount applies to all
 * units of the line, so only the share of these units is subtracted.
 */
export function priceOfUnits(
	line: LineItem,
	units: number,
	currency: string | undefined,
): Decimal | undefined {
	const discount = lineDiscount(line);
	if (!line.price || !discount || line.quantity === 0) return undefined;
	const decimals = Math.max(discount.scale, currencyDecimals(currency));
	const discountShare = scale(discount, whole(units), whole(line.quantity), decimals);
	const price = subtract(multiply(line.price, units), discountShare);
	return sign(price) < 0 ? zero : price;
}

/**
 * The total discount of a line, or undefined if unknown. The allocations contain both the line's own
 * discounts and its shares of order discounts. total_discount repeats the line's own discounts, so it
 * counts only without allocations.
 */
function lineDiscount({
	discount_allocations: allocations,
	total_discount: ownDiscount,
}: LineItem): Decimal | undefined {
	if (allocations.length === 0) return ownDiscount ? ownDiscount.amount : zero;
	return sum(allocations.map(({ amount }) => amount));
}
