import fc from 'fast-check';

import { matchRecords } from '../../../nodes/DeliveryService/sending/records';
import { deliverySchema } from '../../../nodes/DeliveryService/service/schemas';
import { delivery } from '../../support/sampleDelivery';

type CreatedRecord = Record<string, unknown>;

/** Deliveries with these reference IDs. */
function sent(...references: Array<string | undefined>) {
	return references.map((referenceId) => deliverySchema.parse(delivery({ referenceId })));
}

/** The IDs of the deliveries, in order, and the unmatched records. */
function match(references: Array<string | undefined>, payload: CreatedRecord[]) {
	const { records, unmatched } = matchRecords(sent(...references), payload);
	return { ids: records.map((match) => match?.id), unmatched };
}

test('assigns each delivery the record with its index', () => {
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
		unmatched: [],
	});
});

test('matches by index, not by position in the response', () => {
	const payload = [
		{ index: 2, id: 'c' },
		{ index: 0, id: 'a' },
		{ index: 1, id: 'b' },
	];
	expect(match(['R0', 'R1', undefined], payload)).toEqual({ ids: ['a', 'b', 'c'], unmatched: [] });
});

test('assigns no record to a delivery when none has its index', () => {
	const payload = [
		{ index: 0, id: 'a' },
		{ index: 2, id: 'c' },
	];
	expect(match(['R0', 'R1', 'R2'], payload)).toEqual({ ids: ['a', undefined, 'c'], unmatched: [] });
	const second = [{ index: 1, referenceId: 'R1', id: 'b' }];
	expect(match(['R0', 'R1', 'R2'], second)).toEqual({
		ids: [undefined, 'b', undefined],
		unmatched: [],
	});
	expect(match(['R0'], [])).toEqual({ ids: [undefined], unmatched: [] });
});

