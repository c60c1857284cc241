import fc from 'fast-check';

import { eventNames } from '../../../nodes/DeliveryService/service/events';
import { readBody } from '../../../nodes/DeliveryService/trigger/payload';

const created = { id: 't1', distance: 4.5, price: 9, currencySign: '$' };
const routed = { route_id: 'r1', distance: 4.5, date: '1700000000', prices: [] };
const updated = { id: 't1', status: 'delivered', company_id: '42', city_id: '3' };

describe('the event', () => {
	test('is the one that the address names, whatever the payload looks like', () => {
		expect(readBody(created, 'createTask')).toEqual([
			{ event: 'createTask', eventCode: 1, ...created },
		]);
		expect(readBody(updated, 'createTask')).toMatchObject([{ event: 'createTask', eventCode: 1 }]);
	});

	test('is told by the shape of the payload when the address names none', () => {
		expect(readBody(created)).toMatchObject([{ event: 'createTask', eventCode: 1 }]);
		expect(readBody(routed)).toMatchObject([{ event: 'createRoute', eventCode: 2 }]);
		expect(readBody(updated)).toMatchObject([{ event: 'updateTask', eventCode: 3 }]);
	});

	test.each([
		{ id: 't1' },
		{ status: 'delivered' },
		{ currencySign: '$' },
		{ ...created, ...updated },
		{ ...routed, ...updated },
		{ ...routed, ...created },
		{ hello: 'world' },
	])('is unknown, never guessed, for %j', (payload) => {
		expect(readBody(payload)).toEqual([
			{
				...payload,
				event: 'unknown',
				eventCode: null,
				issues: ['Neither the address nor the fields tell which event this is'],
			},
		]);
	});
});

describe('a payload', () => {
	test('is read from JSON text', () => {
		expect(readBody(JSON.stringify(updated))).toEqual(readBody(updated));
	});

	test('is read from form fields, whose numbers are text', () => {
		expect(readBody({ ...created, distance: '4.5', price: '9' }, 'createTask')).toEqual([
			{ event: 'createTask', eventCode: 1, ...created },
		]);
	});

	test('may come in a list, with each entry told by its own shape', () => {
		expect(readBody([created, updated])).toMatchObject([
			{ event: 'createTask' },
			{ event: 'updateTask' },
		]);
		expect(readBody(JSON.stringify([created, updated]))).toHaveLength(2);
	});

	test('that fits the document has no issues', () => {
		for (const [payload, name] of [
			[created, 'createTask'],
			[routed, 'createRoute'],
			[updated, 'updateTask'],
		] as const)
			expect(readBody(payload, name)?.[0]).not.toHaveProperty('issues');
	});

	test('that does not fit is given as it came, with what did not fit', () => {
		expect(readBody({ id: 't1', distance: 'far', more: 1 }, 'createTask')).toEqual([
			{
				event: 'createTask',
				eventCode: 1,
				id: 't1',
				distance: 'far',
				more: 1,
				issues: [
					'The field "distance" does not have its documented type',
					'The field "price" is missing',
					'The field "currencySign" is missing',
				],
			},
		]);
	});

	test('is left out of a list when it is empty, and kept with an issue when it is no object', () => {
		const issues = ['This entry of the list is not an object'];
		expect(readBody([5, {}, updated, null, 'x', [1]])).toEqual([
			{ event: 'unknown', eventCode: null, payload: 5, issues },
			{ event: 'updateTask', eventCode: 3, ...updated },
			{ event: 'unknown', eventCode: null, payload: 'x', issues },
			{ event: 'unknown', eventCode: null, payload: [1], issues },
		]);
		expect(readBody([5, updated], 'updateTask')).toMatchObject([
			{ event: 'updateTask', eventCode: 3, payload: 5 },
			{ event: 'updateTask', eventCode: 3, ...updated },
		]);
	});

	test('keeps what the emitted event has a name for itself, beside what it says of itself', () => {
		const payload = { ...updated, event: 'x', eventCode: 9, issues: [] };
		const issues = [
			'Fields of the payload named event, eventCode, issues are found under "payload"',
		];
		expect(readBody(payload, 'updateTask')).toEqual([
			{ event: 'updateTask', eventCode: 3, ...updated, payload, issues },
		]);
		expect(readBody({ event: 'x' })).toEqual([
			{
				event: 'unknown',
				eventCode: null,
				payload: { event: 'x' },
				issues: [
					'Neither the address nor the fields tell which event this is',
					'Fields of the payload named event are found under "payload"',
				],
			},
		]);
	});

	test('has its prices as a list when a form gave them field by field, in any order', () => {
		const form = {
			route_id: 'r1',
			distance: '4.5',
			date: '1700000000',
			'prices[1][id]': 't2',
			'prices[0][id]': 't1',
			'prices[0][price]': '9.50',
			'prices[1][price]': '3',
		};
		expect(readBody(form)).toMatchObject([
			{
				event: 'createRoute',
				prices: [
					{ id: 't1', price: 9.5 },
					{ id: 't2', price: 3 },
				],
			},
		]);
	});

	test('has its prices as a list when they came as JSON text', () => {
		const prices = JSON.stringify([{ id: 't1', price: '9.50' }]);
		expect(readBody({ ...routed, prices })).toMatchObject([{ prices: [{ id: 't1', price: 9.5 }] }]);
		for (const text of ['none', '{"id":"t1"}'])
			expect(readBody({ ...routed, prices: text })).toMatchObject([{ prices: text }]);
	});

	test('keeps the fields of a form apart from a list that it gave as a whole', () => {
		const form = { ...routed, 'prices[0][id]': 't1' };
		expect(readBody(form)).toMatchObject([form]);
	});

	test('is read to a depth of 100 levels, and not in a body that is deeper', () => {
		const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
		expect(readBody(nested(100))).toHaveLength(1);
		expect(readBody(nested(101))).toBeUndefined();
		expect(readBody('['.repeat(100_000) + ']'.repeat(100_000))).toBeUndefined();
	});

	test.each([
		undefined,
		null,
		'',
		'hello',
		'5',
		5,
		true,
		{},
		[],
		[[]],
		[{}],
		['x', 1],
		'{}',
		'[1]',
	])('is not in the body %j', (body) => {
		expect(readBody(body)).toBeUndefined();
		expect(readBody(body, 'updateTask')).toBeUndefined();
	});
});

