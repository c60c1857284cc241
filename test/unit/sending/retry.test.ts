import fc from 'fast-check';

import { nextPauseMs } from '../../../nodes/DeliveryService/sending/request';
import type { Exchange } from '../../../nodes/DeliveryService/service/client';
import { noResponse, respondWith } from '../../support/creations';

const now = Date.UTC(2026, 2, 1, 12, 0, 0);
const noJitter = 0.5;

const pauseMs = (exchange: Exchange, attempt: number, at: number, random: number) =>
	nextPauseMs(exchange, attempt, Infinity, at, random) ?? NaN;

function busy(retryAfter?: string, status = 429): Exchange {
	const headers = retryAfter === undefined ? undefined : { 'retry-after': retryAfter };
	return respondWith(status, undefined, headers);
}

test.each([
	['seconds', '7', 7000],
	['seconds with whitespace', ' 7 ', 7000],
	['more seconds than the longest default pause', '3600', 3_600_000],
	['a date', 'Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
])(
	'waits exactly as long as Retry-After requests in %s, whatever the attempt',
	(_form, value, ms) => {
		for (const attempt of [0, 5])
			for (const random of [0, 0.99]) {
				expect(pauseMs(busy(value), attempt, now, random)).toBe(ms);
				expect(pauseMs(busy(value, 503), attempt, now, random)).toBe(ms);
			}
	},
);

describe('without a usable Retry-After', () => {
	test.each([
		['a response without Retry-After', busy()],
		['a response with words in it', busy('soon')],
		['a response with an empty one', busy('')],
		['a lost response', noResponse('ECONNRESET')],
		// A wrong clock must not cause endless requests.
		['a response with 0 seconds', busy('0')],
		['a response with a past date', busy('Sun, 01 Mar 2026 11:59:00 GMT')],
		['a response with the current time', busy('Sun, 01 Mar 2026 12:00:00 GMT')],
		['a response with a negative number', busy('-5')],
		['a response with a fraction', busy('1.5')],
	])('doubles the pause from one second after %s', (_what, exchange) => {
		const pauses = [0, 1, 2, 3, 4, 5].map((attempt) => pauseMs(exchange, attempt, now, noJitter));
		expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000]);
	});

	test('limits the pause to a minute', () => {
		for (const attempt of [6, 10, 100, 2000])
			expect(pauseMs(busy(), attempt, now, noJitter)).toBe(60_000);
	});

	test('varies the pause by up to 25 percent in both directions', () => {
		const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
		fc.assert(
			fc.property(fc.nat(30), fraction, fraction, (attempt, one, other) => {
				const average = pauseMs(busy(), attempt, now, noJitter);
				const [shorter = 0, longer = 0] = [one, other]
					.sort((a, b) => a - b)
					.map((random) => pauseMs(busy(), attempt, now, random));
				expect(shorter).toBeGreaterThanOrEqual(0.75 * average);
				expect(longer).toBeGreaterThanOrEqual(shorter);
				expect(longer).toBeLessThanOrEqual(1.25 * average);
			}),
		);
		expect(pauseMs(busy(), 0, now, 0)).toBe(750);
		expect(pauseMs(busy(), 0, now, 0.9)).toBe(1200);
	});
});

describe('remaining retry time', () => {
	test('shortens the last pause to the remaining retry time', () => {
		expect(nextPauseMs(busy(), 10, 10_000, now, noJitter)).toBe(10_000);
		expect(nextPauseMs(busy(), 10, 0, now, noJitter)).toBeUndefined();
	});

	test('does not retry when Retry-After exceeds the remaining retry time', () => {
		expect(nextPauseMs(busy('11'), 0, 10_000, now, noJitter)).toBeUndefined();
		expect(nextPauseMs(busy('10'), 0, 10_000, now, noJitter)).toBe(10_000);
	});
});
