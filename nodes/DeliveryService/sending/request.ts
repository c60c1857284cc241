import type { Exchange, ServiceResponse } from '../service/client';
import type { CreationBody } from '../service/schemas';
import type { RateLimit, WaitTimes } from './rateLimit';
import { namesCreatedDelivery, readResponse, type CreationResponse } from './responses';
import type { Clock } from '../common/clock';
import { readRetryAfter } from '../service/errors';
import { classifyExchange } from './classify';

/** What sending a creation request needs. */
export interface RequestOptions extends RetryOptions {
	send: (body: CreationBody) => Promise<Exchange>;
	rateLimit: RateLimit;
	/** Aborted when the user or a timeout stops the execution. */
	signal?: AbortSignal;
}

/**
 * Sends a creation request within the rate limit, and retries it while the service does not process
 * it.
 *
 * @param onSend called each time the request is sent, with how long it waited
 * @returns undefined when the execution was stopped before the request was sent
 */
export async function sendWithinLimit(
	body: CreationBody,
	options: RequestOptions,
	onSend: (waited: WaitTimes) => void,
): Promise<CreationResponse | undefined> {
	const { send, rateLimit, clock, signal } = options;
	let response: CreationResponse | undefined;
	const last = await sendWithRetries(
		options,
		async (pauseMs, leftMs) =>
			await rateLimit.run(
				async (waited) => {
					onSend(waited);
					const sentAt = clock.now();
					const exchange = await send(body);
					return { exchange, tookMs: waited.forServiceMs + Math.max(0, clock.now() - sentAt) };
				},
				{ clock, signal, pauseMs, maxPauseMs: leftMs },
			),
		(exchange) => {
			response = readResponse(exchange);
			// A created delivery must not be sent again, whatever the status.
			return response.class === 'notProcessed' && !namesCreatedDelivery(response);
		},
	);
	return last && response;
}

/** What retrying a request needs. */
export interface RetryOptions {
	clock: Clock;
	/** Returns a random number from 0 up to 1. */
	random: () => number;
	/** How long a request may be retried, in milliseconds, excluding waits for the rate limit. */
	maxRetryMs: number;
	/** The same while nothing responds at all. Defaults to 15 seconds. */
	maxUnreachableMs?: number;
}

/** An attempt to send a request. */
export interface Attempt {
	exchange: Exchange;
	/** Milliseconds from when the attempt was due to its response, excluding rate limit waits. */
	tookMs: number;
}

/**
 * Sends a request, and retries it while that is allowed and the retry time lasts.
 *
 * @param send waits for the pause, then sends; returns undefined when the execution was stopped first
 * @param mayRetry whether the request may be retried after this exchange
 * @returns the last exchange; undefined when the execution was stopped
 */
export async function sendWithRetries(
	{ clock, random, maxRetryMs, maxUnreachableMs }: RetryOptions,
	send: (pauseMs: number, leftMs: number) => Promise<Attempt | undefined>,
	mayRetry: (exchange: Exchange, attempt: number) => boolean,
): Promise<Exchange | undefined> {
	let retriedMs = 0;
	/** Since the first of the latest attempts that nothing responded to; undefined after a response. */
	let unreachableMs: number | undefined;
	let pauseMs = 0;
	for (let attempt = 0; ; attempt++) {
		const sent = await send(pauseMs, maxRetryMs - retriedMs);
		if (!sent) return undefined;
		const { exchange, tookMs } = sent;
		if (attempt > 0) retriedMs += tookMs;
		if (!mayRetry(exchange, attempt)) return exchange;
		if (isReachable(exchange)) unreachableMs = undefined;
		else unreachableMs = unreachableMs === undefined ? 0 : unreachableMs + tookMs;
		const retryTime = { retriedMs, unreachableMs, maxRetryMs, maxUnreachableMs };
		const nextMs = nextPauseMs(exchange, attempt, retryTime, clock.now(), random());
		if (nextMs === undefined) return exchange;
		pauseMs = nextMs;
	}
}

/** The longest pause between two attempts when the service requests none. */
const maxPauseMs = 60_000;

/** How long to retry when nothing responds at all: a wrong Base URL does not fix itself. */
const unreachableRetryMs = 15_000;

/** The same for a person who waits in the editor, which shows nothing until the node ends. */
export const unreachableRetryInEditorMs = 3000;

/** How long a request has been retried, and may be. */
export interface RetryTime {
	retriedMs: number;
	/** How long nothing has responded at all. */
	unreachableMs?: number;
	maxRetryMs: number;
	maxUnreachableMs?: number;
}

/**
 * The pause before a request is retried: `Retry-After`, in seconds or as a date; otherwise doubling
 * from one second, with jitter so that several executions do not retry at the same time. The last
 * pause uses up the retry time, but never ends before the time that the service requested.
 *
 * @param attempt how many times the request was retried before
 * @param now milliseconds since 1970
 * @param random a number from 0 up to 1
 * @returns milliseconds; undefined when the request is not retried
 */
export function nextPauseMs(
	exchange: Exchange,
	attempt: number,
	{ retriedMs, unreachableMs = 0, maxRetryMs, maxUnreachableMs = unreachableRetryMs }: RetryTime,
	now: number,
	random: number,
): number | undefined {
	const unreachableLeftMs = isReachable(exchange) ? Infinity : maxUnreachableMs - unreachableMs;
	const leftMs = Math.min(maxRetryMs - retriedMs, unreachableLeftMs);
	if (leftMs <= 0) return undefined;
	const requestedMs = exchange.kind === 'response' ? retryAfterMs(exchange, now) : NaN;
	// Zero or a date in the past must not cause endless requests.
	if (requestedMs > 0) return requestedMs <= leftMs ? requestedMs : undefined;
	const usualMs = Math.min(1000 * 2 ** attempt, maxPauseMs) * (0.75 + random / 2);
	return Math.min(usualMs, leftMs);
}

/** Whether the service may have received the request. */
function isReachable(exchange: Exchange): boolean {
	return exchange.kind === 'response' || classifyExchange(exchange) === 'unknown';
}

/** The pause in `Retry-After`; NaN when it can't be read. */
function retryAfterMs(response: ServiceResponse, now: number): number {
	const retryAfter = readRetryAfter(response);
	if (!retryAfter) return NaN;
	return 'seconds' in retryAfter ? retryAfter.seconds * 1000 : retryAfter.date.getTime() - now;
}
