/**
 * One request: how it is retried while the service does not process it, and how long a retry waits.
 */
import type { Clock } from '../common/clock';
import type { Exchange } from '../service/client';
import { readRetryAfter } from '../service/errors';
import type { ServiceResponse } from '../service/response';
import type { CreationBody } from '../service/schemas';
import { classifyCreation, isUnreachable } from './classify';
import type { RateLimit } from './rateLimit';
import { namesCreatedDelivery } from './responses';

/** What sending a creation request needs. */
export interface RequestOptions extends RetryOptions {
	send: (body: CreationBody) => Promise<Exchange>;
	rateLimit: RateLimit;
}

/**
 * Sends a creation request within the rate limit, and retries it while the service does not process
 * it.
 *
 * @returns undefined when the execution was stopped before the request was sent
 */
export async function sendWithinLimit(
	body: CreationBody,
	options: RequestOptions,
): Promise<Exchange | undefined> {
	const { send, rateLimit, clock, signal } = options;
	const sendTimed = async () => await timed(clock, async () => await send(body));
	return await sendWithRetries(
		options,
		async () => await rateLimit.run(sendTimed, clock, signal),
		// A created delivery must not be sent again, whatever the status.
		(exchange) => classifyCreation(exchange) === 'notProcessed' && !namesCreatedDelivery(exchange),
	);
}

/** What retrying a request needs. */
export interface RetryOptions {
	clock: Clock;
	/** Returns a random number from 0 up to 1. */
	random: () => number;
	/** Whether a person waits in the editor, who should see a wrong Base URL at once. */
	isInEditor?: boolean;
	/** Aborted when the user or a timeout stops the execution. */
	signal?: AbortSignal;
}

/** Sends a request and measures its duration; a clock that was set back counts as none. */
export async function timed(clock: Clock, send: () => Promise<Exchange>) {
	const sentAt = clock.now();
	const exchange = await send();
	return { exchange, tookMs: Math.max(0, clock.now() - sentAt) };
}

/**
 * Sends a request, and retries it while that is allowed and the retry time lasts.
 *
 * @param send returns undefined when the execution was stopped first
 * @param mayRetry whether the request may be retried after this exchange
 * @returns the last exchange; undefined when the execution was stopped
 */
export async function sendWithRetries(
	{ clock, random, isInEditor, signal }: RetryOptions,
	send: () => Promise<{ exchange: Exchange; tookMs: number } | undefined>,
	mayRetry: (exchange: Exchange, attempt: number) => boolean,
): Promise<Exchange | undefined> {
	let retriedMs = 0;
	let pauseMs = 0;
	for (let attempt = 0; ; attempt++) {
		if (pauseMs > 0) await clock.wait(pauseMs, signal);
		if (signal?.aborted) return undefined;
		const sent = await send();
		if (!sent) return undefined;
		const { exchange } = sent;
		if (attempt > 0) retriedMs += pauseMs + sent.tookMs;
		if (!mayRetry(exchange, attempt) || (isInEditor && isUnreachable(exchange))) return exchange;
		const leftMs = maxRetryMs - retriedMs;
		const nextMs = nextPauseMs(exchange, attempt, leftMs, clock.now(), random());
		if (nextMs === undefined) return exchange;
		pauseMs = nextMs;
	}
}

/** How long a request may be retried, in milliseconds, excluding waits for the rate limit. */
const maxRetryMs = 300_000;

/** The longest pause between two attempts when the service requests none. */
const maxPauseMs = 60_000;

/**
 * The pause before a request is retried: `Retry-After`, in seconds or as a date; otherwise doubling
 * from one second, with jitter so that several executions do not retry at the same time. The last
 * pause uses up the retry time, but never ends before the time that the service requested.
 *
 * @param attempt how many times the request was retried before
 * @param leftMs how long it may still be retried
 * @param now milliseconds since 1970
 * @param random a number from 0 up to 1
 * @returns milliseconds; undefined when the request is not retried
 */
export function nextPauseMs(
	exchange: Exchange,
	attempt: number,
	leftMs: number,
	now: number,
	random: number,
): number | undefined {
	if (leftMs <= 0) return undefined;
	const requestedMs = exchange.kind === 'response' ? retryAfterMs(exchange, now) : NaN;
	// Zero or a date in the past must not cause endless requests.
	if (requestedMs > 0) return requestedMs <= leftMs ? requestedMs : undefined;
	const usualMs = Math.min(1000 * 2 ** attempt, maxPauseMs) * (0.75 + random / 2);
	return Math.min(usualMs, leftMs);
}

/** The pause in `Retry-After`; NaN when it can't be read. */
function retryAfterMs(response: ServiceResponse, now: number): number {
	const retryAfter = readRetryAfter(response);
	if (!retryAfter) return NaN;
	return 'seconds' in retryAfter ? retryAfter.seconds * 1000 : retryAfter.date.getTime() - now;
}
