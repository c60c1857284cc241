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

const noObjects = [undefined, null, '', 'text', 5, true, ['a']];

describe('a collection', () => {
	test('has the members of an object', () => {
		expect(asRecord({ a: 1, b: null })).toEqual({ a: 1, b: null });
	});

	test.each(noObjects)('has none when it is %j', (value) => {
		expect(asRecord(value)).toEqual({});
	});

	test('is read from the parameter of an item, and is empty by default', () => {
		const get = jest.fn().mockReturnValue({ companyId: 7 });
		expect(collectionParameter({ get }, 'options', 3)).toEqual({ companyId: 7 });
		expect(get.mock.calls).toEqual([['options', 3, {}]]);
	});
});

describe('a resource locator', () => {
	test.each([
		[{ __rl: true, mode: 'list', value: '1 https://a.example' }, '1 https://a.example'],
		[{ __rl: true, mode: 'list' }, undefined],
		['1 https://a.example', '1 https://a.example'],
		[undefined, undefined],
	])('%j names %j', (value, chosen) => {
		expect(resourceLocatorValue(value)).toBe(chosen);
	});
});

describe('a repeatable group', () => {
	test('has the entries that the user added', () => {
		const group = { package: [{ name: 'Box' }, { name: 'Bag' }] };
		expect(collectionEntries(group, 'package')).toEqual([{ name: 'Box' }, { name: 'Bag' }]);
	});

	test('has an entry without members for one that is no object', () => {
		expect(collectionEntries({ package: ['x', null, { name: 'Box' }] }, 'package')).toEqual([
			{},
			{},
			{ name: 'Box' },
		]);
	});

	test.each([...noObjects, {}, { package: 'x' }, { package: { name: 'x' } }, { entry: [{}] }])(
		'has no entries when it is %j',
		(group) => {
			expect(collectionEntries(group, 'package')).toEqual([]);
		},
	);
});

describe('blank', () => {
	test.each([undefined, null, '', ' ', '\n\t'])('is %j', (value) => {
		expect(isBlank(value)).toBe(true);
	});

	test.each([0, false, 'a', ' a ', [], {}, NaN])('is not %j', (value) => {
		expect(isBlank(value)).toBe(false);
	});

	test('members are left out of what is filled in, and others are kept as they are', () => {
		expect(omitBlank({ a: '', b: ' ', c: null, d: undefined, e: 0, f: false, g: ' x ' })).toEqual({
			e: 0,
			f: false,
			g: ' x ',
		});
	});
});

describe('a list', () => {
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
	])('of %j is %j', (value, list) => {
		expect(toList(value)).toEqual(list);
	});
});

describe('a JSON field', () => {
	test.each<[string, unknown]>([
		['{"a":1}', { a: 1 }],
		[' [1] ', [1]],
		['null', null],
		['5', 5],
	])('holds what its text %j stands for', (text, value) => {
		expect(readJson(text, 'Delivery')).toEqual({ ok: true, value });
	});

	test.each([{ a: 1 }, [1], 5, false])('holds what its expression gave: %j', (value) => {
		expect(readJson(value, 'Delivery')).toEqual({ ok: true, value });
	});

	test.each([undefined, null, '', ' '])('is empty when its expression gave %j', (value) => {
		expect(readJson(value, 'Delivery (JSON)')).toEqual({
			ok: false,
			problem: {
				message: 'Delivery (JSON) is empty',
				description: expect.stringContaining('the expression finds nothing in this item'),
			},
		});
	});

	test.each(['{', "{'a':1}", 'undefined', '{"a":1},'])(
		'that holds %j is refused by its label',
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
