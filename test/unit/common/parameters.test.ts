import {
	asRecord,
	collectionEntries,
	omitBlank,
	toList,
	resourceLocatorValue,
	collectionParameter,
	readJson,
} from '../../../nodes/DeliveryService/common/parameters';
import { isBlank } from '../../../nodes/DeliveryService/common/text';

const nonObjects = [undefined, null, '', 'text', 5, true, ['a']];

describe('a collection', () => {
	test('reads the fields of a collection', () => {
		expect(asRecord({ a: 1, b: null })).toEqual({ a: 1, b: null });
	});

	test.each(nonObjects)('reads an empty collection from %j', (value) => {
		expect(asRecord(value)).toEqual({});
	});

	test('reads the collection of an item and defaults to an empty object', () => {
		const get = jest.fn().mockReturnValue({ companyId: 7 });
		expect(
			collectionParameter({ get, isFixed: jest.fn(), timeZone: jest.fn() }, 'options', 3),
		).toEqual({ companyId: 7 });
		expect(get.mock.calls).toEqual([['options', 3, {}]]);
	});
});

describe('a resource locator', () => {
	test.each([
		[{ __rl: true, mode: 'list', value: '1 https://a.example' }, '1 https://a.example'],
		[{ __rl: true, mode: 'list' }, undefined],
		['1 https://a.example', '1 https://a.example'],
		[undefined, undefined],
	])('reads the resource locator %j as %j', (value, selected) => {
		expect(resourceLocatorValue(value)).toBe(selected);
	});
});

describe('a repeatable group', () => {
	test('reads the entries that the user added to a group', () => {
		const group = { package: [{ name: 'Box' }, { name: 'Bag' }] };
		expect(collectionEntries(group, 'package')).toEqual([{ name: 'Box' }, { name: 'Bag' }]);
	});

	test('reads an entry that is not an object as an empty one', () => {
		expect(collectionEntries({ package: ['x', null, { name: 'Box' }] }, 'package')).toEqual([
			{},
			{},
			{ name: 'Box' },
		]);
	});

	test.each([...nonObjects, {}, { package: 'x' }, { package: { name: 'x' } }, { entry: [{}] }])(
		'has no entries for %j',
		(group) => {
			expect(collectionEntries(group, 'package')).toEqual([]);
		},
	);
});

describe('isBlank', () => {
	test.each([undefined, null, '', ' ', '\n\t'])('isBlank is true for %j', (value) => {
		expect(isBlank(value)).toBe(true);
	});

	test.each([0, false, 'a', ' a ', [], {}, NaN])('isBlank is false for %j', (value) => {
		expect(isBlank(value)).toBe(false);
	});

	test('omitBlank removes blank fields and keeps the others unchanged', () => {
		expect(omitBlank({ a: '', b: ' ', c: null, d: undefined, e: 0, f: false, g: ' x ' })).toEqual({
			e: 0,
			f: false,
			g: ' x ',
		});
	});
});

describe('toList', () => {
	test.each<[unknown, unknown[]]>([
		['a,b', ['a', 'b']],
		['a, b', ['a', ' b']],
		['a', ['a']],
		[',a,, ,', ['a']],
		['', []],
		[
			[' a ', 5, ''],
			[' a ', 5],
		],
		[['a,b'], ['a,b']],
		[[null, undefined], []],
		[5, [5]],
		[0, [0]],
		[undefined, []],
		[null, []],
		[{ a: 1 }, [{ a: 1 }]],
	])('toList converts %j to %j', (value, list) => {
		expect(toList(value)).toEqual(list);
	});
});

describe('a JSON field', () => {
	test.each<[string, unknown]>([
		['{"a":1}', { a: 1 }],
		[' [1] ', [1]],
		['null', null],
		['5', 5],
	])('parses the JSON text %j of a JSON field', (text, value) => {
		expect(readJson(text, 'Delivery')).toEqual({ ok: true, value });
	});

	test.each([{ a: 1 }, [1], 5, false])(
		'returns the result of the expression in a JSON field: %j',
		(value) => {
			expect(readJson(value, 'Delivery')).toEqual({ ok: true, value });
		},
	);

	test.each([undefined, null, '', ' '])('reports a JSON field as empty for %j', (value) => {
		expect(readJson(value, 'Delivery (JSON)')).toEqual({
			ok: false,
			problem: {
				message: 'Delivery (JSON) is empty',
				description: expect.stringContaining('it returned nothing for this item'),
			},
		});
	});

	test.each(['{', "{'a':1}", 'undefined', '{"a":1},'])(
		'with invalid JSON %j is rejected by its label',
		(text) => {
			expect(readJson(text, 'Packages')).toEqual({
				ok: false,
				problem: {
					message: 'Packages is not valid JSON',
					description: expect.stringContaining('Check quotes, commas and brackets'),
				},
			});
		},
	);
});