test('matches by reference ID in any order when records have no index', () => {
	const payload = [
		{ referenceId: 'R1', id: 'b' },
		{ index: null, referenceId: 'R0', id: 'a' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({ ids: ['a', 'b'], unmatched: [] });
});

test('does not match by a reference ID that several deliveries share', () => {
	const payload = [
		{ referenceId: 'S', id: 'a' },
		{ referenceId: 'S', id: 'b' },
		{ referenceId: 'R2', id: 'c' },
	];
	expect(match(['S', 'S', 'R2'], payload)).toEqual({
		ids: [undefined, undefined, 'c'],
		unmatched: payload.slice(0, 2),
	});
	expect(match(['S', 'S', 'S'], payload.slice(0, 1)).ids).toEqual([
		undefined,
		undefined,
		undefined,
	]);
});

test('distinguishes deliveries with the same reference ID by index', () => {
	const payload = [
		{ index: 1, referenceId: 'S', id: 'b' },
		{ index: 0, referenceId: 'S', id: 'a' },
	];
	expect(match(['S', 'S'], payload)).toEqual({ ids: ['a', 'b'], unmatched: [] });
});

test('matches no record whose reference ID contradicts its index', () => {
	const payload = [
		{ index: 0, referenceId: 'R1', id: 'a' },
		{ index: 1, referenceId: 'other', id: 'b' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({ ids: [undefined, undefined], unmatched: payload });
});

test('matches no record with another reference ID than the one sent', () => {
	const payload = [
		{ index: 0, referenceId: 'R0', id: 'a' },
		{ index: 1, referenceId: 'other', id: 'b' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({
		ids: ['a', undefined],
		unmatched: payload.slice(1),
	});
});

test('matches no record with the reference ID of another delivery to one without reference ID', () => {
	const payload = [
		{ index: 0, referenceId: 'R1', id: 'a' },
		{ index: 1, referenceId: 'R1', id: 'b' },
	];
	expect(match([undefined, 'R1'], payload)).toEqual({
		ids: [undefined, 'b'],
		unmatched: payload.slice(0, 1),
	});
	const shared = [{ index: 0, referenceId: 'S', id: 'a' }];
	expect(match([undefined, 'S', 'S'], shared).unmatched).toEqual(shared);
});

test('matches by index alone when the delivery or the record has no reference ID', () => {
	const payload = [
		{ index: 0, referenceId: 'made up by the service', id: 'a' },
		{ index: 1, id: 'b' },
		{ index: 2, referenceId: null, id: 'c' },
	];
	expect(match([undefined, 'R1', 'R2'], payload)).toEqual({ ids: ['a', 'b', 'c'], unmatched: [] });
});

test('matches neither of two records for the same delivery', () => {
	const payload = [
		{ index: 0, id: 'a' },
		{ index: 0, id: 'b' },
		{ referenceId: 'R0', id: 'c' },
		{ index: 1, id: 'd' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({
		ids: [undefined, 'd'],
		unmatched: payload.slice(0, 3),
	});
});

test.each([-1, 2, '7'])('matches no record whose index %p is out of range', (index) => {
	const payload = [{ index, id: 'a', referenceId: 'R0' }];
	expect(match(['R0', 'R1'], payload)).toEqual({ ids: [undefined, undefined], unmatched: payload });
});

test.each([0.5, NaN, true, {}, 'x', ''])(
	'matches by reference ID when the index is %p',
	(index) => {
		const payload = [{ index, id: 'a', referenceId: 'R0' }];
		expect(match(['R0', 'R1'], payload).ids).toEqual(['a', undefined]);
	},
);

test('matches by an index that is a string', () => {
	const payload = [
		{ index: ' 1 ', id: 'b' },
		{ index: '0', id: 'a' },
	];
	expect(match([undefined, undefined], payload).ids).toEqual(['a', 'b']);
});

describe('indexes that count from 1', () => {
	test('ignores indexes when one equals the number of deliveries', () => {
		const payload = [
			{ index: 1, id: 'a' },
			{ index: 2, id: 'b' },
		];
		expect(match(['R0', 'R1'], payload)).toEqual({
			ids: [undefined, undefined],
			unmatched: payload,
		});
	});

	test('matches by reference ID when indexes count from 1', () => {
		const payload = [
			{ index: 2, referenceId: 'R1', id: 'b' },
			{ index: 1, referenceId: 'R0', id: 'a' },
			{ index: 3, id: 'c' },
		];
		expect(match(['R0', 'R1', undefined], payload)).toEqual({
			ids: ['a', 'b', undefined],
			unmatched: payload.slice(2),
		});
	});

	test('matches nothing when indexes may count from 0 or 1', () => {
		const payload = [{ index: 1, id: 'a' }];
		expect(match(['R0', 'R1'], payload)).toEqual({
			ids: [undefined, undefined],
			unmatched: payload,
		});
	});

	test('ignores indexes that a reference ID shows to count from 1', () => {
		const payload = [
			{ index: 1, referenceId: 'R0', id: 'a' },
			{ index: 2, id: 'b' },
		];
		expect(match(['R0', 'R1', 'R2'], payload).ids).toEqual(['a', undefined, undefined]);
	});
});

describe('a reference ID in another format', () => {
	test.each<[string, unknown]>([
		['#1001', '1001'],
		['#1001', 1001],
		['1001', '#1001'],
		['1001', ' 1001 '],
		['0017', 17],
		['Shop-A 7', 'SHOP-A 7'],
	])('treats reference IDs %j and %j as equal', (given, referenceId) => {
		const payload = [{ referenceId, id: 'a' }];
		expect(match(['R0', given, 'R2'], payload).ids).toEqual([undefined, 'a', undefined]);
		const indexed = [
			{ index: 0, referenceId: 'R0', id: 'o' },
			{ index: 1, referenceId, id: 'a' },
		];
		expect(match(['R0', given], indexed)).toEqual({ ids: ['o', 'a'], unmatched: [] });
	});

	test('matches by index when a changed reference ID fits two deliveries', () => {
		const payload = [{ referenceId: '1001', id: 'a' }];
		expect(match(['#1001', '1001'], payload).unmatched).toEqual(payload);
		const indexed = [
			{ index: 1, referenceId: '1001', id: 'b' },
			{ index: 0, referenceId: '1001', id: 'a' },
		];
		expect(match(['#1001', '1001'], indexed).ids).toEqual(['a', 'b']);
	});

	test('matches nothing by a reference ID that is only a number sign', () => {
		expect(match(['#', '#'], [{ referenceId: '#', id: 'a' }]).ids).toEqual([undefined, undefined]);
	});
});

test.each([undefined, null, '', {}, ['a'], true])('does not accept %j as an ID', (id) => {
	for (const record of [{ index: 0, id }, { id }])
		expect(matchRecords(sent('R0'), [record])).toEqual({
			records: [undefined],
			withoutId: [record],
			unmatched: [],
		});
});

test('assigns no ID to two deliveries', () => {
	const payload = [
		{ index: 0, id: 'a' },
		{ index: 1, id: 'a' },
		{ index: 2, id: 'c' },
	];
	expect(match(['R0', 'R1', 'R2'], payload)).toEqual({
		ids: [undefined, undefined, 'c'],
		unmatched: payload.slice(0, 2),
	});
});

test('counts a repeated record once', () => {
	const payload = [
		{ index: 0, id: 'a' },
		{ index: 0, id: 'a' },
		{ index: 1, id: 'b' },
	];
	expect(match(['R0', 'R1'], payload)).toEqual({ ids: ['a', 'b'], unmatched: [] });
});

test('reads each record only a few times, however many match one delivery', () => {
	let reads = 0;
	const payload = Array.from({ length: 200_000 }, (_, number) =>
		Object.defineProperty({ index: 0 }, 'id', { get: () => (reads++, `id ${number}`) }),
	);
	expect(match(['R0', 'R1'], payload).unmatched).toHaveLength(200_000);
	expect(reads).toBeLessThan(1_000_000);
});

test('returns a numeric ID as a string', () => {
	expect(match(['R0'], [{ index: 0, id: 17 }]).ids).toEqual(['17']);
});

describe('a single record without index and reference ID', () => {
	test.each([{ id: 'a' }, { id: 'a', index: null, referenceId: null }])(
		'matches %j with a single delivery',
		(record) => {
			expect(match(['R0'], [record])).toEqual({ ids: ['a'], unmatched: [] });
		},
	);

	test('does not match a single record with one of several deliveries', () => {
		const payload = [{ id: 'a' }];
		expect(match(['R0', 'R1'], payload)).toEqual({
			ids: [undefined, undefined],
			unmatched: payload,
		});
	});

	test('does not match a record without index when there is another record', () => {
		const payloadWithoutIndexes = [{ id: 'a' }, { id: 'b' }];
		expect(match(['R0'], payloadWithoutIndexes)).toEqual({
			ids: [undefined],
			unmatched: payloadWithoutIndexes,
		});
		const payload = [{ index: 0, id: 'a' }, { id: 'b' }];
		expect(match(['R0'], payload)).toEqual({ ids: ['a'], unmatched: [{ id: 'b' }] });
	});
});

test.each([{ index: 0 }, { index: '0' }, { index: 1 }, { referenceId: 'r0 ' }, { index: 'x' }])(
	'matches a single record with %j with a single delivery',
	(fields) => {
		expect(match(['R0'], [{ id: 'a', ...fields }])).toEqual({ ids: ['a'], unmatched: [] });
	},
);

test.each([{ index: 2 }, { index: -1 }, { referenceId: 'R9' }, { referenceId: 5 }])(
	'does not match a single record with %j with a single delivery',
	(fields) => {
		const payload = [{ id: 'a', ...fields }];
		expect(match(['R0'], payload)).toEqual({ ids: [undefined], unmatched: payload });
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

test('uses no record and no ID twice, whatever the response', () => {
	fc.assert(
		fc.property(references, payloads, (given, payload) => {
			const { records, withoutId, unmatched } = matchRecords(sent(...given), payload);
			expect(records).toHaveLength(given.length);
			expect(withoutId).toHaveLength(given.length);
			const ids = records.flatMap((match) => match?.id ?? []);
			expect(new Set(ids).size).toBe(ids.length);
			const used = [
				...records.flatMap((match) => match?.record ?? []),
				...withoutId.flatMap((record) => record ?? []),
				...unmatched,
			];
			expect(new Set(used).size).toBe(used.length);
			const isAccountedFor = (record: CreatedRecord) =>
				used.includes(record) || ids.includes(String(record.id));
			expect(payload.filter((record) => !isAccountedFor(record))).toEqual([]);
		}),
		{ numRuns: 500 },
	);
});

/** How services may change a reference ID before they return it. */
const echoes: Record<string, (reference: string) => unknown> = {
	unchanged: (reference) => reference,
	'without #': (reference) => reference.replace('#', ''),
	'in upper case': (reference) => reference.toUpperCase(),
	'in lower case with spaces': (reference) => ` ${reference.toLowerCase()} `,
	'as a number if possible': (reference) => Number(reference.replace('#', '')) || reference,
	missing: () => undefined,
};

/** What services may return as index. */
const indexings: Record<string, (position: number) => unknown> = {
	'from 0': (position) => position,
	'from 0 as a string': (position) => String(position),
	'from 1': (position) => position + 1,
	none: () => undefined,
};

const sentReferences = fc.uniqueArray(
	fc.constantFrom('#1001', '1002', '#1003', 'Ab-4', '#cd-5', '0006', undefined),
	{ minLength: 1, maxLength: 7, comparator: (one, other) => one !== undefined && one === other },
);

/** Deliveries, and the response of a service variant, in which records may be missing. */
const responses = sentReferences.chain((given) =>
	fc
		.record({
			echo: fc.constantFrom(...Object.keys(echoes)),
			indexing: fc.constantFrom(...Object.keys(indexings)),
			positions: fc.shuffledSubarray([...given.keys()]),
		})
		.map(({ echo, indexing, positions }) => ({
			given,
			echo,
			indexing,
			payload: positions.map((position) => {
				const reference = given[position];
				return {
					id: `id of ${position}`,
					index: indexings[indexing]?.(position),
					referenceId: reference === undefined ? undefined : echoes[echo]?.(reference),
				};
			}),
		})),
);

test('assigns no delivery the record of another, whatever the service variant', () => {
	fc.assert(
		fc.property(responses, ({ given, payload }) => {
			for (const [position, id] of match(given, payload).ids.entries())
				expect([undefined, `id of ${position}`]).toContain(id);
		}),
		{ numRuns: 2000 },
	);
});

test('assigns every delivery its record when all are there and can be distinguished', () => {
	fc.assert(
		fc.property(responses, ({ given, indexing, echo, payload }) => {
			fc.pre(payload.length === given.length);
			const countsFromZero = indexing.startsWith('from 0');
			const { ids } = match(given, payload);
			for (const [position, reference] of given.entries())
				if (countsFromZero || (reference !== undefined && echo !== 'missing'))
					expect(ids[position]).toBe(`id of ${position}`);
		}),
		{ numRuns: 2000 },
	);
});
