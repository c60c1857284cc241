import fc from 'fast-check';

import { nextPauseMs } from '../../../nodes/DeliveryService/sending/request';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';

const now = Date.UTC(2026, 2, 1, 12, 0, 0);
const middle = 0.5;

const forever = { triedMs: 0, maximumWaitMs: Infinity };

const pauseMs = (exchange: Exchange, attempt: number, at: number, random: number) =>
	nextPauseMs(exchange, attempt, forever, at, random) ?? NaN;

function busy(retryAfter?: string, status = 429): Exchange {
	return {
		kind: 'response',
		status,
		headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
		body: undefined,
	};
}

describe('when the service says how long to wait', () => {
	test.each([
		['seconds', '7', 7000],
		['seconds between blanks', ' 7 ', 7000],
		['many seconds, more than any pause of our own', '3600', 3_600_000],
		['a date', 'Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
	])('it is %s: so long exactly, whatever was tried before', (_form, value, ms) => {
		for (const attempt of [0, 5])
			for (const random of [0, 0.99]) {
				expect(pauseMs(busy(value), attempt, now, random)).toBe(ms);
				expect(pauseMs(busy(value, 503), attempt, now, random)).toBe(ms);
			}
	});
});

describe('when it does not say so', () => {
	test.each([
		['an answer without Retry-After', busy()],
		['an answer with words in it', busy('soon')],
		['an answer without a value in it', busy('')],
		['a lost answer', { kind: 'noResponse', code: 'ECONNRESET' } as const],
		// A clock that is wrong must not turn into requests without end.
		['an answer that names no time at all', busy('0')],
		['an answer with a date that is over', busy('Sun, 01 Mar 2026 11:59:00 GMT')],
		['an answer with a date that is now', busy('Sun, 01 Mar 2026 12:00:00 GMT')],
		['an answer with a negative number', busy('-5')],
		['an answer with a fraction', busy('1.5')],
	])('%s is waited for from one second on, twice as long each time', (_what, exchange) => {
		const pauses = [0, 1, 2, 3, 4, 5].map((attempt) => pauseMs(exchange, attempt, now, middle));
		expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000]);
	});

	test('a pause grows to a minute and no further', () => {
		for (const attempt of [6, 10, 100, 2000])
			expect(pauseMs(busy(), attempt, now, middle)).toBe(60_000);
	});

	test('pauses of several executions differ by up to a quarter either way', () => {
		const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
		fc.assert(
			fc.property(fc.nat(30), fraction, fraction, (attempt, one, other) => {
				const usual = pauseMs(busy(), attempt, now, middle);
				const [less = 0, more = 0] = [one, other]
					.sort((a, b) => a - b)
					.map((random) => pauseMs(busy(), attempt, now, random));
				expect(less).toBeGreaterThanOrEqual(0.75 * usual);
				expect(more).toBeGreaterThanOrEqual(less);
				expect(more).toBeLessThanOrEqual(1.25 * usual);
			}),
		);
		expect(pauseMs(busy(), 0, now, 0)).toBe(750);
		expect(pauseMs(busy(), 0, now, 0.9)).toBe(1200);
	});
});

describe('what is left of the patience', () => {
	const left = (exchange: Exchange, triedMs: number, maximumWaitMs = 300_000) =>
		nextPauseMs(exchange, 10, { triedMs, maximumWaitMs }, now, middle);

	test('is waited for where a whole pause does not fit any more', () => {
		expect(left(busy(), 290_000)).toBe(10_000);
		expect(left(busy(), 300_000)).toBeUndefined();
		expect(left(busy(), 0, 0)).toBeUndefined();
	});

	test('is not waited for where the service asks for more', () => {
		expect(left(busy('11'), 290_000)).toBeUndefined();
		expect(left(busy('10'), 290_000)).toBe(10_000);
	});

	test('is that of 15 seconds where nothing answers at all', () => {
		const nothing = { kind: 'noResponse', code: 'ECONNREFUSED' } as const;
		expect(left(nothing, 7000)).toBe(8000);
		expect(left(nothing, 15_000)).toBeUndefined();
		expect(left(nothing, 1000, 3000)).toBe(2000);
	});

	test('is that of Max Retry Time where only the answer was lost', () => {
		expect(left({ kind: 'noResponse', code: 'ECONNRESET' }, 20_000)).toBe(60_000);
	});
});
