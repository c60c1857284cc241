import fc from 'fast-check';

import {
	add,
	parseDecimal,
	scale,
	sign,
	subtract,
	sum,
	multiply,
	toNumber,
	toText,
	whole,
	zero,
	type Decimal,
} from '../../../nodes/DeliveryService/shopify/money';

function toDecimal(value: string | number): Decimal {
	const parsed = parseDecimal(value);
	if (!parsed) throw new Error(`not a number: ${String(value)}`);
	return parsed;
}

/** Decimal text with any number of digits before and after the point. */
const decimalText = fc
	.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 25 }))
	.map(([units, scale]) => toText({ units, scale }));

describe('parseDecimal', () => {
	test.each([
		['12', '12'],
		['-0.50', '-0.50'],
		['+3.1', '3.1'],
		[' 7 ', '7'],
		['0012.50', '12.50'],
		['0.1234567890123456789012345', '0.1234567890123456789012345'],
	])('parses the text %j', (value, expected) => {
		expect(toText(toDecimal(value))).toBe(expected);
	});

	test.each([
		[12, '12'],
		[-0.5, '-0.5'],
		[1e-7, '0.0000001'],
		[1.5e-7, '0.00000015'],
		[1.5e21, '1500000000000000000000'],
		[0, '0'],
	])('parses the number %d', (value, expected) => {
		expect(toText(toDecimal(value))).toBe(expected);
	});

	test.each(['', 'abc', '1,5', '1.', '.5', '1e3', '1e999999999', '0x10', '--1', '1 000', 'NaN'])(
		'rejects the text %j',
		(value) => {
			expect(parseDecimal(value)).toBeUndefined();
		},
	);

	test.each([NaN, Infinity, -Infinity])('rejects the number %d', (value) => {
		expect(parseDecimal(value)).toBeUndefined();
	});

	test('converts any finite number to a decimal and back without loss', () => {
		fc.assert(
			fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
				expect(toNumber(toDecimal(value))).toBe(value + 0);
			}),
		);
	});

	test('converts any decimal text to a decimal and back without loss', () => {
		fc.assert(
			fc.property(decimalText, (value) => {
				expect(toText(toDecimal(value))).toBe(value);
			}),
		);
	});
});

describe('decimal arithmetic', () => {
	test('adds, multiplies and subtracts without binary rounding errors', () => {
		expect(0.1 + 0.2).not.toBe(0.3);
		expect(toNumber(add(toDecimal('0.1'), toDecimal('0.2')))).toBe(0.3);
		expect(1.1 * 3).not.toBe(3.3);
		expect(toNumber(multiply(toDecimal('1.1'), 3))).toBe(3.3);
		expect(toText(subtract(toDecimal('10'), toDecimal('0.001')))).toBe('9.999');
	});

	test('add is commutative, and subtract reverses it', () => {
		fc.assert(
			fc.property(decimalText, decimalText, (a, b) => {
				expect(toText(add(toDecimal(a), toDecimal(b)))).toBe(
					toText(add(toDecimal(b), toDecimal(a))),
				);
				const result = subtract(add(toDecimal(a), toDecimal(b)), toDecimal(b));
				expect(sign(subtract(result, toDecimal(a)))).toBe(0);
			}),
		);
	});

	test('sum is undefined with an undefined value, and 0 for an empty list', () => {
		expect(sum([toDecimal('1'), undefined])).toBeUndefined();
		expect(sum([])).toEqual(zero);
	});
});

/** The share of a value for some of several equal parts, rounded to at least its own decimals. */
function share(value: Decimal, part: number, parts: number, decimals: number): Decimal {
	return scale(value, whole(part), whole(parts), Math.max(value.scale, decimals));
}

describe('scale', () => {
	test.each([
		['10.00', 1, 4, 2, '2.50'],
		['10', 1, 4, 2, '2.50'],
		['10.00', 1, 3, 2, '3.33'],
		['10.00', 2, 3, 2, '6.67'],
		['0.01', 1, 2, 2, '0.01'],
		['-0.01', 1, 2, 2, '-0.01'],
		['500', 1, 3, 0, '167'],
		['1.000', 1, 3, 2, '0.333'],
		['9.99', 0, 3, 2, '0.00'],
	])(
		'share of %s for %d of %d parts with %d decimals is %s',
		(value, part, parts, decimals, expected) => {
			expect(toText(share(toDecimal(value), part, parts, decimals))).toBe(expected);
		},
	);

	test('a rounded share differs from the exact one by at most half a unit of its last decimal', () => {
		fc.assert(
			fc.property(
				decimalText,
				fc.integer({ min: 0, max: 1000 }),
				fc.integer({ min: 1, max: 1000 }),
				fc.integer({ min: 0, max: 4 }),
				(value, part, parts, decimals) => {
					const rounded = share(toDecimal(value), part, parts, decimals);
					const difference = subtract(multiply(rounded, parts), multiply(toDecimal(value), part));
					const halfUnit: Decimal = { units: BigInt(parts), scale: rounded.scale };
					const distance = difference.units < 0n ? subtract(zero, difference) : difference;
					expect(sign(subtract(multiply(distance, 2), halfUnit))).toBeLessThanOrEqual(0);
				},
			),
		);
	});
});
