import {
	eventNames,
	eventNameSchema,
	eventForCode,
	events,
	parseEvent,
	type EventName,
} from '../../../nodes/DeliveryService/service/events';

describe('the events', () => {
	test('have the codes of the document', () => {
		expect(eventNames.map((name) => [name, events[name].code])).toEqual([
			['createTask', 1],
			['createRoute', 2],
			['updateTask', 3],
		]);
	});

	test('are found by their codes', () => {
		for (const name of eventNames) expect(eventForCode(events[name].code)).toBe(name);
		for (const code of [0, 4, 1.5, NaN]) expect(eventForCode(code)).toBeUndefined();
	});

	test('are known by their names only', () => {
		for (const name of eventNames) expect(eventNameSchema.safeParse(name).success).toBe(true);
		expect(eventNameSchema.safeParse('deleteTask').success).toBe(false);
	});
});

describe('reading a payload', () => {
	const route = {
		route_id: 'r1',
		distance: 4.5,
		date: '1700000000',
		prices: [{ id: 't1', price: '9.50' }],
	};

	test('leaves a payload as it is that has its documented types', () => {
		const created = { id: 't1', distance: 4.5, price: 0, currencySign: '$' };
		expect(parseEvent('createTask', created)).toEqual({ fields: created, issues: [] });
		const updated = { id: 't1', status: 'delivered', company_id: '42', city_id: '3' };
		expect(parseEvent('updateTask', updated)).toEqual({ fields: updated, issues: [] });
	});

	test('makes numbers of numbers that came as text, and text of identifiers that came as numbers', () => {
		expect(
			parseEvent('createTask', { id: 17, distance: '4.5', price: ' 9 ', currencySign: '' }).fields,
		).toEqual({ id: '17', distance: 4.5, price: 9, currencySign: '' });
		expect(
			parseEvent('updateTask', { id: 17, status: 'x', company_id: 42, city_id: 3 }).fields,
		).toEqual({ id: '17', status: 'x', company_id: '42', city_id: '3' });
	});

	test('gives the prices of a route as numbers and keeps what else they hold', () => {
		const prices = [
			{ id: 1, price: '9.50', currency: 'EUR' },
			{ id: 't2', price: 3 },
		];
		expect(parseEvent('createRoute', { ...route, prices }).fields.prices).toEqual([
			{ id: '1', price: 9.5, currency: 'EUR' },
			{ id: 't2', price: 3 },
		]);
	});

	test.each([
		['seconds', '1700000000', '2023-11-14T22:13:20.000Z'],
		['milliseconds', '1700000000123', '2023-11-14T22:13:20.123Z'],
		['the last seconds that are taken for such', '99999999999', '5138-11-16T09:46:39.000Z'],
		['the first milliseconds that are taken for such', '100000000000', '1973-03-03T09:46:40.000Z'],
		['zero', '0', '1970-01-01T00:00:00.000Z'],
	])('adds the date of a route in ISO 8601 from %s', (_, date, dateIso) => {
		expect(parseEvent('createRoute', { ...route, date })).toEqual({
			fields: { ...route, date, prices: [{ id: 't1', price: 9.5 }], dateIso },
			issues: [],
		});
	});

	test('reads a date that came as a number', () => {
		expect(parseEvent('createRoute', { ...route, date: 1700000000 }).fields).toMatchObject({
			date: '1700000000',
			dateIso: '2023-11-14T22:13:20.000Z',
		});
	});

	test('keeps a field of the payload that is called as the date in ISO 8601 is', () => {
		const { fields } = parseEvent('createRoute', { ...route, dateIso: 'today' });
		expect(fields.dateIso).toBe('today');
	});

	test.each(['tomorrow', ' ', '9'.repeat(20)])('invents no date for %j', (date) => {
		const { fields, issues } = parseEvent('createRoute', { ...route, date });
		expect(fields).toMatchObject({ date });
		expect(fields).not.toHaveProperty('dateIso');
		expect(issues).toEqual(['The field "date" is not a Unix timestamp']);
	});

	test.each(['', true, ['1700000000']])('keeps the date %j, which is none, as it came', (date) => {
		const { fields, issues } = parseEvent('createRoute', { ...route, date });
		expect(fields).toMatchObject({ date });
		expect(fields).not.toHaveProperty('dateIso');
		expect(issues).toContain('The field "date" does not have its documented type');
	});

	test.each<[EventName, string[]]>([
		['createTask', ['id', 'distance', 'price', 'currencySign']],
		['createRoute', ['route_id', 'distance', 'date', 'prices']],
		['updateTask', ['id', 'status', 'company_id', 'city_id']],
	])('tells of %s which documented fields are missing', (event, names) => {
		const missing = names.map((name) => `The field "${name}" is missing`);
		expect(parseEvent(event, { more: 1 })).toEqual({ fields: { more: 1 }, issues: missing });
		const nulls = Object.fromEntries(names.map((name) => [name, null]));
		expect(parseEvent(event, nulls)).toEqual({ fields: nulls, issues: missing });
	});

	test.each<[string, unknown]>([
		['distance', 'far'],
		['distance', ''],
		['distance', 'Infinity'],
		['price', false],
		['id', ''],
		['id', {}],
		['currencySign', 5],
	])('keeps the field %s as it came when it is %j, and tells so', (name, value) => {
		const payload = { id: 't1', distance: 4.5, price: 0, currencySign: '$', [name]: value };
		expect(parseEvent('createTask', payload)).toEqual({
			fields: payload,
			issues: [`The field "${name}" does not have its documented type`],
		});
	});

	test('keeps all prices of a route as they came when one is not readable', () => {
		const prices = [{ id: 't1', price: '9.50' }, { id: 't2' }];
		const { fields, issues } = parseEvent('createRoute', { ...route, prices });
		expect(fields.prices).toEqual(prices);
		expect(issues).toEqual(['The field "prices" does not have its documented type']);
	});

	test('does not change the payload itself', () => {
		const payload = Object.freeze({ ...route });
		parseEvent('createRoute', payload);
		expect(payload).toEqual(route);
	});
});
