/**
 * An exact decimal number: `units` divided by ten to the power of `scale`. Money and weights stay
 * in this form from the order to the delivery, so that no binary rounding gets in between.
 */
export interface Decimal {
	readonly units: bigint;
	readonly scale: number;
}

export const zero: Decimal = { units: 0n, scale: 0 };

const plainDecimal = /^([+-]?\d+)(?:\.(\d+))?$/;

/** How a number is written when it is very large or very small, such as 1e-7. */
const scientific = /^(.+)e([+-]\d+)$/;

/**
 * Reads a number or plain numeric text ("12", "-0.50").
 *
 * @returns the exact value, or undefined for anything else; text with an exponent is refused, since
 *   it would let a few characters ask for a number of any length
 */
export function parseDecimal(value: string | number): Decimal | undefined {
	if (typeof value === 'string') return parsePlain(value.trim());
	const written = String(value);
	const [, digits = written, exponent = '0'] = scientific.exec(written) ?? [];
	const decimal = parsePlain(digits);
	return decimal && shift(decimal, Number(exponent));
}

function parsePlain(text: string): Decimal | undefined {
	const [, whole, fraction = ''] = plainDecimal.exec(text) ?? [];
	return whole === undefined
		? undefined
		: { units: BigInt(whole + fraction), scale: fraction.length };
}

/** The value times ten to the power of `places`. */
export function shift(value: Decimal, places: number): Decimal {
	const scale = value.scale - places;
	if (scale >= 0) return { units: value.units, scale };
	return { units: value.units * 10n ** BigInt(-scale), scale: 0 };
}

/** The units of a value when it is written with `scale` decimals, at least as many as it has. */
function unitsAt(value: Decimal, scale: number): bigint {
	return value.units * 10n ** BigInt(scale - value.scale);
}

/** The sum of two values. */
export function add(a: Decimal, b: Decimal): Decimal {
	const scale = Math.max(a.scale, b.scale);
	return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

/** The sum of a list of values, or undefined when one of them is not known. */
export function sum(values: ReadonlyArray<Decimal | undefined>): Decimal | undefined {
	let total = zero;
	for (const value of values) {
		if (value === undefined) return undefined;
		total = add(total, value);
	}
	return total;
}

/** What is left of `a` when `b` is taken away. */
export function subtract(a: Decimal, b: Decimal): Decimal {
	return add(a, { units: -b.units, scale: b.scale });
}

/** The value `count` times; `count` is a whole number. */
export function times(value: Decimal, count: number): Decimal {
	return { units: value.units * BigInt(count), scale: value.scale };
}

/**
 * The share of a value that falls to `part` of `whole` equal pieces, both whole numbers and
 * `whole` above 0. A share without an exact form in the larger of `decimals` and the value's own
 * number of decimals is rounded to it, halves away from zero.
 */
export function share(value: Decimal, part: number, whole: number, decimals: number): Decimal {
	const scale = Math.max(value.scale, decimals);
	const numerator = unitsAt(value, scale) * BigInt(part);
	const denominator = BigInt(whole);
	const half = numerator < 0n ? -denominator : denominator;
	return { units: (2n * numerator + half) / (2n * denominator), scale };
}

/** -1, 0 or 1, as the value is below, at or above 0. */
export function sign(value: Decimal): -1 | 0 | 1 {
	if (value.units === 0n) return 0;
	return value.units < 0n ? -1 : 1;
}

/** The value in plain digits, such as "-0.50". */
export function toText({ units, scale }: Decimal): string {
	const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
	const whole = digits.slice(0, digits.length - scale);
	const fraction = digits.slice(digits.length - scale);
	return `${units < 0n ? '-' : ''}${whole}${scale > 0 ? `.${fraction}` : ''}`;
}

/** The nearest number; up to 15 digits it prints as the exact value does. */
export function toNumber(value: Decimal): number {
	return Number(toText(value));
}
