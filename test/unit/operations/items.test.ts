import { mapItems } from '../../../nodes/DeliveryService/operations/items';

beforeEach(() => jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));

afterEach(() => jest.useRealTimers());

const contextWithItems = (count: number) => ({
	getInputData: () => Array.from({ length: count }, () => ({ json: {} })),
});

test('pauses about every 20 ms while it reads many items', async () => {
	const read: number[] = [];
	const values = mapItems(contextWithItems(5), (item) => {
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

test('reads a few items without a pause', async () => {
	expect(await mapItems(contextWithItems(3), (item) => item)).toEqual([0, 1, 2]);
	expect(jest.getTimerCount()).toBe(0);
});
