import { getEventListeners } from 'node:events';

import { realClock } from '../../../nodes/DeliveryService/common/clock';

beforeEach(() => jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) }));

afterEach(() => jest.useRealTimers());

/** Tracks whether a wait is over. */
function trackWait(wait: Promise<void>): { isOver: () => boolean } {
	let isOver = false;
	void wait.then(() => {
		isOver = true;
	});
	return { isOver: () => isOver };
}

test('returns the system time', () => {
	expect(realClock.now()).toBe(Date.UTC(2026, 0, 1));
});

test.each([1, 999, 1000, 1001, 90_000])('waits exactly %i ms', async (ms) => {
	for (const signal of [undefined, new AbortController().signal]) {
		const wait = trackWait(realClock.wait(ms, signal));
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

test('ends a wait immediately when the execution is stopped and leaves no long timer', async () => {
	const stop = new AbortController();
	const wait = trackWait(realClock.wait(3_600_000, stop.signal));
	await jest.advanceTimersByTimeAsync(70_500);
	stop.abort();
	await jest.advanceTimersByTimeAsync(0);
	expect(wait.isOver()).toBe(true);
	await jest.advanceTimersByTimeAsync(1000);
	expect(jest.getTimerCount()).toBe(0);
});

test('does not wait when the execution is already stopped', async () => {
	const wait = trackWait(realClock.wait(1000, AbortSignal.abort()));
	await jest.advanceTimersByTimeAsync(0);
	expect(wait.isOver()).toBe(true);
	expect(jest.getTimerCount()).toBe(0);
});

test('removes its listener from the abort signal', async () => {
	const { signal } = new AbortController();
	const wait = realClock.wait(2500, signal);
	expect(getEventListeners(signal, 'abort')).toHaveLength(1);
	await jest.advanceTimersByTimeAsync(2500);
	await wait;
	expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('does not wait longer when the system clock is set back', async () => {
	const wait = trackWait(realClock.wait(90_000));
	await jest.advanceTimersByTimeAsync(30_000);
	jest.setSystemTime(Date.now() - 3_600_000);
	await jest.advanceTimersByTimeAsync(60_000);
	expect(wait.isOver()).toBe(true);
});
