import type { Answer, Exchange } from '../service/client';
import { retryAfterOf } from '../service/retryAfter';
import { classifyExchange } from './classify';

/** The longest pause between two tries when the service names none. */
const maxPauseMs = 60_000;

/** How long to go on when nothing answers at all: a wrong address does not mend itself. */
const unreachablePatienceMs = 15_000;

/** How long it is tried already, and may be. */
export interface Patience {
	triedMs: number;
	maximumWaitMs: number;
}

/**
 * How long to wait before a request is sent again: as `Retry-After` says, in seconds or as a date,
 * else doubling from one second, with jitter so that several executions do not come back at once.
 * What is left of the patience is used up, but a service that named a time is not asked before it.
 *
 * @param attempt how often the request was sent before, from 0
 * @param now milliseconds since 1970
 * @param random a number from 0 up to 1
 * @returns milliseconds; undefined when it is tried no more
 */
export function nextPauseMs(
	exchange: Exchange,
	attempt: number,
	{ triedMs, maximumWaitMs }: Patience,
	now: number,
	random: number,
): number | undefined {
	const isReached = exchange.kind === 'answer' || classifyExchange(exchange) === 'unknown';
	const leftMs = Math.min(maximumWaitMs, isReached ? Infinity : unreachablePatienceMs) - triedMs;
	if (leftMs <= 0) return undefined;
	const asked = exchange.kind === 'answer' ? askedMs(exchange, now) : NaN;
	// No time at all, or a date that is over by our clock, must not turn into requests without end.
	if (asked > 0) return asked <= leftMs ? asked : undefined;
	const usual = Math.min(1000 * 2 ** attempt, maxPauseMs) * (0.75 + random / 2);
	return Math.min(usual, leftMs);
}

/** What `Retry-After` says from now on; not a number when it says nothing that can be read. */
function askedMs(answer: Answer, now: number): number {
	const retryAfter = retryAfterOf(answer);
	if (!retryAfter) return NaN;
	return 'seconds' in retryAfter ? retryAfter.seconds * 1000 : retryAfter.date.getTime() - now;
}
