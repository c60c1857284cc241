import type { Exchange } from '../service/client';

/** The longest pause between two tries when the service names none. */
const longestPauseMs = 60_000;

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
	const asked =
		exchange.kind === 'answer' ? retryAfterMs(exchange.headers['retry-after'], now) : undefined;
	if (asked !== undefined) return asked;
	return Math.min(1000 * 2 ** attempt, longestPauseMs) * (0.75 + random / 2);
}

function retryAfterMs(value: string | undefined, now: number): number | undefined {
	if (value === undefined) return undefined;
	if (/^\d+$/.test(value.trim())) return Number(value) * 1000;
	const date = Date.parse(value);
	return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
