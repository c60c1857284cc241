import type { Delivery } from '../service/schemas';
import type { OrderMapping, PackageSizeRule } from './mapping';
import {
	multiply,
	priceOfUnits,
	shift,
	sign,
	subtract,
	sum,
	toNumber,
	type Decimal,
} from './money';
import { orderTitle, type LineItem, type Order } from './order';
import type { LineUnits } from './units';

type Package = Delivery['packages'][number];

/**
 * Creates the packages of an order (API document, section 2.5).
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
			id: skuOf(entry, lines),
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
	const [first] = lines;
	const isOneUnit = first?.taken === 1 && lines.length === 1;
	return [
		{
			id: isOneUnit ? skuOf(first, lines) : undefined,
			name: name ?? orderTitle(order) ?? 'Order',
			qty: 1,
			...weightSizePrice(mapping, grams, 1, sum(lines.map(priceOf))),
		},
	];
}

/** The SKU of a package of one unit, unless packages of several lines would have the same ID. */
function skuOf({ line: { sku } }: LineUnits, lines: readonly LineUnits[]): string | undefined {
	return lines.filter(({ line }) => line.sku === sku).length === 1 ? sku : undefined;
}

/**
 * The weight of one unit. Shopify returns 0 for products without a weight; adding it up would make a
 * package look lighter than it is.
 */
function unitGrams({ grams }: LineItem): Decimal | undefined {
	return grams && sign(grams) > 0 ? grams : undefined;
}

/**
 * The weight, size and price of a package entry (section 2.5). Weight and price are totals of all
 * its packages; the size applies to each.
 */
function weightSizePrice(
	mapping: OrderMapping,
	gramsPerPackage: Decimal | undefined,
	qty: number,
	price: Decimal | undefined,
): Pick<Package, 'weight' | 'size' | 'price'> {
	const weight = gramsPerPackage && shift(gramsPerPackage, -3);
	return {
		weight: weight && finiteNumber(multiply(weight, qty)),
		size: sizeFor(weight, mapping.packageSize),
		price: price && finiteNumber(price),
	};
}

/** The number, or undefined if it is too large for one: such a value can't be sent. */
function finiteNumber(value: Decimal): number | undefined {
	const number = toNumber(value);
	return Number.isFinite(number) ? number : undefined;
}

function sizeFor(weight: Decimal | undefined, rule: PackageSizeRule): Package['size'] {
	if (rule.by === 'fixed') return rule.size;
	if (!weight) return rule.otherwise;
	const fittingLimits = rule.limits
		.filter(({ upToKg }) => sign(subtract(upToKg, weight)) >= 0)
		.sort((a, b) => sign(subtract(a.upToKg, b.upToKg)));
	return fittingLimits[0]?.size ?? rule.otherwise;
}
