import type { Clock } from '../common/clock';
import type { Exchange } from '../service/client';
import type { ServiceResponse } from '../service/response';
import { readRetryAfter } from '../service/errors';
import { limits, type CreationBody } from '../service/schemas';
import { classifyCreation, isUnreachable, namesCreatedDelivery } from './responses';

/** What sending a creation request needs. */
export interface RequestOptions extends RetryOptions {
	send: (body: CreationBody) => Promise<Exchange>;
	rateLimit: RateLimit;
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
	onSend: (waitedMs: number) => void,
): Promise<Exchange | undefined> {
	const { send, rateLimit, clock, signal } = options;
	return await sendWithRetries(
		options,
		async (pausedMs) =>
			await rateLimit.run(
				async (waitedMs) => {
					onSend(pausedMs + waitedMs);
					return await timed(clock, async () => await send(body));
				},
				clock,
				signal,
			),
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
 * @param send receives how long the request paused; returns undefined when the execution was stopped
 *   first
 * @param mayRetry whether the request may be retried after this exchange
 * @returns the last exchange; undefined when the execution was stopped
 */
export async function sendWithRetries(
	{ clock, random, isInEditor, signal }: RetryOptions,
	send: (pausedMs: number) => Promise<{ exchange: Exchange; tookMs: number } | undefined>,
	mayRetry: (exchange: Exchange, attempt: number) => boolean,
): Promise<Exchange | undefined> {
	let retriedMs = 0;
	let pauseMs = 0;
	for (let attempt = 0; ; attempt++) {
		if (pauseMs > 0) await clock.wait(pauseMs, signal);
		if (signal?.aborted) return undefined;
		const sent = await send(pauseMs);
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
export const maxRetryMs = 300_000;

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

/**
 * Keeps creation requests within the service's rate limit (API document, section 8): at most `max`
 * in any window of time, however many executions share it.
 */
export class RateLimit {
	/**
	 * For each request that counts, the latest time at which the service may have counted it: when its
	 * response arrived. Infinite while it is in flight.
	 */
	private counted: Array<{ at: number }> = [];

	constructor(
		private readonly max: number,
		private readonly windowMs: number,
	) {}

	/**
	 * Runs a request as soon as the limit allows.
	 *
	 * @param request receives how many milliseconds it waited
	 * @param signal aborted when the execution is stopped
	 * @returns the request's result, or undefined when the signal was aborted before it ran
	 */
	async run<Result>(
		request: (waitedMs: number) => Promise<Result>,
		clock: Clock,
		signal?: AbortSignal,
	): Promise<Result | undefined> {
		let waitedMs = 0;
		for (;;) {
			if (signal?.aborted) return undefined;
			const waitMs = this.fullForMs(clock.now());
			if (waitMs <= 0) break;
			await clock.wait(waitMs, signal);
			waitedMs += waitMs;
		}
		const counted = { at: Infinity };
		this.counted.push(counted);
		try {
			return await request(waitedMs);
		} finally {
			counted.at = clock.now();
		}
	}

	/** How long until the limit allows one more request, as far as that is known. */
	private fullForMs(now: number): number {
		// A response from the future arrived before the clock was set back.
		this.counted = this.counted.filter(
			({ at }) => at === Infinity || (at <= now && at + this.windowMs >= now),
		);
		if (this.counted.length < this.max) return 0;
		const oldest = Math.min(...this.counted.map(({ at }) => at));
		return Number.isFinite(oldest) ? oldest + this.windowMs + 1 - now : inFlightCheckMs;
	}
}

/** How often to check again while the maximum number of requests is in flight. */
const inFlightCheckMs = 50;

const sharedLimits = new Map<string, RateLimit>();

/** The limit for one API key at one service, shared by all executions of this process. */
export function rateLimitFor(baseUrl: string, apiKeyId: string): RateLimit {
	const key = JSON.stringify([baseUrl, apiKeyId]);
	const known = sharedLimits.get(key);
	if (known) return known;
	const created = new RateLimit(limits.creationRequestsPerWindow, limits.creationWindowMs);
	sharedLimits.set(key, created);
	return created;
}