/** Assigning to it sets no field but the prototype, so that zod leaves it out. */
const unsafeName = '__proto__';

const documentedNames = Object.keys({ ...created, ...routed, ...updated });
/** What an emitted event says of itself: a field of that name is found in the payload as it came. */
const ownNames = ['event', 'eventCode', 'issues'];
const fieldName = fc.oneof(
	fc.constantFrom(...documentedNames),
	fc.constantFrom(...ownNames, 'payload', 'dateIso'),
	fc.string().filter((name) => name !== unsafeName && !name.includes('[')),
);
const fieldValue = fc.oneof(
	fc.constantFrom('1', '4.5', '1700000000', 1700000000, '', 'x'),
	fc
		.json()
		.filter((text) => !text.includes(unsafeName) && !text.startsWith('"['))
		.map((text): unknown => JSON.parse(text)),
);
const payloads = fc
	.dictionary(fieldName, fieldValue, { minKeys: 1, noNullPrototype: true })
	.filter(({ dateIso }) => dateIso !== null);
const names = fc.option(fc.constantFrom(...eventNames), { nil: undefined });

/** A value as it is after a conversion that documents allow: numbers and text mean the same. */
function plain(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(plain);
	if (typeof value === 'object' && value !== null)
		return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
	return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
		? Number(value)
		: value;
}

describe('for any JSON', () => {
	test('reading does not throw, and gives nothing or events', () => {
		fc.assert(
			fc.property(fc.oneof(fc.jsonValue(), fc.string(), fc.json()), names, (body, named) => {
				const read = readBody(body, named);
				if (read === undefined) return;
				expect(read.length).toBeGreaterThan(0);
				if (named) for (const { event } of read) expect(event).toBe(named);
			}),
			{ numRuns: 500 },
		);
	});

	test('no field of a payload is lost or becomes another value', () => {
		fc.assert(
			fc.property(payloads, names, fc.boolean(), (payload, named, asText) => {
				const read = readBody(asText ? JSON.stringify(payload) : payload, named) ?? [];
				expect(read).toHaveLength(1);
				if (ownNames.some((name) => name in payload)) expect(read[0]?.payload).toEqual(payload);
				else
					for (const [name, value] of Object.entries(payload))
						expect([name, plain(read[0]?.[name])]).toEqual([name, plain(value)]);
			}),
			{ numRuns: 500 },
		);
	});

	test('as many events come out of a list as entries with something are in it', () => {
		const entries = fc.array(fc.oneof(payloads, fc.string(), fc.constantFrom(null, {}, [], 0)));
		fc.assert(
			fc.property(payloads, entries, names, (payload, others, named) => {
				const empty = others.filter((entry) =>
					['null', '{}', '[]'].includes(JSON.stringify(entry)),
				);
				const read = readBody([...others, payload], named);
				expect(read).toHaveLength(others.length - empty.length + 1);
			}),
		);
	});
});
