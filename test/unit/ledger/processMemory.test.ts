/** What the process knows besides the store: which state of an order is the newest. */
import {
	ProcessMemory,
	processMemoryOf,
} from '../../../nodes/DeliveryService/ledger/processMemory';

test('knows that a state is older than the newest one of its order', () => {
	const memory = new ProcessMemory();
	const isOutdated = (order: string, ...times: number[]) =>
		times.map((asOf) => memory.isOutdated(order, asOf));
	expect(isOutdated('A', 20, 10, 20, 30, 25)).toEqual([false, true, false, false, true]);
	expect(isOutdated('B', 10)).toEqual([false]);
});

test('keeps the 10,000 orders that were seen last', () => {
	const memory = new ProcessMemory();
	const see = (order: number, asOf: number) => memory.isOutdated(`#${order}`, asOf);
	for (let order = 0; order < 10_000; order++) see(order, 2);
	see(0, 2);
	see(10_000, 2);
	expect([0, 2, 1].map((order) => see(order, 1))).toEqual([true, true, false]);
});

test('is one for each workflow', () => {
	expect(processMemoryOf('a')).toBe(processMemoryOf('a'));
	expect(processMemoryOf('b')).not.toBe(processMemoryOf('a'));
});
