import type { Clock } from '../common/clock';
import type { Exchange, ServiceResponse } from '../service/client';
import { readRetryAfter } from '../service/errors';
import { limits, type CreationBody } from '../service/schemas';
import { classifyCreation, classifyExchange, namesCreatedDelivery } from './responses';

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
): Promise<Exchange | undefined> {
	const { send, rateLimit, clock, signal } = options;
	return await sendWithRetries(
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
		// A created delivery must not be sent again, whatever the status.
		(exchange) => classifyCreation(exchange) === 'notProcessed' && !namesCreatedDelivery(exchange),
	);
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

/** A request that counts against the limit. */
interface CountedRequest {
	/**
	 * The latest time at which the service may have counted it, in milliseconds since 1970: when its
	 * response arrived. Infinite while it is in flight.
	 */
	at: number;
}

/** A pause that the service requested and an execution accepted. */
interface Pause {
	/** In milliseconds since 1970. */
	until: number;
}

/** How long a request waited before it was sent, in milliseconds. */
export interface WaitTimes {
	/** Because the rate limit was reached. */
	forLimitMs: number;
	/** Because the service was busy, excluding time already spent on the rate limit. */
	forServiceMs: number;
}

/** How a request waits for its turn. */
export interface TurnOptions {
	clock: Clock;
	/** Aborted when the execution is stopped. */
	signal?: AbortSignal;
	/** The pause that the service requested; other requests wait for its end too. */
	pauseMs?: number;
	/** The longest wait for pauses of other executions; it does not wait at all for a longer one. */
	maxPauseMs?: number;
}

/**
 * Keeps creation requests within the service's rate limit (API document, section 8): at most `max`
 * in any window of time, however many executions share it.
 */
export class RateLimit {
	private counted: CountedRequest[] = [];

	private readonly pauses = new Set<Pause>();

	private latestNow = 0;

	constructor(
		private readonly max: number,
		private readonly windowMs: number,
	) {}

	/**
	 * Runs a request as soon as the limit allows.
	 *
	 * @param request receives how long it waited
	 * @returns the request's result, or undefined when the signal was aborted before it ran
	 */
	async run<Result>(
		request: (waited: WaitTimes) => Promise<Result>,
		{ clock, signal, pauseMs = 0, maxPauseMs = Infinity }: TurnOptions,
	): Promise<Result | undefined> {
		const waited: WaitTimes = { forLimitMs: 0, forServiceMs: 0 };
		const ownPause: Pause = { until: this.now(clock) + pauseMs };
		this.pauses.add(ownPause);
		try {
			for (;;) {
				if (signal?.aborted) return undefined;
				const now = this.now(clock);
				const pausedMs = this.pausedForMs(now, ownPause, maxPauseMs - waited.forServiceMs);
				const waitMs = Math.max(pausedMs, this.fullForMs(now));
				if (waitMs <= 0) break;
				await clock.wait(waitMs, signal);
				const tookMs = Math.max(0, clock.now() - now);
				waited.forServiceMs += Math.min(tookMs, pausedMs);
				waited.forLimitMs += Math.max(0, tookMs - pausedMs);
			}
		} finally {
			// A pause ends with the execution that accepted it: others may know better, or wait less.
			this.pauses.delete(ownPause);
		}
		const counted: CountedRequest = { at: Infinity };
		this.counted.push(counted);
		try {
			return await request(waited);
		} finally {
			counted.at = this.now(clock);
		}
	}

	/** How long a request must wait for pauses before it checks again. */
	private pausedForMs(now: number, ownPause: Pause, maxPauseMs: number): number {
		const others = [...this.pauses]
			.map(({ until }) => until - now)
			.filter((leftMs) => leftMs <= maxPauseMs);
		return Math.max(0, ownPause.until - now, Math.min(pauseCheckMs, Math.max(0, ...others)));
	}

	/** How long until the limit allows one more request, as far as that is known. */
	private fullForMs(now: number): number {
		this.dropExpired(now);
		if (this.counted.length < this.max) return 0;
		const oldest = Math.min(...this.counted.map(({ at }) => at));
		return Number.isFinite(oldest) ? oldest + this.windowMs + 1 - now : inFlightCheckMs;
	}

	private dropExpired(now: number): void {
		this.counted = this.counted.filter(({ at }) => at + this.windowMs >= now);
	}

	/** The clock's time. When the clock was set back, all stored times are shifted with it. */
	private now(clock: Clock): number {
		const now = clock.now();
		const setBackMs = Math.max(0, this.latestNow - now);
		this.latestNow = now;
		if (setBackMs > 0) {
			for (const counted of this.counted) counted.at -= setBackMs;
			for (const pause of this.pauses) pause.until -= setBackMs;
		}
		return now;
	}
}

/** How often to check whether another execution, and its pause with it, has ended. */
const pauseCheckMs = 5000;

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

/** How long a request waited, and when it was sent. */
export interface RequestWait extends WaitTimes {
	/** When it was sent, in milliseconds since 1970. */
	endedAt: number;
}

/** The total wait of a run; time during which several requests waited counts once. */
export function totalWait(waits: readonly RequestWait[]): WaitTimes {
	const startOf = ({ endedAt, forLimitMs, forServiceMs }: RequestWait) =>
		endedAt - forLimitMs - forServiceMs;
	const total: WaitTimes = { forLimitMs: 0, forServiceMs: 0 };
	let coveredUntil = -Infinity;
	for (const wait of [...waits].sort((one, other) => startOf(one) - startOf(other))) {
		const ms = wait.endedAt - startOf(wait);
		const newMs = Math.min(ms, Math.max(0, wait.endedAt - coveredUntil));
		coveredUntil = Math.max(coveredUntil, wait.endedAt);
		if (newMs === 0) continue;
		total.forLimitMs += (wait.forLimitMs * newMs) / ms;
		total.forServiceMs += (wait.forServiceMs * newMs) / ms;
	}
	return total;
}
