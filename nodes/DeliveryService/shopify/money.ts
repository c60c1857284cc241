/**
 * An exact decimal number: `units` divided by ten to the power of `scale`. Money and weights keep
 * this form from the order to the delivery, so that there are no binary rounding errors.
 */
export interface Decimal {
	readonly units: bigint;
	readonly scale: number;
}

export const zero: Decimal = { units: 0n, scale: 0 };

const plainDecimal = /^([+-]?\d+)(?:\.(\d+))?$/;

/** The notation of very large and very small numbers, e.g. 1e-7. */
const scientificNotation = /^(.+)e([+-]\d+)$/;

/**
 * Parses a number or plain numeric text ("12", "-0.50").
 *
 * @returns the exact value, or undefined for anything else; text with an exponent is rejected, since
 *   a few characters could then create a number of any length
 */
export function parseDecimal(value: string | number): Decimal | undefined {
	if (typeof value === 'string') return parsePlain(value.trim());
	const text = String(value);
	const [, digits = text, exponent = '0'] = scientificNotation.exec(text) ?? [];
	const decimal = parsePlain(digits);
	return decimal && shift(decimal, Number(exponent));
}

function parsePlain(text: string): Decimal | undefined {
	const [, whole, fraction = ''] = plainDecimal.exec(text) ?? [];
	return whole === undefined
		? undefined
		: { units: BigInt(whole + fraction), scale: fraction.length };
}

/** Multiplies the value by ten to the power of `places`. */
export function shift(value: Decimal, places: number): Decimal {
	const scale = value.scale - places;
	if (scale >= 0) return { units: value.units, scale };
	return { units: value.units * 10n ** BigInt(-scale), scale: 0 };
}

/** The units of the value at `scale` decimals, which must be at least its own. */
function unitsAt(value: Decimal, scale: number): bigint {
	return value.units * 10n ** BigInt(scale - value.scale);
}

export function add(a: Decimal, b: Decimal): Decimal {
	const scale = Math.max(a.scale, b.scale);
	return { units: unitsAt(a, scale) + unitsAt(b, scale), scale };
}

/** Undefined if one of the values is undefined. */
export function sum(values: ReadonlyArray<Decimal | undefined>): Decimal | undefined {
	return values.reduce<Decimal | undefined>(
		(total, value) => total && value && add(total, value),
		zero,
	);
}

export function subtract(a: Decimal, b: Decimal): Decimal {
	return add(a, { units: -b.units, scale: b.scale });
}

/** Multiplies the value by a whole number. */
export function multiply(value: Decimal, count: number): Decimal {
	return { units: value.units * BigInt(count), scale: value.scale };
}

/** A whole number as a decimal. */
export function whole(count: number): Decimal {
	return { units: BigInt(count), scale: 0 };
}

/**
 * The value times `numerator`, divided by `denominator`, which must be above 0. Rounded to `decimals`
 * decimals: halves away from zero, or everything down, for which no value may be negative.
 */
export function scale(
	value: Decimal,
	numerator: Decimal,
	denominator: Decimal,
	decimals: number,
	rounding: 'nearest' | 'down' = 'nearest',
): Decimal {
	const shifted = decimals + denominator.scale - value.scale - numerator.scale;
	const [up, down] = shifted >= 0 ? [10n ** BigInt(shifted), 1n] : [1n, 10n ** BigInt(-shifted)];
	const dividend = value.units * numerator.units * up;
	const divisor = denominator.units * down;
	const half = dividend < 0n ? -divisor : divisor;
	const units = rounding === 'down' ? dividend / divisor : (2n * dividend + half) / (2n * divisor);
	return { units, scale: decimals };
}

/** -1, 0 or 1 for a value below, equal to or above 0. */
export function sign(value: Decimal): -1 | 0 | 1 {
	if (value.units === 0n) return 0;
	return value.units < 0n ? -1 : 1;
}

/** Whether both values are the same amount, whatever their scales. */
export function isEqual(a: Decimal, b: Decimal): boolean {
	return sign(subtract(a, b)) === 0;
}

export function max(a: Decimal, b: Decimal): Decimal {
	return sign(subtract(a, b)) >= 0 ? a : b;
}

export function min(a: Decimal, b: Decimal): Decimal {
	return sign(subtract(a, b)) <= 0 ? a : b;
}

/** The value as plain text, e.g. "-0.50". */
export function toText({ units, scale }: Decimal): string {
	const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
	const whole = digits.slice(0, digits.length - scale);
	const fraction = digits.slice(digits.length - scale);
	return `${units < 0n ? '-' : ''}${whole}${scale > 0 ? `.${fraction}` : ''}`;
}

/** The nearest number; up to 15 digits it prints like the exact value. */
export function toNumber(value: Decimal): number {
	return Number(toText(value));
}

/** Cached, since getting the decimals of a currency takes longer than mapping the order. */
const decimalsByCurrency = new Map<string, number>();

/** The number of decimals of a currency; 2 if the code is missing or malformed. */
export function currencyDecimals(currency = ''): number {
	if (!/^[A-Za-z]{3}$/.test(currency)) return 2;
	const cached = decimalsByCurrency.get(currency);
	if (cached !== undefined) return cached;
	const parts = new Intl.NumberFormat('en', { style: 'currency', currency }).formatToParts(0);
	const decimals = parts.find(({ type }) => type === 'fraction')?.value.length ?? 0;
	decimalsByCurrency.set(currency, decimals);
	return decimals;
}

/** An amount with the decimals of its currency and its code, e.g. "11.25 EUR". */
export function amountText(value: Decimal, currency = ''): string {
	return `${toText(scale(value, whole(1), whole(1), currencyDecimals(currency)))} ${currency}`.trim();
}
