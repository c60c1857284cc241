import { mapItems } from '../../../nodes/DeliveryService/resources/items';

beforeEach(() => jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));

afterEach(() => jest.useRealTimers());

const contextOf = (count: number) => ({
	getInputData: () => Array.from({ length: count }, () => ({ json: {} })),
});

test('gives others a turn while many items are read', async () => {
	const read: number[] = [];
	const values = mapItems(contextOf(5), (item) => {
		jest.setSystemTime(Date.now() + 10);
		read.push(item);
		return item * 10;
	});
	expect(read).toEqual([0, 1]);
	await jest.advanceTimersByTimeAsync(1);
	expect(read).toEqual([0, 1, 2, 3]);
	await jest.advanceTimersByTimeAsync(1);
	expect(await values).toEqual([0, 10, 20, 30, 40]);
});

test('does not pause for a few items', async () => {
	expect(await mapItems(contextOf(3), (item) => item)).toEqual([0, 1, 2]);
	expect(jest.getTimerCount()).toBe(0);
});
