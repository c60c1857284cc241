import type { Delivery } from '../service/schemas';
import { multiply, shift, sign, subtract, sum, toNumber, type Decimal } from './decimal';
import type { OrderMapping, PackageSizeRule } from './mapping';
import { orderTitle, type Order } from './order';
import type { RemainingLine } from './remaining';

type Package = Delivery['packages'][number];

/**
 * Creates the packages of an order (API document, section 2.5).
 *
 * @param lines what is left to ship
 */
export function toPackages(
	order: Order,
	lines: readonly RemainingLine[],
	mapping: OrderMapping,
): Package[] {
	const name = mapping.overrides.packageName;
	if (mapping.packagesPer === 'unit')
		return lines.map((line) => ({
			id: skuOf(line, lines),
			name: name ?? line.name,
			qty: line.units,
			...weightSizePrice(mapping, line.gramsPerUnit, line.units, line.price),
		}));
	const grams = sum(
		lines.map(({ gramsPerUnit, units }) => gramsPerUnit && multiply(gramsPerUnit, units)),
	);
	const price = sum(lines.map((line) => line.price));
	const [line] = lines;
	const isOneUnit = line?.units === 1 && lines.length === 1;
	return [
		{
			id: isOneUnit ? skuOf(line, lines) : undefined,
			name: name ?? orderTitle(order) ?? 'Order',
			qty: 1,
			...weightSizePrice(mapping, grams, 1, price),
		},
	];
}

/** The SKU of a package of one unit, unless packages of several lines would have the same ID. */
function skuOf({ sku }: RemainingLine, lines: readonly RemainingLine[]): string | undefined {
	return lines.filter((line) => line.sku === sku).length === 1 ? sku : undefined;
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
