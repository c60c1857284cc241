import fc from 'fast-check';

import { eventNames } from '../../../nodes/DeliveryService/service/events';
import { readEvents } from '../../../nodes/DeliveryService/trigger/payload';

const created = { id: 't1', distance: 4.5, price: 9, currencySign: '$' };
const routed = { route_id: 'r1', distance: 4.5, date: '1700000000', prices: [] };
const updated = { id: 't1', status: 'delivered', company_id: '42', city_id: '3' };

describe('the event of readEvents', () => {
	test('uses the event in the URL, whatever the payload contains', () => {
		expect(readEvents(created, 'createTask')).toEqual([{ event: 'createTask', ...created }]);
		expect(readEvents(updated, 'createTask')).toMatchObject([{ event: 'createTask' }]);
	});

	test('passes a payload on as it is if the URL names no event', () => {
		expect(readEvents(updated)).toEqual([
			{ ...updated, event: 'unknown', issues: ['The URL does not name the event'] },
		]);
	});
});

describe('readEvents', () => {
	test('reports an ID that is a number whose last digits JSON has lost', () => {
		const [event] = readEvents(JSON.parse('{"id":9007199254740993}'), 'updateTask') ?? [];
		expect(event?.issues).toContain('The field "id" does not have its documented type');
		expect(readEvents({ ...updated, id: 12 }, 'updateTask')).toMatchObject([{ id: '12' }]);
	});

	test('reports no issues for the documented payloads', () => {
		for (const [payload, name] of [
			[created, 'createTask'],
			[routed, 'createRoute'],
			[updated, 'updateTask'],
		] as const)
			expect(readEvents(payload, name)?.[0]).not.toHaveProperty('issues');
	});

	test('returns payload fields with a reserved name under "payload"', () => {
		const payload = { ...updated, event: 'x', issues: [] };
		const issues = ['Payload fields with a reserved name are only in "payload": event, issues'];
		expect(readEvents(payload, 'updateTask')).toEqual([
			{ event: 'updateTask', ...updated, payload, issues },
		]);
		expect(readEvents({ event: 'x' })).toEqual([
			{
				event: 'unknown',
				payload: { event: 'x' },
				issues: [
					'The URL does not name the event',
					'Payload fields with a reserved name are only in "payload": event',
				],
			},
		]);
	});

	test('parses a list of prices that is JSON text', () => {
		const prices = JSON.stringify([{ id: 't1', price: '9.50' }]);
		expect(readEvents({ ...routed, prices }, 'createRoute')).toMatchObject([
			{ prices: [{ id: 't1', price: 9.5 }] },
		]);
		for (const text of ['none', '{"id":"t1"}'])
			expect(readEvents({ ...routed, prices: text }, 'createRoute')).toMatchObject([
				{ prices: text },
			]);
	});

	test('keeps the flat fields of a form, whatever their names', () => {
		const form = { ...routed, prices: '', 'prices[0][id]': 't1', 'a[b][c]': '1' };
		expect(readEvents(form, 'createRoute')).toMatchObject([form]);
	});

	test('reads a body of 20 levels and rejects a deeper one', () => {
		const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
		expect(readEvents(nested(20))).toHaveLength(1);
		expect(readEvents(nested(21))).toBeUndefined();
		expect(readEvents(JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)))).toBeUndefined();
	});

	test('reads a route of 100 deliveries and 100,000 values, and rejects more', () => {
		const prices = Array.from({ length: 100 }, (_, index) => ({ id: `t${index}`, price: index }));
		expect(readEvents({ ...routed, prices }, 'createRoute')).toMatchObject([{ prices }]);
		// The body and its list of prices are values, too.
		const values = (count: number) => ({ route_id: 'r1', prices: Array(count - 3).fill([]) });
		expect(readEvents(values(100_000), 'createRoute')).toHaveLength(1);
		expect(readEvents(values(100_001), 'createRoute')).toBeUndefined();
	});

	test('returns no events for an empty body', () => {
		expect(readEvents({})).toEqual([]);
		expect(readEvents([])).toEqual([]);
		expect(readEvents([{}, updated, {}], 'updateTask')).toEqual([
			{ event: 'updateTask', ...updated },
		]);
	});

	test.each([undefined, null, '', '{}', 5, true, [[]], [null], ['x', 1], [updated, 5]])(
		'returns undefined for the body %j',
		(body) => {
			expect(readEvents(body)).toBeUndefined();
			expect(readEvents(body, 'updateTask')).toBeUndefined();
		},
	);
});

/** Assigning to it sets the prototype instead of a field, so zod drops it. */
const unsafeName = '__proto__';

const documentedNames = Object.keys({ ...created, ...routed, ...updated });
/** The trigger's own fields: payload fields with these names are in the unchanged payload. */
const reservedNames = ['event', 'issues'];
const fieldName = fc.oneof(
	fc.constantFrom(...documentedNames),
	fc.constantFrom(...reservedNames, 'payload', 'dateIso'),
	fc.string().filter((name) => name !== unsafeName),
);
const fieldValue = fc.oneof(
	fc.constantFrom('1', '4.5', '1700000000', 1700000000, '', 'x'),
	fc
		.json()
		.filter((text) => !text.includes(unsafeName))
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

describe('readEvents with any JSON', () => {
	test('does not throw and returns undefined or events', () => {
		fc.assert(
			fc.property(fc.oneof(fc.jsonValue(), fc.string(), fc.json()), namedEvents, (body, named) => {
				const read = readEvents(body, named);
				if (named) for (const { event } of read ?? []) expect(event).toBe(named);
			}),
			{ numRuns: 500 },
		);
	});

	test('keeps every field and value of a payload', () => {
		fc.assert(
			fc.property(payloads, namedEvents, (payload, named) => {
				const read = readEvents(payload, named) ?? [];
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
});
