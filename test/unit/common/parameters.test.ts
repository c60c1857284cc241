import {
	oncePerRun,
	toList,
	type ParameterReader,
} from '../../../nodes/DeliveryService/common/parameters';

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

test('toList takes less than a second for 100,000 spaces', () => {
	const start = process.cpuUsage();
	expect(toList(`a${' '.repeat(100_000)}b`)).toHaveLength(1);
	expect(process.cpuUsage(start).user < 1_000_000).toBe(true);
});

test('reads the same settings once per run, and those that differ between items for each of them', () => {
	const run = (): ParameterReader => ({ get: () => '', timeZone: () => 'UTC' });
	const made: unknown[] = [];
	const read = oncePerRun((name: string, options: object) => made.push([name, options]));
	const [first, second, same] = [run(), run(), {}];

	expect([read(first, 'a', same), read(first, 'a', same), read(second, 'a', same)]).toEqual([
		1, 1, 2,
	]);
	expect([read(first, 'b', same), read(first, 'b', {}), read(first, 'b', {})]).toEqual([3, 4, 5]);
	expect(made).toHaveLength(5);
});
