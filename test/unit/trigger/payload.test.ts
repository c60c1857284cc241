import fc from 'fast-check';

import { eventNames } from '../../../nodes/DeliveryService/service/events';
import { readBody } from '../../../nodes/DeliveryService/trigger/payload';

const created = { id: 't1', distance: 4.5, price: 9, currencySign: '$' };
const routed = { route_id: 'r1', distance: 4.5, date: '1700000000', prices: [] };
const updated = { id: 't1', status: 'delivered', company_id: '42', city_id: '3' };

describe('the event of readBody', () => {
	test('uses the event in the URL, whatever the payload contains', () => {
		expect(readBody(created, 'createTask')).toEqual([{ event: 'createTask', ...created }]);
		expect(readBody(updated, 'createTask')).toMatchObject([{ event: 'createTask' }]);
	});

	test('identifies the event by the payload if the URL contains none', () => {
		expect(readBody(created)).toMatchObject([{ event: 'createTask' }]);
		expect(readBody(routed)).toMatchObject([{ event: 'createRoute' }]);
		expect(readBody(updated)).toMatchObject([{ event: 'updateTask' }]);
	});

	test.each([
		{ id: 't1' },
		{ status: 'delivered' },
		{ currencySign: '$' },
		{ ...created, ...updated },
		{ ...routed, ...updated },
		{ ...routed, ...created },
		{ hello: 'world' },
	])('identifies no event in the ambiguous payload %j', (payload) => {
		expect(readBody(payload)).toEqual([
			{
				...payload,
				event: 'unknown',
				issues: ['Neither the URL nor the fields identify the event'],
			},
		]);
	});
});

describe('readBody', () => {
	test('reads JSON text', () => {
		expect(readBody(JSON.stringify(updated))).toEqual(readBody(updated));
	});

	test('reads form fields, whose numbers are text', () => {
		expect(readBody({ ...created, distance: '4.5', price: '9' }, 'createTask')).toEqual([
			{ event: 'createTask', ...created },
		]);
	});

	test('identifies the event of each entry in a list', () => {
		expect(readBody([created, updated])).toMatchObject([
			{ event: 'createTask' },
			{ event: 'updateTask' },
		]);
		expect(readBody(JSON.stringify([created, updated]))).toHaveLength(2);
	});

	test('reports no issues for the documented payloads', () => {
		for (const [payload, name] of [
			[created, 'createTask'],
			[routed, 'createRoute'],
			[updated, 'updateTask'],
		] as const)
			expect(readBody(payload, name)?.[0]).not.toHaveProperty('issues');
	});

	test('returns a payload that deviates from the document, with issues', () => {
		expect(readBody({ id: 't1', distance: 'far', more: 1 }, 'createTask')).toEqual([
			{
				event: 'createTask',
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

	test('drops empty list entries and reports an issue for entries that are not objects', () => {
		const issues = ['This list entry is not an object'];
		expect(readBody([5, {}, updated, null, 'x', [1]])).toEqual([
			{ event: 'unknown', payload: 5, issues },
			{ event: 'updateTask', ...updated },
			{ event: 'unknown', payload: 'x', issues },
			{ event: 'unknown', payload: [1], issues },
		]);
		expect(readBody([5, updated], 'updateTask')).toMatchObject([
			{ event: 'updateTask', payload: 5 },
			{ event: 'updateTask', ...updated },
		]);
	});

	test('returns payload fields with a reserved name under "payload"', () => {
		const payload = { ...updated, event: 'x', issues: [] };
		const issues = ['Payload fields with a reserved name are only in "payload": event, issues'];
		expect(readBody(payload, 'updateTask')).toEqual([
			{ event: 'updateTask', ...updated, payload, issues },
		]);
		expect(readBody({ event: 'x' })).toEqual([
			{
				event: 'unknown',
				payload: { event: 'x' },
				issues: [
					'Neither the URL nor the fields identify the event',
					'Payload fields with a reserved name are only in "payload": event',
				],
			},
		]);
	});

	test('builds the list of prices from the fields of a form, in any order', () => {
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

	test('parses a list of prices that is JSON text', () => {
		const prices = JSON.stringify([{ id: 't1', price: '9.50' }]);
		expect(readBody({ ...routed, prices })).toMatchObject([{ prices: [{ id: 't1', price: 9.5 }] }]);
		for (const text of ['none', '{"id":"t1"}'])
			expect(readBody({ ...routed, prices: text })).toMatchObject([{ prices: text }]);
	});

	test('does not merge list fields of a form into a list that the form contains', () => {
		const form = { ...routed, 'prices[0][id]': 't1' };
		expect(readBody(form)).toMatchObject([form]);
	});

	test('reads a body of 100 levels and rejects a deeper one', () => {
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
	])('returns undefined for the body %j', (body) => {
		expect(readBody(body)).toBeUndefined();
		expect(readBody(body, 'updateTask')).toBeUndefined();
	});
});

/** Assigning to it sets the prototype instead of a field, so zod drops it. */
const unsafeName = '__proto__';

const documentedNames = Object.keys({ ...created, ...routed, ...updated });
/** The trigger's own fields: payload fields with these names are in the unchanged payload. */
const reservedNames = ['event', 'issues'];
const fieldName = fc.oneof(
	fc.constantFrom(...documentedNames),
	fc.constantFrom(...reservedNames, 'payload', 'dateIso'),
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
const namedEvents = fc.option(fc.constantFrom(...eventNames), { nil: undefined });

/** A value in which numbers and numeric text are equal, since the trigger may convert them. */
function withNumbers(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(withNumbers);
	if (typeof value === 'object' && value !== null)
		return Object.fromEntries(
			Object.entries(value).map(([name, inner]) => [name, withNumbers(inner)]),
		);
	return typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))
		? Number(value)
		: value;
}

describe('readBody with any JSON', () => {
	test('does not throw and returns undefined or events', () => {
		fc.assert(
			fc.property(fc.oneof(fc.jsonValue(), fc.string(), fc.json()), namedEvents, (body, named) => {
				const read = readBody(body, named);
				if (read === undefined) return;
				expect(read.length).toBeGreaterThan(0);
				if (named) for (const { event } of read) expect(event).toBe(named);
			}),
			{ numRuns: 500 },
		);
	});

	test('keeps every field and value of a payload', () => {
		fc.assert(
			fc.property(payloads, namedEvents, fc.boolean(), (payload, named, asText) => {
				const read = readBody(asText ? JSON.stringify(payload) : payload, named) ?? [];
				expect(read).toHaveLength(1);
				if (reservedNames.some((name) => name in payload))
					expect(read[0]?.payload).toEqual(payload);
				else
					for (const [name, value] of Object.entries(payload))
						expect([name, withNumbers(read[0]?.[name])]).toEqual([name, withNumbers(value)]);
			}),
			{ numRuns: 500 },
		);
	});

	test('returns one event per list entry that is not empty', () => {
		const entries = fc.array(fc.oneof(payloads, fc.string(), fc.constantFrom(null, {}, [], 0)));
		fc.assert(
			fc.property(payloads, entries, namedEvents, (payload, others, named) => {
				const empty = others.filter((entry) =>
					['null', '{}', '[]'].includes(JSON.stringify(entry)),
				);
				const read = readBody([...others, payload], named);
				expect(read).toHaveLength(others.length - empty.length + 1);
			}),
		);
	});
});
