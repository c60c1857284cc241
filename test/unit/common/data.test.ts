import fc from 'fast-check';

import { chunk } from '../../../nodes/DeliveryService/common/data';

test('keeps every entry in order in as few chunks as possible', () => {
	fc.assert(
		fc.property(fc.array(fc.integer()), fc.integer({ min: 1, max: 20 }), (entries, size) => {
			const chunks = chunk(entries, size);
			expect(chunks.flat()).toEqual(entries);
			expect(chunks).toHaveLength(Math.ceil(entries.length / size));
			for (const each of chunks) expect(each.length).toBeLessThanOrEqual(size);
		}),
	);
});
