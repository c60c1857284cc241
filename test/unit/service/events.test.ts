import { parseEvent, type EventName } from '../../../nodes/DeliveryService/service/events';

describe('parsing a payload', () => {
	const route = {
		route_id: 'r1',
		distance: 4.5,
		date: '1700000000',
		prices: [{ id: 't1', price: '9.50' }],
	};

	test('converts numeric text to numbers and numeric IDs to text', () => {
		expect(
			parseEvent('createTask', { id: 17, distance: '4.5', price: ' 9 ', currencySign: '' }).fields,
		).toEqual({ id: '17', distance: 4.5, price: 9, currencySign: '' });
		expect(
			parseEvent('updateTask', { id: 17, status: 'x', company_id: 42, city_id: 3 }).fields,
		).toEqual({ id: '17', status: 'x', company_id: '42', city_id: '3' });
	});

	test('converts the prices of a route to numbers and keeps their other fields', () => {
		const prices = [
			{ id: 1, price: '9.50', currency: 'EUR' },
			{ id: 't2', price: 3 },
			{ id: 't3', price: '1,234.50' },
		];
		expect(parseEvent('createRoute', { ...route, prices }).fields.prices).toEqual([
			{ id: '1', price: 9.5, currency: 'EUR' },
			{ id: 't2', price: 3 },
			{ id: 't3', price: '1,234.50' },
		]);
	});

	test.each([
		['seconds', '1700000000', '2023-11-14T22:13:20.000Z'],
		['milliseconds', '1700000000123', '2023-11-14T22:13:20.123Z'],
		['the largest value treated as seconds', '99999999999', '5138-11-16T09:46:39.000Z'],
		['the smallest value treated as milliseconds', '100000000000', '1973-03-03T09:46:40.000Z'],
		['zero', '0', '1970-01-01T00:00:00.000Z'],
	])('adds dateIso to a route with a date in %s', (_, date, dateIso) => {
		expect(parseEvent('createRoute', { ...route, date })).toEqual({
			fields: { ...route, date, prices: [{ id: 't1', price: 9.5 }], dateIso },
			issues: [],
		});
	});

	test('converts a numeric date', () => {
		expect(parseEvent('createRoute', { ...route, date: 1700000000 }).fields).toMatchObject({
			date: '1700000000',
			dateIso: '2023-11-14T22:13:20.000Z',
		});
	});

	test.each(['tomorrow', ' ', '0x10', '9'.repeat(20)])(
		'adds no dateIso for the date %j',
		(date) => {
			const { fields, issues } = parseEvent('createRoute', { ...route, date });
			expect(fields).toMatchObject({ date });
			expect(fields).not.toHaveProperty('dateIso');
			expect(issues).toEqual(['The field "date" is not a Unix timestamp']);
		},
	);

	test.each(['', true, ['1700000000']])('keeps the invalid date %j unchanged', (date) => {
		const { fields, issues } = parseEvent('createRoute', { ...route, date });
		expect(fields).toMatchObject({ date });
		expect(fields).not.toHaveProperty('dateIso');
		expect(issues).toContain('The field "date" does not have its documented type');
	});

	test('leaves a date of another event than a route as it is', () => {
		const fields = { id: 't1', status: 'x', company_id: '42', city_id: '3', date: 'tomorrow' };
		expect(parseEvent('updateTask', fields)).toEqual({ fields, issues: [] });
	});

	test.each<[EventName, string[]]>([
		['createTask', ['id', 'distance', 'price', 'currencySign']],
		['createRoute', ['route_id', 'distance', 'date', 'prices']],
		['updateTask', ['id', 'status', 'company_id', 'city_id']],
	])('reports the missing documented fields of %s', (event, names) => {
		const missing = names.map((name) => `The field "${name}" is missing`);
		expect(parseEvent(event, { more: 1 })).toEqual({ fields: { more: 1 }, issues: missing });
		const nulls = Object.fromEntries(names.map((name) => [name, null]));
		expect(parseEvent(event, nulls)).toEqual({ fields: nulls, issues: missing });
	});

	test.each<[string, unknown]>([
		['distance', 'far'],
		['distance', ''],
		['distance', 'Infinity'],
		['distance', '0x10'],
		['price', false],
		['id', ''],
		['id', {}],
		['currencySign', 5],
	])('keeps the field %s with the invalid value %j unchanged and reports it', (name, value) => {
		const payload = { id: 't1', distance: 4.5, price: 0, currencySign: '$', [name]: value };
		expect(parseEvent('createTask', payload)).toEqual({
			fields: payload,
			issues: [`The field "${name}" does not have its documented type`],
		});
	});

	test('keeps all prices of a route unchanged when one is invalid', () => {
		const prices = [{ id: 't1', price: '9.50' }, { id: 't2' }];
		const { fields, issues } = parseEvent('createRoute', { ...route, prices });
		expect(fields.prices).toEqual(prices);
		expect(issues).toEqual(['The field "prices" does not have its documented type']);
	});
});
