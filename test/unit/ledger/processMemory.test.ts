/** What this process of n8n knows besides the store: which state of an order is the newest. */
import {
	ProcessMemory,
	processMemoryOf,
	type AsOf,
} from '../../../nodes/DeliveryService/ledger/processMemory';

test('recognizes a state that is older than the newest one of its order', () => {
	const memory = new ProcessMemory();
	const isOutdated = (order: string, ...times: number[]) =>
		times.map((call) => memory.note(order, { call }).includes(true));
	expect(isOutdated('A', 20, 10, 20, 30, 25)).toEqual([false, true, false, false, true]);
	expect(isOutdated('B', 10)).toEqual([false]);
});

test('compares times of calls only with calls, and times of orders only with orders', () => {
	const memory = new ProcessMemory();
	const isOutdated = (asOf: AsOf) => memory.note('A', asOf).includes(true);
	// The call at 31 reports the change at 30, and is lost: the order is read again.
	const states = [{ call: 31, order: 30 }, { order: 30 }, { call: 40 }, { order: 20 }, {}];
	expect(states.map(isOutdated)).toEqual([false, false, false, true, false]);
	expect(isOutdated({ call: 35, order: 35 })).toBe(true);
	expect(isOutdated({ call: 45, order: 34 })).toBe(true);
});

test('compares a state by each clock that it has', () => {
	const memory = new ProcessMemory();
	memory.note('A', { call: 31, order: 30 });
	const states = [
		{ call: 29, order: 28 },
		{ call: 29 },
		{ order: 28 },
		{ call: 29, order: 30 },
		{},
	];
	expect(states.map((asOf) => memory.note('A', asOf))).toEqual([
		[true, true],
		[true],
		[true],
		[true, false],
		[],
	]);
	expect(memory.note('B', { call: 1 })).toEqual([false]);
});

test('remembers the times of the 10,000 orders that were seen last', () => {
	const memory = new ProcessMemory();
	const see = (order: number, call: number) => memory.note(`#${order}`, { call }).includes(true);
	for (let order = 0; order < 10_000; order++) see(order, 2);
	see(0, 2);
	see(10_000, 2);
	expect([0, 2, 1].map((order) => see(order, 1))).toEqual([true, true, false]);
});

test('a copy knows the same, and nothing that it learns comes back', () => {
	const memory = new ProcessMemory();
	memory.holders.set('claim', { isAtWork: true });
	memory.note('A', { call: 20 });
	const copy = memory.copy();
	expect(copy.holders).toEqual(memory.holders);
	expect([copy.note('A', { call: 10 }), copy.note('A', { call: 40 })]).toEqual([[true], [false]]);
	expect(memory.note('A', { call: 30 })).toEqual([false]);
});

test('gives each workflow a process memory of its own', () => {
	expect(processMemoryOf('a')).toBe(processMemoryOf('a'));
	expect(processMemoryOf('b')).not.toBe(processMemoryOf('a'));
});
