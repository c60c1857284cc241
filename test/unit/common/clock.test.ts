import { getEventListeners } from 'node:events';

import { realClock } from '../../../nodes/DeliveryService/common/clock';

beforeEach(() => jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));

afterEach(() => jest.useRealTimers());

/** Whether a wait is over, as time passes. */
function watched(wait: Promise<void>): { isOver: () => boolean } {
	let isOver = false;
	void wait.then(() => {
		isOver = true;
	});
	return { isOver: () => isOver };
}

test('tells the time of this machine', () => {
	expect(realClock.now()).toBe(Date.UTC(2026, 0, 1));
});

test.each([1, 999, 1000, 1001, 90_000])('waits %i ms, no more and no less', async (ms) => {
	for (const signal of [undefined, new AbortController().signal]) {
		const wait = watched(realClock.wait(ms, signal));
		await jest.advanceTimersByTimeAsync(ms - 1);
		expect(wait.isOver()).toBe(false);
		await jest.advanceTimersByTimeAsync(1);
		expect(wait.isOver()).toBe(true);
	}
});

test.each([0, -5])('does not wait for %i ms', async (ms) => {
	await realClock.wait(ms);
	expect(jest.getTimerCount()).toBe(0);
});

test('ends at once when the execution is stopped, and leaves no long timer behind', async () => {
	const stop = new AbortController();
	const wait = watched(realClock.wait(3_600_000, stop.signal));
	await jest.advanceTimersByTimeAsync(70_500);
	stop.abort();
	await jest.advanceTimersByTimeAsync(0);
	expect(wait.isOver()).toBe(true);
	await jest.advanceTimersByTimeAsync(1000);
	expect(jest.getTimerCount()).toBe(0);
});

test('does not wait at all when the execution was stopped before', async () => {
	const wait = watched(realClock.wait(1000, AbortSignal.abort()));
	await jest.advanceTimersByTimeAsync(0);
	expect(wait.isOver()).toBe(true);
	expect(jest.getTimerCount()).toBe(0);
});

test('leaves no listener behind at the signal', async () => {
	const { signal } = new AbortController();
	const wait = realClock.wait(2500, signal);
	expect(getEventListeners(signal, 'abort')).toHaveLength(1);
	await jest.advanceTimersByTimeAsync(2500);
	await wait;
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('does not wait longer when the clock is set back meanwhile', async () => {
	const wait = watched(realClock.wait(90_000));
	await jest.advanceTimersByTimeAsync(30_000);
	jest.setSystemTime(Date.now() - 3_600_000);
	await jest.advanceTimersByTimeAsync(60_000);
	expect(wait.isOver()).toBe(true);
});
