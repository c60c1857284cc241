import { median, percentile, shown } from '../../../bench/figures';

test('the median is the middle number, or lies between the two middle ones', () => {
	expect(median([3, 1, 2])).toBe(2);
	expect(median([4, 1, 3, 2])).toBe(2.5);
	expect(median([7])).toBe(7);
	expect(() => median([])).toThrow('Nothing was measured');
});

test('a percentile is the smallest number that this share of them does not exceed', () => {
	const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
	expect(percentile(hundred, 0.99)).toBe(99);
	expect(percentile(hundred, 0.5)).toBe(50);
	expect(percentile(hundred, 1)).toBe(100);
	expect(percentile([5], 0.5)).toBe(5);
	expect(() => percentile([], 0.5)).toThrow('Nothing was measured');
});

test.each([
	[0.456, '0.46'],
	[9.5, '9.50'],
	[38.04, '38.0'],
	[199.6, '200'],
	[10_000, '10,000'],
	[1_234_567, '1,234,567'],
	[-0.5, '-0.50'],
])('%d is shown as %s', (value, text) => {
	expect(shown(value)).toBe(text);
});
