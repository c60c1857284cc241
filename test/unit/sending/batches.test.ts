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
	[1, 1, false, 4],
	[10_000, 1, false, 4],
	[19, 1, true, 1],
	[20, 1, true, 2],
	[100, 1, true, 4],
	[20, 100, false, 1],
	[2500, 100, false, 1],
	[4999, 100, true, 1],
	[5000, 100, false, 2],
	[9999, 100, false, 3],
	[10_000, 100, false, 4],
	[100_000, 100, false, 4],
	[200, 4, false, 2],
])(
	'for %i creations in requests of %i (stops after a failure: %s), allows %i requests in flight',
	(count, size, stopsAfterFailure, inFlight) => {
		expect(maxRequestsInFlight(count, size, stopsAfterFailure)).toBe(inFlight);
	},
);

test('a crash leaves at most a fifth of the run or 1,200 deliveries unknown, or three batches', () => {
	fc.assert(
		fc.property(
			fc.integer({ min: 51, max: 200_000 }),
			fc.integer({ min: 1, max: 100 }),
			(count, batchSize) => {
				const size = claimSize(count, batchSize);
				expect(size % batchSize).toBe(0);
				expect(size).toBeGreaterThanOrEqual(batchSize);
				const unknown = 2 * size + maxRequestsInFlight(count, batchSize, false) * batchSize;
				expect(unknown).toBeLessThanOrEqual(
					Math.max(
						3 * batchSize,
						Math.min(count / 5, 1200),
						count / 10 + Math.max(2 * batchSize, 4),
					),
				);
			},
		),
	);
});
