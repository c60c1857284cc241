import fc from 'fast-check';

import {
	add,
	parseDecimal,
	share,
	shift,
	sign,
	subtract,
	sum,
	times,
	toNumber,
	toText,
	zero,
	type Decimal,
} from '../../../nodes/DeliveryService/shopify/decimal';

function dec(value: string | number): Decimal {
	const parsed = parseDecimal(value);
	if (!parsed) throw new Error(`not a number: ${String(value)}`);
	return parsed;
}

/** Any number of digits before and after the point, as text without needless zeros. */
const decimalText = fc
	.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.integer({ min: 0, max: 25 }))
	.map(([units, scale]) => toText({ units, scale }));

describe('reading', () => {
	test.each([
		['12', '12'],
		['-0.50', '-0.50'],
		['+3.1', '3.1'],
		[' 7 ', '7'],
		['0012.50', '12.50'],
		['0.1234567890123456789012345', '0.1234567890123456789012345'],
	])('reads the text %j', (value, expected) => {
		expect(toText(dec(value))).toBe(expected);
	});

	test.each([
		[12, '12'],
		[-0.5, '-0.5'],
		[1e-7, '0.0000001'],
		[1.5e-7, '0.00000015'],
		[1.5e21, '1500000000000000000000'],
		[0, '0'],
	])('reads the number %d', (value, expected) => {
		expect(toText(dec(value))).toBe(expected);
	});

	test.each(['', 'abc', '1,5', '1.', '.5', '1e3', '1e999999999', '0x10', '--1', '1 000', 'NaN'])(
		'refuses the text %j',
		(value) => {
			expect(parseDecimal(value)).toBeUndefined();
		},
	);

	test.each([NaN, Infinity, -Infinity])('refuses the number %d', (value) => {
		expect(parseDecimal(value)).toBeUndefined();
	});

	test('any finite number comes back as it was', () => {
		fc.assert(
			fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
				expect(toNumber(dec(value))).toBe(value + 0);
			}),
		);
	});

	test('any decimal text comes back as it was', () => {
		fc.assert(
			fc.property(decimalText, (value) => {
				expect(toText(dec(value))).toBe(value);
			}),
		);
	});
});

describe('arithmetic', () => {
	test('has none of the binary rounding of numbers', () => {
		expect(0.1 + 0.2).not.toBe(0.3);
		expect(toNumber(add(dec('0.1'), dec('0.2')))).toBe(0.3);
		expect(1.1 * 3).not.toBe(3.3);
		expect(toNumber(times(dec('1.1'), 3))).toBe(3.3);
		expect(toText(subtract(dec('10'), dec('0.001')))).toBe('9.999');
	});

	test('a sum does not depend on the order, and taking away undoes adding', () => {
		fc.assert(
			fc.property(decimalText, decimalText, (a, b) => {
				expect(toText(add(dec(a), dec(b)))).toBe(toText(add(dec(b), dec(a))));
				const back = subtract(add(dec(a), dec(b)), dec(b));
				expect(sign(subtract(back, dec(a)))).toBe(0);
			}),
		);
	});

	test('counting is repeated adding', () => {
		fc.assert(
			fc.property(decimalText, fc.integer({ min: 0, max: 20 }), (value, count) => {
				const added = sum(new Array<Decimal>(count).fill(dec(value)));
				expect(added && sign(subtract(added, times(dec(value), count)))).toBe(0);
			}),
		);
	});

	test('a sum with an unknown part is unknown, and the sum of nothing is 0', () => {
		expect(sum([dec('1'), undefined])).toBeUndefined();
		expect(sum([])).toEqual(zero);
	});

	test.each([
		['350', -3, '0.350'],
		['1.5', 3, '1500'],
		['1.5', 1, '15'],
		['-2', 2, '-200'],
	])('%s shifted by %d places is %s', (value, places, expected) => {
		expect(toText(shift(dec(value), places))).toBe(expected);
	});

	test.each([
		['-1', -1],
		['0.00', 0],
		['0.01', 1],
	])('the sign of %s is %d', (value, expected) => {
		expect(sign(dec(value))).toBe(expected);
	});
});

describe('shares', () => {
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
	])('of %s, %d of %d with %d decimals is %s', (value, part, whole, decimals, expected) => {
		expect(toText(share(dec(value), part, whole, decimals))).toBe(expected);
	});

	test('a share is within half a unit of its last decimal of the true one', () => {
		fc.assert(
			fc.property(
				decimalText,
				fc.integer({ min: 0, max: 1000 }),
				fc.integer({ min: 1, max: 1000 }),
				fc.integer({ min: 0, max: 4 }),
				(value, part, whole, decimals) => {
					const rounded = share(dec(value), part, whole, decimals);
					const off = subtract(times(rounded, whole), times(dec(value), part));
					const halfUnit: Decimal = { units: BigInt(whole), scale: rounded.scale };
					const distance = off.units < 0n ? subtract(zero, off) : off;
					expect(sign(subtract(times(distance, 2), halfUnit))).toBeLessThanOrEqual(0);
				},
			),
		);
	});
});
