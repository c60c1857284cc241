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
	const { records, unmatched: leftOver } = matchRecords(sent(...references), payload);
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
		withoutId: [undefined, undefined],
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
	const payload = [
		{ index: 0, id: 'a' },
		{ index: 2, id: 'c' },
	];
	expect(match(['R0', 'R1', 'R2'], payload)).toEqual({ ids: ['a', undefined, 'c'], leftOver: [] });
	const second = [{ index: 1, referenceId: 'R1', id: 'b' }];
	expect(match(['R0', 'R1', 'R2'], second)).toEqual({
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

test('takes no record with a reference ID that was not sent, where one was sent', () => {
	const payload = [
		{ index: 0, referenceId: 'R0', id: 'a' },
		{ index: 1, referenceId: 'other', id: 'b' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({
		ids: ['a', undefined],
		leftOver: payload.slice(1),
	});
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

test.each([-1, 2, '7'])('takes no record whose index %p is none of the request', (index) => {
	const payload = [{ index, id: 'a', referenceId: 'R0' }];
	expect(match(['R0', 'R1'], payload)).toEqual({ ids: [undefined, undefined], leftOver: payload });
});

test.each([0.5, NaN, true, {}, 'x', ''])(
	'follows the reference ID beside the index %p',
	(index) => {
		const payload = [{ index, id: 'a', referenceId: 'R0' }];
		expect(match(['R0', 'R1'], payload).ids).toEqual(['a', undefined]);
	},
);

test('follows an index that is text', () => {
	const payload = [
		{ index: ' 1 ', id: 'b' },
		{ index: '0', id: 'a' },
	];
	expect(match([undefined, undefined], payload).ids).toEqual(['a', 'b']);
});

describe('indexes that count from 1', () => {
	test('are not trusted: an index as high as the number of deliveries gives them away', () => {
		const payload = [
			{ index: 1, id: 'a' },
			{ index: 2, id: 'b' },
		];
		expect(match(['R0', 'R1'], payload)).toEqual({
			ids: [undefined, undefined],
			leftOver: payload,
		});
	});

	test('leave the reference IDs, which tell each record apart', () => {
		const payload = [
			{ index: 2, referenceId: 'R1', id: 'b' },
			{ index: 1, referenceId: 'R0', id: 'a' },
			{ index: 3, id: 'c' },
		];
		expect(match(['R0', 'R1', undefined], payload)).toEqual({
			ids: ['a', 'b', undefined],
			leftOver: payload.slice(2),
		});
	});

	test('cannot be told from others when neither the first nor the last is there', () => {
		const payload = [{ index: 1, id: 'a' }];
		expect(match(['R0', 'R1'], payload)).toEqual({
			ids: [undefined, undefined],
			leftOver: payload,
		});
	});

	test('are given away by a reference ID too', () => {
		const payload = [
			{ index: 1, referenceId: 'R0', id: 'a' },
			{ index: 2, id: 'b' },
		];
		expect(match(['R0', 'R1', 'R2'], payload).ids).toEqual(['a', undefined, undefined]);
	});
});

describe('a reference ID in another form', () => {
	test.each<[string, unknown]>([
		['#1001', '1001'],
		['#1001', 1001],
		['1001', '#1001'],
		['1001', ' 1001 '],
		['0017', 17],
		['Shop-A 7', 'SHOP-A 7'],
	])('names the same delivery: %j and %j', (given, referenceId) => {
		const payload = [{ referenceId, id: 'a' }];
		expect(match(['R0', given, 'R2'], payload).ids).toEqual([undefined, 'a', undefined]);
		const indexed = [
			{ index: 0, referenceId: 'R0', id: 'o' },
			{ index: 1, referenceId, id: 'a' },
		];
		expect(match(['R0', given], indexed)).toEqual({ ids: ['o', 'a'], leftOver: [] });
	});

	test('is of no use where two deliveries would fit, but the index is', () => {
		const payload = [{ referenceId: '1001', id: 'a' }];
		expect(match(['#1001', '1001'], payload).leftOver).toEqual(payload);
		const indexed = [
			{ index: 1, referenceId: '1001', id: 'b' },
			{ index: 0, referenceId: '1001', id: 'a' },
		];
		expect(match(['#1001', '1001'], indexed).ids).toEqual(['a', 'b']);
	});

	test('that is nothing but a number sign names no delivery', () => {
		expect(match(['#', '#'], [{ referenceId: '#', id: 'a' }]).ids).toEqual([undefined, undefined]);
	});
});

test.each([undefined, null, '', {}, ['a'], true])('gives no delivery the ID %j', (id) => {
	for (const record of [{ index: 0, id }, { id }])
		expect(matchRecords(sent('R0'), [record])).toEqual({
			records: [undefined],
			withoutId: [record],
			leftOver: [],
		});
});

test('gives no ID to two deliveries', () => {
	const payload = [
		{ index: 0, id: 'a' },
		{ index: 1, id: 'a' },
		{ index: 2, id: 'c' },
	];
	expect(match(['R0', 'R1', 'R2'], payload)).toEqual({
		ids: [undefined, undefined, 'c'],
		leftOver: payload.slice(0, 2),
	});
});

test('takes a record that came several times for one', () => {
	const payload = [
		{ index: 0, id: 'a' },
		{ index: 0, id: 'a' },
		{ index: 1, id: 'b' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({ ids: ['a', 'b'], leftOver: [] });
});

test('looks at each record a few times, however many claim one delivery', () => {
	let looks = 0;
	const payload = Array.from({ length: 200_000 }, (_, number) =>
		Object.defineProperty({ index: 0 }, 'id', { get: () => (looks++, `id ${number}`) }),
	);
	expect(match(['R0', 'R1'], payload).leftOver).toHaveLength(200_000);
	expect(looks).toBeLessThan(1_000_000);
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

test.each([{ index: 0 }, { index: '0' }, { index: 1 }, { referenceId: 'r0 ' }, { index: 'x' }])(
	'a single record that says %j is that of a single delivery',
	(claim) => {
		expect(match(['R0'], [{ id: 'a', ...claim }])).toEqual({ ids: ['a'], leftOver: [] });
	},
);

test.each([{ index: 2 }, { index: -1 }, { referenceId: 'R9' }, { referenceId: 5 }])(
	'a single record that says %j is not that of a single delivery',
	(claim) => {
		const payload = [{ id: 'a', ...claim }];
		expect(match(['R0'], payload)).toEqual({ ids: [undefined], leftOver: payload });
	},
);

const references = fc.array(fc.option(fc.constantFrom('R0', '#R1', '2'), { nil: undefined }), {
	minLength: 1,
	maxLength: 6,
});
const payloads = fc.array(
	fc.record(
		{
			index: fc.oneof(fc.integer({ min: -1, max: 6 }), fc.constantFrom(null, '0', 0.5)),
			referenceId: fc.constantFrom('R0', 'r1', '#2', 2, 'R3', null, 5),
			id: fc.oneof(fc.constantFrom('a', 'b', '', null), fc.integer()),
		},
		{ requiredKeys: [] },
	),
	{ maxLength: 8 },
);

test('uses no record and no ID twice, whatever the service answers', () => {
	fc.assert(
		fc.property(references, payloads, (given, payload) => {
			const { records, withoutId, unmatched: leftOver } = matchRecords(sent(...given), payload);
			expect(records).toHaveLength(given.length);
			expect(withoutId).toHaveLength(given.length);
			const ids = records.flatMap((match) => match?.id ?? []);
			expect(new Set(ids).size).toBe(ids.length);
			const used = [
				...records.flatMap((match) => match?.record ?? []),
				...withoutId.flatMap((record) => record ?? []),
				...leftOver,
			];
			expect(new Set(used).size).toBe(used.length);
			const isTold = (record: CreatedRecord) =>
				used.includes(record) || ids.includes(String(record.id));
			expect(payload.filter((record) => !isTold(record))).toEqual([]);
		}),
		{ numRuns: 500 },
	);
});

/** What services may do to a reference ID before they give it back. */
const echoes: Record<string, (reference: string) => unknown> = {
	'as it was': (reference) => reference,
	'without #': (reference) => reference.replace('#', ''),
	'in capitals': (reference) => reference.toUpperCase(),
	'in small letters between spaces': (reference) => ` ${reference.toLowerCase()} `,
	'as a number where it can be': (reference) => Number(reference.replace('#', '')) || reference,
	'not at all': () => undefined,
};

/** What services may give as index. */
const countings: Record<string, (position: number) => unknown> = {
	'from 0': (position) => position,
	'from 0 as text': (position) => String(position),
	'from 1': (position) => position + 1,
	none: () => undefined,
};

const sentReferences = fc.uniqueArray(
	fc.constantFrom('#1001', '1002', '#1003', 'Ab-4', '#cd-5', '0006', undefined),
	{ minLength: 1, maxLength: 7, comparator: (one, other) => one !== undefined && one === other },
);

/** Deliveries, and an answer of a service with its habits, in which records may lack. */
const answers = sentReferences.chain((given) =>
	fc
		.record({
			echo: fc.constantFrom(...Object.keys(echoes)),
			counting: fc.constantFrom(...Object.keys(countings)),
			positions: fc.shuffledSubarray([...given.keys()]),
		})
		.map(({ echo, counting, positions }) => ({
			given,
			echo,
			counting,
			payload: positions.map((position) => {
				const reference = given[position];
				return {
					id: `id of ${position}`,
					index: countings[counting]?.(position),
					referenceId: reference === undefined ? undefined : echoes[echo]?.(reference),
				};
			}),
		})),
);

test('gives no delivery the record of another, whatever the habits of the service', () => {
	fc.assert(
		fc.property(answers, ({ given, payload }) => {
			for (const [position, id] of match(given, payload).ids.entries())
				expect([undefined, `id of ${position}`]).toContain(id);
		}),
		{ numRuns: 2000 },
	);
});

test('gives every delivery its record when all are there and something tells them apart', () => {
	fc.assert(
		fc.property(answers, ({ given, counting, echo, payload }) => {
			fc.pre(payload.length === given.length);
			const isCounted = counting.startsWith('from 0');
			const { ids } = match(given, payload);
			for (const [position, reference] of given.entries())
				if (isCounted || (reference !== undefined && echo !== 'not at all'))
					expect(ids[position]).toBe(`id of ${position}`);
		}),
		{ numRuns: 2000 },
	);
});
