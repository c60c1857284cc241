import type { Exchange, ServiceResponse } from '../service/client';
import type { CreationBody } from '../service/schemas';
import type { RateLimit, WaitTimes } from './rateLimit';
import { namesCreated, readResponse, type CreationResponse } from './responses';
import type { Clock } from '../common/clock';
import { readRetryAfter } from '../service/retryAfter';
import { classifyExchange } from './classify';

/** What sending a creation request needs. */
export interface RequestOptions extends RetryOptions {
	send: (body: CreationBody) => Promise<Exchange>;
	rateLimit: RateLimit;
	/** Aborted when the user or a timeout stops the execution. */
	signal?: AbortSignal;
}

/**
 * Sends a creation request within the rate limit, and again while the service did not process it.
 *
 * @param count called each time that the request is sent, with how long it waited
 * @returns undefined when the execution was stopped before the request was sent
 */
export async function sendWithinLimit(
	body: CreationBody,
	requesting: RequestOptions,
	count: (waited: WaitTimes) => void,
): Promise<CreationResponse | undefined> {
	const { send, rateLimit, clock, signal } = requesting;
	let response: CreationResponse | undefined;
	const last = await sendWithRetries(
		requesting,
		async (pauseMs, leftMs) =>
			await rateLimit.run(
				async (waited) => {
					count(waited);
					const sentAt = clock.now();
					const exchange = await send(body);
					return { exchange, tookMs: waited.forServiceMs + Math.max(0, clock.now() - sentAt) };
				},
				{ clock, signal, pauseMs, maxPauseMs: leftMs },
			),
		(exchange) => {
			response = readResponse(exchange);
			// A delivery that was created must not be sent again, whatever the status.
			return response.class === 'notProcessed' && !namesCreated(response);
		},
	);
	return last && response;
}

/** What retrying a request needs. */
export interface RetryOptions {
	clock: Clock;
	/** A number from 0 up to 1, different each time. */
	random: () => number;
	/** How long a request may be retried, in milliseconds, without waits for the rate limit. */
	maximumWaitMs: number;
}

/** An attempt to send a request. */
export interface Attempt {
	exchange: Exchange;
	/** Milliseconds from when the attempt was due to its response, without waits for the rate limit. */
	tookMs: number;
}

/**
 * Sends a request, again and again while that is allowed and the retry time lasts.
 *
 * @param send waits for the pause, then sends; returns undefined when the execution was stopped first
 * @param mayRetry whether the request may be sent again after this exchange
 * @returns the last exchange; undefined when the execution was stopped
 */
export async function sendWithRetries(
	{ clock, random, maximumWaitMs }: RetryOptions,
	send: (pauseMs: number, leftMs: number) => Promise<Attempt | undefined>,
	mayRetry: (exchange: Exchange, attempt: number) => boolean,
): Promise<Exchange | undefined> {
	let triedMs = 0;
	let pauseMs = 0;
	for (let attempt = 0; ; attempt++) {
		const sent = await send(pauseMs, maximumWaitMs - triedMs);
		if (!sent) return undefined;
		const { exchange, tookMs } = sent;
		if (attempt > 0) triedMs += tookMs;
		if (!mayRetry(exchange, attempt)) return exchange;
		const patience = { triedMs, maximumWaitMs };
		const next = nextPauseMs(exchange, attempt, patience, clock.now(), random());
		if (next === undefined) return exchange;
		pauseMs = next;
	}
}

/** The longest pause between two attempts when the service names none. */
const maxPauseMs = 60_000;

/** How long to retry when nothing answers at all: a wrong Base URL does not fix itself. */
const unreachableRetryMs = 15_000;

/** How long a request has been retried, and may be. */
export interface RetryTime {
	triedMs: number;
	maximumWaitMs: number;
}

/**
 * The pause before a request is sent again: as `Retry-After` says, in seconds or as a date;
 * otherwise doubling from one second, with jitter so that several executions do not return at once.
 * The last pause uses up the retry time, but never ends before the time that the service named.
 *
 * @param attempt how often the request was sent before, from 0
 * @param now milliseconds since 1970
 * @param random a number from 0 up to 1
 * @returns milliseconds; undefined when the request is not sent again
 */
export function nextPauseMs(
	exchange: Exchange,
	attempt: number,
	{ triedMs, maximumWaitMs }: RetryTime,
	now: number,
	random: number,
): number | undefined {
	const isReached = exchange.kind === 'response' || classifyExchange(exchange) === 'unknown';
	const leftMs = Math.min(maximumWaitMs, isReached ? Infinity : unreachableRetryMs) - triedMs;
	if (leftMs <= 0) return undefined;
	const asked = exchange.kind === 'response' ? askedMs(exchange, now) : NaN;
	// Without this, no time at all or a date in the past would cause endless requests.
	if (asked > 0) return asked <= leftMs ? asked : undefined;
	const usual = Math.min(1000 * 2 ** attempt, maxPauseMs) * (0.75 + random / 2);
	return Math.min(usual, leftMs);
}

/** What `Retry-After` says from now on; not a number when it can't be read. */
function askedMs(answer: ServiceResponse, now: number): number {
	const retryAfter = readRetryAfter(answer);
	if (!retryAfter) return NaN;
	return 'seconds' in retryAfter ? retryAfter.seconds * 1000 : retryAfter.date.getTime() - now;
}
