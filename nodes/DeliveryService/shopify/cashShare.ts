import { add, multiply, scaleDown, sign, subtract, zero, type Decimal } from './decimal';
import type { FulfillmentOrder } from './fulfillmentOrder';
import type { Order } from './order';
import { keptLines, type KeptLine } from './remaining';

/**
 * The share of an order's unpaid amount that the delivery of a fulfillment order collects: as much as
 * its items are worth, compared with all items of the order that are shipped.
 *
 * The other deliveries of the order may be created in another run, which knows nothing of this one.
 * So the shares depend only on the order and what is unpaid of it, and fulfilled items count as well:
 * their delivery may still be under way with its share. The shares of all items add up to the unpaid
 * amount exactly, unless units of one line are split, which is rounded down.
 *
 * @param unpaid above 0
 * @param decimals of the unpaid amount's currency
 */
export function cashShare(
	order: Order,
	{ line_items: parts }: FulfillmentOrder,
	unpaid: Decimal,
	decimals: number,
): Decimal {
	const lines = keptLines(order);
	const weights = weightsOf(lines);
	const total = weights.reduce(add, zero);
	let share = zero;
	let [weightSoFar, amountSoFar] = [zero, zero];
	for (const [index, { line, units }] of lines.entries()) {
		weightSoFar = add(weightSoFar, weights[index] ?? zero);
		const amount = scaleDown(unpaid, weightSoFar, total, decimals);
		const own = subtract(amount, amountSoFar);
		amountSoFar = amount;
		const shipped = parts.reduce(
			(sum, part) => sum + (part.line_item_id === line.id ? part.fulfillable_quantity : 0),
			0,
		);
		share = add(share, scaleDown(own, count(Math.min(shipped, units)), count(units), decimals));
	}
	return share;
}

/** What the lines are worth; the number of units if that is not known. */
function weightsOf(lines: readonly KeptLine[]): Decimal[] {
	const prices = lines.map(({ price }) => price ?? zero);
	const arePricesKnown = lines.every(({ price }) => price !== undefined);
	return arePricesKnown && prices.some((price) => sign(price) > 0)
		? prices
		: lines.map(({ units }) => count(units));
}

function count(units: number): Decimal {
	return multiply({ units: 1n, scale: 0 }, units);
}
