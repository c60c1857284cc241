import fc from 'fast-check';

import { matchRecords } from '../../../nodes/DeliveryService/sending/records';
import { deliverySchema } from '../../../nodes/DeliveryService/service/schemas';
import { delivery } from '../../support/sampleDelivery';

type CreatedRecord = Record<string, unknown>;

/** Deliveries with these reference IDs. */
function sent(...references: Array<string | undefined>) {
	return references.map((referenceId) => deliverySchema.parse(delivery({ referenceId })));
}

/** The IDs that the deliveries got, in order, and the records left over. */
function match(references: Array<string | undefined>, payload: CreatedRecord[]) {
	const { records, leftOver } = matchRecords(sent(...references), payload);
	return { ids: records.map((match) => match?.id), leftOver };
}

test('gives each delivery the record with its index', () => {
	const payload = [
		{ index: 0, id: 'a' },
		{ index: 1, id: 'b' },
	];
	expect(matchRecords(sent('R0', undefined), payload)).toEqual({
		records: [
			{ id: 'a', record: payload[0] },
			{ id: 'b', record: payload[1] },
		],
		leftOver: [],
	});
});

test('follows the index and not the order of the answer', () => {
	const payload = [
		{ index: 2, id: 'c' },
		{ index: 0, id: 'a' },
		{ index: 1, id: 'b' },
	];
	expect(match(['R0', 'R1', undefined], payload)).toEqual({ ids: ['a', 'b', 'c'], leftOver: [] });
});

test('leaves a delivery without a record when none has its index', () => {
	expect(match(['R0', 'R1', 'R2'], [{ index: 1, id: 'b' }])).toEqual({
		ids: [undefined, 'b', undefined],
		leftOver: [],
	});
	expect(match(['R0'], [])).toEqual({ ids: [undefined], leftOver: [] });
});

