import type { Delivery } from '../service/schemas';
import { shift, sign, subtract, sum, times, toNumber, type Decimal } from './decimal';
import type { OrderMapping, PackageSizeRule } from './mapping';
import { orderTitle, type Order } from './order';
import type { RemainingLine } from './remaining';

type Package = Delivery['packages'][number];

/** What is left to ship of an order, as packages (service document, section 2.5). */
export function toPackages(
	order: Order,
	lines: readonly RemainingLine[],
	mapping: OrderMapping,
): Package[] {
	const name = mapping.overrides.packageName;
	if (mapping.packagesPer === 'unit')
		return lines.map((line) => ({
			name: name ?? line.name,
			qty: line.units,
			...weightSizePrice(mapping, line.gramsPerUnit, line.units, line.price),
		}));
	const grams = sum(
		lines.map(({ gramsPerUnit, units }) => gramsPerUnit && times(gramsPerUnit, units)),
	);
	const price = sum(lines.map((line) => line.price));
	return [
		{
			name: name ?? orderTitle(order) ?? 'Order',
			qty: 1,
			...weightSizePrice(mapping, grams, 1, price),
		},
	];
}

/**
 * Weight, size and price of a package entry (section 2.5): weight and price are of all its
 * packages, the size is that of each.
 */
function weightSizePrice(
	mapping: OrderMapping,
	gramsPerPackage: Decimal | undefined,
	qty: number,
	price: Decimal | undefined,
): Pick<Package, 'weight' | 'size' | 'price'> {
	const weight = gramsPerPackage && shift(gramsPerPackage, -3);
	return {
		weight: weight && finiteNumber(times(weight, qty)),
		size: sizeFor(weight, mapping.packageSize),
		price: price && finiteNumber(price),
	};
}

/** The number, if there is one as large: what can't be sent is left out. */
function finiteNumber(value: Decimal): number | undefined {
	const number = toNumber(value);
	return Number.isFinite(number) ? number : undefined;
}

function sizeFor(weight: Decimal | undefined, rule: PackageSizeRule): Package['size'] {
	if (rule.by === 'fixed') return rule.size;
	if (!weight) return rule.otherwise;
	const fitting = rule.limits
		.filter(({ upToKg }) => sign(subtract(upToKg, weight)) >= 0)
		.sort((a, b) => sign(subtract(a.upToKg, b.upToKg)));
	return fitting[0]?.size ?? rule.otherwise;
}
