import { toList } from '../../../nodes/DeliveryService/common/parameters';

test.each<[unknown, unknown[]]>([
	['a,b', ['a', 'b']],
	[' a, b ', ['a', 'b']],
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