test('follows the reference ID where a record has no index, in any order', () => {
	const payload = [
		{ referenceId: 'R1', id: 'b' },
		{ index: null, referenceId: 'R0', id: 'a' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({ ids: ['a', 'b'], leftOver: [] });
});

test('does not guess by reference ID when several deliveries share it', () => {
	const payload = [
		{ referenceId: 'S', id: 'a' },
		{ referenceId: 'S', id: 'b' },
		{ referenceId: 'R2', id: 'c' },
	];
	expect(match(['S', 'S', 'R2'], payload)).toEqual({
		ids: [undefined, undefined, 'c'],
		leftOver: payload.slice(0, 2),
	});
	expect(match(['S', 'S', 'S'], payload.slice(0, 1)).ids).toEqual([
		undefined,
		undefined,
		undefined,
	]);
});

test('tells deliveries that share a reference ID apart by index', () => {
	const payload = [
		{ index: 1, referenceId: 'S', id: 'b' },
		{ index: 0, referenceId: 'S', id: 'a' },
	];
	expect(match(['S', 'S'], payload)).toEqual({ ids: ['a', 'b'], leftOver: [] });
});

test('takes no record whose reference ID contradicts its index', () => {
	const payload = [
		{ index: 0, referenceId: 'R1', id: 'a' },
		{ index: 1, referenceId: 'other', id: 'b' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({ ids: [undefined, undefined], leftOver: payload });
});

test('takes no record for a delivery without reference ID that carries the one of another', () => {
	const payload = [
		{ index: 0, referenceId: 'R1', id: 'a' },
		{ index: 1, referenceId: 'R1', id: 'b' },
	];
	expect(match([undefined, 'R1'], payload)).toEqual({
		ids: [undefined, 'b'],
		leftOver: payload.slice(0, 1),
	});
	const shared = [{ index: 0, referenceId: 'S', id: 'a' }];
	expect(match([undefined, 'S', 'S'], shared).leftOver).toEqual(shared);
});

test('takes the index alone where one of the two has no reference ID, or one that is no text', () => {
	const payload = [
		{ index: 0, referenceId: 'made up by the service', id: 'a' },
		{ index: 1, id: 'b' },
		{ index: 2, referenceId: null, id: 'c' },
	];
	expect(match([undefined, 'R1', 'R2'], payload)).toEqual({ ids: ['a', 'b', 'c'], leftOver: [] });
});

test('takes neither of two records that claim the same delivery', () => {
	const payload = [
		{ index: 0, id: 'a' },
		{ index: 0, id: 'b' },
		{ referenceId: 'R0', id: 'c' },
		{ index: 1, id: 'd' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({
		ids: [undefined, 'd'],
		leftOver: payload.slice(0, 3),
	});
});

test.each([-1, 2, 0.5, NaN, '0', true, {}])('takes no record with the index %p', (index) => {
	const payload = [{ index, id: 'a', referenceId: 'R0' }];
	expect(match(['R0', 'R1'], payload)).toEqual({ ids: [undefined, undefined], leftOver: payload });
});

test.each([undefined, null, '', {}, ['a'], true])('takes no record with the ID %j', (id) => {
	const payload = [{ index: 0, id }];
	expect(match(['R0'], payload)).toEqual({ ids: [undefined], leftOver: payload });
	const bare = [{ id }];
	expect(match(['R0'], bare)).toEqual({ ids: [undefined], leftOver: bare });
});

test('gives an ID that is a number as text', () => {
	expect(match(['R0'], [{ index: 0, id: 17 }]).ids).toEqual(['17']);
});

describe('a single record without index and reference ID', () => {
	test.each([{ id: 'a' }, { id: 'a', index: null, referenceId: null }])(
		'%j is that of a single delivery',
		(record) => {
			expect(match(['R0'], [record])).toEqual({ ids: ['a'], leftOver: [] });
		},
	);

	test('is not that of one of several deliveries', () => {
		const payload = [{ id: 'a' }];
		expect(match(['R0', 'R1'], payload)).toEqual({
			ids: [undefined, undefined],
			leftOver: payload,
		});
	});

	test('is not alone when another record came with it', () => {
		const strangers = [{ id: 'a' }, { id: 'b' }];
		expect(match(['R0'], strangers)).toEqual({ ids: [undefined], leftOver: strangers });
		const payload = [{ index: 0, id: 'a' }, { id: 'b' }];
		expect(match(['R0'], payload)).toEqual({ ids: ['a'], leftOver: [{ id: 'b' }] });
	});
});

test.each([{ index: 1 }, { index: '0' }, { referenceId: 'R9' }, { referenceId: 5 }])(
	'a single record that says %j is not that of a single delivery',
	(claim) => {
		const payload = [{ id: 'a', ...claim }];
		expect(match(['R0'], payload)).toEqual({ ids: [undefined], leftOver: payload });
	},
);

const references = fc.array(fc.option(fc.constantFrom('R0', 'R1', 'R2'), { nil: undefined }), {
	minLength: 1,
	maxLength: 6,
});
const payloads = fc.array(
	fc.record(
		{
			index: fc.oneof(fc.integer({ min: -1, max: 6 }), fc.constantFrom(null, '0', 0.5)),
			referenceId: fc.constantFrom('R0', 'R1', 'R2', 'R3', null, 5),
			id: fc.oneof(fc.constantFrom('a', 'b', '', null), fc.integer()),
		},
		{ requiredKeys: [] },
	),
	{ maxLength: 8 },
);

test('gives no record to two deliveries and drops none, whatever the service answers', () => {
	fc.assert(
		fc.property(references, payloads, (given, payload) => {
			const { records, leftOver } = matchRecords(sent(...given), payload);
			expect(records).toHaveLength(given.length);
			const returned = [...records.flatMap((match) => match?.record ?? []), ...leftOver];
			expect(returned).toHaveLength(payload.length);
			expect(new Set(returned)).toEqual(new Set(payload));
			for (const record of payload)
				expect(returned.filter((other) => other === record)).toHaveLength(1);
		}),
		{ numRuns: 500 },
	);
});

test('never gives a delivery a record that speaks of another', () => {
	fc.assert(
		fc.property(references, payloads, (given, payload) => {
			const { records } = matchRecords(sent(...given), payload);
			for (const [position, match] of records.entries()) {
				if (!match) continue;
				const { index, referenceId } = match.record;
				if (index !== undefined && index !== null) expect(index).toBe(position);
				if (given.some((other) => other !== undefined && other === referenceId))
					expect(referenceId).toBe(given[position]);
			}
		}),
		{ numRuns: 500 },
	);
});

test('gives every delivery its own record in an answer as the document has it, however shuffled', () => {
	const answers = references.chain((given) =>
		fc.record({
			given: fc.constant(given),
			order: fc.shuffledSubarray([...given.keys()], { minLength: given.length }),
			echoes: fc.boolean(),
		}),
	);
	fc.assert(
		fc.property(answers, ({ given, order, echoes }) => {
			const payload = order.map((index) => ({
				index,
				id: `id of ${index}`,
				...(echoes && { referenceId: given[index] }),
			}));
			expect(match(given, payload)).toEqual({
				ids: given.map((_, index) => `id of ${index}`),
				leftOver: [],
			});
		}),
	);
});
