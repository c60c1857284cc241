import fc from 'fast-check';

import { claimSize, maxRequestsInFlight } from '../../../nodes/DeliveryService/sending/batches';

test.each([
	[1, 100, 100],
	[1000, 100, 100],
	[3999, 100, 100],
	[4000, 100, 200],
	[10_000, 100, 400],
	[100_000, 100, 400],
	[1000, 30, 30],
	[2000, 30, 90],
	[100, 1, 5],
])('with %i creations in batches of %i, claims %i at once', (count, batchSize, size) => {
	expect(claimSize(count, batchSize)).toBe(size);
});

test.each([
	[1, undefined, 1],
	[19, undefined, 1],
	[20, undefined, 2],
	[20, 1, 2],
	[20, 100, 1],
	[21, undefined, 1],
	[1999, undefined, 1],
	[2000, 100, 2],
	[3999, 100, 3],
	[10_000, 100, 4],
	[100_000, 100, 4],
	[30, 1, 3],
])(
	'for %i creations in batches of %s, allows %i requests in flight',
	(count, batchSize, inFlight) => {
		expect(maxRequestsInFlight(count, batchSize)).toBe(inFlight);
	},
);

test('a crash leaves at most a fifth of the run or 1,200 deliveries unknown, or three batches', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 21, max: 200_000 }),
			fc.integer({ min: 1, max: 100 }),
			(count, batchSize) => {
				const size = claimSize(count, batchSize);
				expect(size % batchSize).toBe(0);
				expect(size).toBeGreaterThanOrEqual(batchSize);
				const unknown = 2 * size + maxRequestsInFlight(count, batchSize) * batchSize;
				expect(unknown).toBeLessThanOrEqual(
					Math.max(3 * batchSize, Math.min(count / 5, 1200), count / 10 + 2 * batchSize),
				);
			},
		),
	);
});
