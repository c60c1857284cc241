import type { Answer, Exchange } from '../service/client';
import { retryAfterOf } from '../service/retryAfter';

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
	return asked ?? Math.min(1000 * 2 ** attempt, maxPauseMs) * (0.75 + random / 2);
}

/** How long the service asked to wait, in milliseconds; undefined when it named no time. */
export function askedPauseMs(exchange: Exchange, now: number): number | undefined {
	const asked = exchange.kind === 'answer' ? askedMs(exchange, now) : NaN;
	// No time at all, or a date that is over by our clock, must not turn into requests without end.
	return asked > 0 ? asked : undefined;
}

/** What `Retry-After` says from now on; not a number when it says nothing that can be read. */
function askedMs(answer: Answer, now: number): number {
	const retryAfter = retryAfterOf(answer);
	if (!retryAfter) return NaN;
	return 'seconds' in retryAfter ? retryAfter.seconds * 1000 : retryAfter.date.getTime() - now;
}
