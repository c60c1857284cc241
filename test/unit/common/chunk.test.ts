import fc from 'fast-check';

import { chunk } from '../../../nodes/DeliveryService/common/chunk';

test('cuts entries into runs of the size, and the rest', () => {
	expect(chunk([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
	expect(chunk([1, 2, 3, 4], 2)).toEqual([
		[1, 2],
		[3, 4],
	]);
	expect(chunk([1], 100)).toEqual([[1]]);
});

test('makes no run of nothing', () => {
	expect(chunk([], 10)).toEqual([]);
});

test('keeps every entry, in order, in as few runs as the size allows', () => {
	fc.assert(
		fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 20 }), (entries, size) => {
			const runs = chunk(entries, size);
			expect(runs.flat()).toEqual(entries);
			expect(runs).toHaveLength(Math.ceil(entries.length / size));
			for (const run of runs) expect(run.length).toBeLessThanOrEqual(size);
		}),
	);
});
