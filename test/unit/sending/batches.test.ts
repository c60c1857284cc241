import fc from 'fast-check';

import { claimSizeOf } from '../../../nodes/DeliveryService/sending/batches';

test.each([
	[1, 100, 100],
	[1000, 100, 100],
	[1999, 100, 100],
	[2000, 100, 200],
	[10_000, 100, 1000],
	[100_000, 100, 1000],
	[1000, 30, 90],
	[100, 1, 10],
])('of %i creations in requests of %i, %i are claimed at once', (count, batchSize, size) => {
	expect(claimSizeOf(count, batchSize)).toBe(size);
});

test('claimed are whole requests, and of more than one at most a tenth and at most 1,000', () => {
	fc.assert(
		fc.property(fc.nat(200_000), fc.integer({ min: 1, max: 100 }), (count, batchSize) => {
			const size = claimSizeOf(count, batchSize);
			expect(size % batchSize).toBe(0);
			expect(size).toBeGreaterThanOrEqual(batchSize);
			if (size > batchSize) expect(size).toBeLessThanOrEqual(Math.min(count / 10, 1000));
		}),
	);
});
