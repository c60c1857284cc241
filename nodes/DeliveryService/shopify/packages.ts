/** The packages of a delivery: the units that it takes, with their weight, size and price. */
import type { Delivery } from '../service/schemas';
import { priceOfUnits } from './linePrice';
import type { OrderMapping } from './mapping';
import { multiply, shift, sign, subtract, sum, toNumber, type Decimal } from './money';
import { orderTitle, type LineItem, type Order } from './order';
import type { LineUnits } from './units';

type Package = Delivery['packages'][number];

/**
 * Creates the packages of an order (docs/api.md, section 2.5).
 *
 * @param lines those of which the delivery takes units
 */
export function toPackages(
	order: Order,
	lines: readonly LineUnits[],
	mapping: OrderMapping,
): Package[] {
	const name = mapping.overrides.packageName;
	const priceOf = ({ line, taken }: LineUnits) => priceOfUnits(line, taken, order.currency);
	if (mapping.packagesPer === 'unit')
		return lines.map((entry) => ({
			name: name ?? entry.name,
			qty: entry.taken,
			...weightSizePrice(mapping, unitGrams(entry.line), entry.taken, priceOf(entry)),
		}));
	const grams = sum(
		lines.map(({ line, taken }) => {
			const perUnit = unitGrams(line);
			return perUnit && multiply(perUnit, taken);
		}),
	);
	return [
		{
			name: name ?? orderTitle(order) ?? 'Order',
			qty: 1,
			...weightSizePrice(mapping, grams, 1, sum(lines.map(priceOf))),
		},
	];
}

/**
 * The weight of one unit. Shopify returns 0 for products without a weight; adding it up would make a
 * package look lighter than it is.
 */
function unitGrams({ grams }: LineItem): Decimal | undefined {
	return grams && sign(grams) > 0 ? grams : undefined;
}

/**
 * The weight, size and price of a package entry (docs/api.md, section 2.5). Weight and price are totals of
 * all its packages; the size applies to each.
 */
function weightSizePrice(
	mapping: OrderMapping,
	gramsPerPackage: Decimal | undefined,
	qty: number,
	price: Decimal | undefined,
): Pick<Package, 'weight' | 'size' | 'price'> {
	const weight = gramsPerPackage && shift(gramsPerPackage, -3);
	return {
		weight: weight && toNumber(multiply(weight, qty)),
		size: sizeFor(weight, mapping),
		price: price && toNumber(price),
	};
}

/** A package that exceeds all limits, or has no known weight, is XL. */
function sizeFor(
	weight: Decimal | undefined,
	{ packageSize, packageSizeByWeight: limits }: OrderMapping,
): Package['size'] {
	if (limits.length === 0) return packageSize;
	const [smallest] = limits
		.filter(({ upToKg }) => weight && sign(subtract(upToKg, weight)) >= 0)
		.sort((a, b) => sign(subtract(a.upToKg, b.upToKg)));
	return smallest?.size ?? 'xl';
}
