import { limits } from '../service/schemas';
import type { Clock } from '../common/clock';

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
