import { limits } from '../service/limits';
import type { Clock } from '../common/clock';

/** A request that counts against the limit. */
interface CountedRequest {
	/**
	 * When the service may have counted it at the latest, in milliseconds since 1970: when its
	 * answer came. Infinite while it is under way.
	 */
	at: number;
}

/** A pause that the service asked for, and that an execution waits for. */
interface Pause {
	/** In milliseconds since 1970. */
	until: number;
}

/** How long requests waited before they went out, in milliseconds. */
export interface WaitTimes {
	/** Because as many as allowed were sent already. */
	forLimitMs: number;
	/** Because the service could not take requests, and nothing else kept them. */
	forServiceMs: number;
}

/** How a request waits for its turn. */
export interface TurnOptions {
	clock: Clock;
	/** Tells that the execution was stopped. */
	signal?: AbortSignal;
	/** The pause that the service asked for; while it is waited for, other requests wait too. */
	pauseMs?: number;
	/** The longest that pauses of others may keep it; one that lasts longer does not keep it at all. */
	maxPauseMs?: number;
}

/**
 * Keeps creation requests within the limit of the service (service document, section 8): no more
 * than `max` in any window of time, however many executions send through it at once.
 */
export class RateLimit {
	private counted: CountedRequest[] = [];

	private readonly pauses = new Set<Pause>();

	private latest = 0;

	constructor(
		private readonly max: number,
		private readonly windowMs: number,
	) {}

	/**
	 * Runs a request as soon as the limit allows, and tells it how long that took.
	 *
	 * @returns what the request gave, or undefined when the signal came first: then it was not run
	 */
	async run<Result>(
		request: (waited: WaitTimes) => Promise<Result>,
		{ clock, signal, pauseMs = 0, maxPauseMs = Infinity }: TurnOptions,
	): Promise<Result | undefined> {
		const waited: WaitTimes = { forLimitMs: 0, forServiceMs: 0 };
		const own: Pause = { until: this.now(clock) + pauseMs };
		this.pauses.add(own);
		try {
			for (;;) {
				if (signal?.aborted) return undefined;
				const now = this.now(clock);
				const pausedMs = this.pausedForMs(now, own, maxPauseMs - waited.forServiceMs);
				const waitMs = Math.max(pausedMs, this.fullForMs(now));
				if (waitMs <= 0) break;
				await clock.wait(waitMs, signal);
				const tookMs = Math.max(0, clock.now() - now);
				waited.forServiceMs += Math.min(tookMs, pausedMs);
				waited.forLimitMs += Math.max(0, tookMs - pausedMs);
			}
		} finally {
			// A pause ends with the execution that accepted it: others may know better, or wait less.
			this.pauses.delete(own);
		}
		const mine: CountedRequest = { at: Infinity };
		this.counted.push(mine);
		try {
			return await request(waited);
		} finally {
			mine.at = this.now(clock);
		}
	}

	/** How long a request must wait for pauses before it looks again. */
	private pausedForMs(now: number, own: Pause, maxPauseMs: number): number {
		const others = [...this.pauses]
			.map(({ until }) => until - now)
			.filter((leftMs) => leftMs <= maxPauseMs);
		return Math.max(0, own.until - now, Math.min(pauseCheckMs, Math.max(0, ...others)));
	}

	/** How many requests the limit allows now. */
	room(clock: Clock): number {
		this.forgetBefore(this.now(clock));
		return this.max - this.counted.length;
	}

	/** How long it takes until the limit allows one more request, as far as that is known. */
	private fullForMs(now: number): number {
		this.forgetBefore(now);
		if (this.counted.length < this.max) return 0;
		const oldest = Math.min(...this.counted.map(({ at }) => at));
		return Number.isFinite(oldest) ? oldest + this.windowMs + 1 - now : inFlightCheckMs;
	}

	private forgetBefore(now: number): void {
		this.counted = this.counted.filter(({ at }) => at + this.windowMs >= now);
	}

	/** The time by the clock. When that was set back, all that was noted by it moves along. */
	private now(clock: Clock): number {
		const now = clock.now();
		const setBackMs = Math.max(0, this.latest - now);
		this.latest = now;
		if (setBackMs > 0) {
			for (const counted of this.counted) counted.at -= setBackMs;
			for (const pause of this.pauses) pause.until -= setBackMs;
		}
		return now;
	}
}

/** How often to look whether a pause of another execution has ended with it. */
const pauseCheckMs = 5000;

/** How often to look again while as many requests as allowed are under way. */
const inFlightCheckMs = 50;

const sharedLimits = new Map<string, RateLimit>();

/** The limit for one API key at one service, the same for all executions of this process. */
export function rateLimitFor(baseUrl: string, apiKeyId: string): RateLimit {
	const key = JSON.stringify([baseUrl, apiKeyId]);
	const known = sharedLimits.get(key);
	if (known) return known;
	const created = new RateLimit(limits.creationRequestsPerWindow, limits.creationWindowMs);
	sharedLimits.set(key, created);
	return created;
}

/** A time that a request waited before it went out. */
export interface RequestWait extends WaitTimes {
	/** When it went out, in milliseconds since 1970. */
	endedAt: number;
}

/** How long a run waited in all: a time in which several requests waited counts once. */
export function totalWait(waits: readonly RequestWait[]): WaitTimes {
	const beginOf = ({ endedAt, forLimitMs, forServiceMs }: RequestWait) =>
		endedAt - forLimitMs - forServiceMs;
	const total: WaitTimes = { forLimitMs: 0, forServiceMs: 0 };
	let until = -Infinity;
	for (const wait of [...waits].sort((one, other) => beginOf(one) - beginOf(other))) {
		const ms = wait.endedAt - beginOf(wait);
		const newMs = Math.min(ms, Math.max(0, wait.endedAt - until));
		until = Math.max(until, wait.endedAt);
		if (newMs === 0) continue;
		total.forLimitMs += (wait.forLimitMs * newMs) / ms;
		total.forServiceMs += (wait.forServiceMs * newMs) / ms;
	}
	return total;
}
