import type { Exchange } from '../service/client';

/** The longest pause between two tries when the service names none. */
const maxPauseMs = 60_000;

/** How long to go on when nothing answers at all: a wrong address does not mend itself. */
export const unreachablePatienceMs = 15_000;

/**
 * How long to wait before a request that was not processed is sent again: as `Retry-After` says,
 * in seconds or as a date, else doubling from one second, with jitter so that several executions
 * do not come back at once.
 *
 * @param attempt how often the request was sent before, from 0
 * @param now milliseconds since 1970
 * @param random a number from 0 up to 1
 * @returns milliseconds
 */
export function pauseMs(exchange: Exchange, attempt: number, now: number, random: number): number {
	const asked = askedPauseMs(exchange, now);
	if (asked !== undefined) return asked;
	return Math.min(1000 * 2 ** attempt, maxPauseMs) * (0.75 + random / 2);
}

/** How long the service asked to wait, in milliseconds; undefined when it named no time. */
export function askedPauseMs(exchange: Exchange, now: number): number | undefined {
	if (exchange.kind === 'noAnswer') return undefined;
	const asked = retryAfterMs(exchange.headers['retry-after'], now);
	// No time at all, or a date that is over by our clock, must not turn into requests without end.
	return asked > 0 ? asked : undefined;
}

/** What `Retry-After` says from now on; not a number when it says nothing that can be read. */
function retryAfterMs(value = '', now: number): number {
	if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
	return Date.parse(value) - now;
}
