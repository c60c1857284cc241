import { limits } from '../service/limits';
import type { Clock } from '../shared/clock';

/** A request that counts against the limit. */
interface Counted {
	/**
	 * When the service may have counted it at the latest, in milliseconds since 1970: when its
	 * answer came. Infinite while it is under way.
	 */
	at: number;
}

/** How long requests waited before they went out, in milliseconds. */
export interface Waited {
	/** Because as many as allowed were sent already. */
	forLimitMs: number;
	/** Because the service could not take requests, and nothing else kept them. */
	forServiceMs: number;
}

/**
 * Keeps creation requests within the limit of the service (service document, section 8): no more
 * than `most` in any window of time, however many executions send through it at once.
 */
export class RateLimit {
	private counted: Counted[] = [];

	private pausedUntil = 0;

	constructor(
		private readonly most: number,
		private readonly windowMs: number,
	) {}

	/**
	 * Runs a request as soon as the limit allows, and tells it how long that took.
	 *
	 * @returns what the request gave, or undefined when the signal came first: then it was not run
	 */
	async run<Result>(
		request: (waited: Waited) => Promise<Result>,
		clock: Clock,
		signal?: AbortSignal,
	): Promise<Result | undefined> {
		const waited: Waited = { forLimitMs: 0, forServiceMs: 0 };
		for (;;) {
			if (signal?.aborted) return undefined;
			const now = clock.now();
			const pausedMs = Math.max(0, this.pausedUntil - now);
			const waitMs = Math.max(pausedMs, this.fullForMs(now));
			if (waitMs <= 0) break;
			await clock.wait(waitMs, signal);
			const tookMs = clock.now() - now;
			waited.forServiceMs += Math.min(tookMs, pausedMs);
			waited.forLimitMs += Math.max(0, tookMs - pausedMs);
		}
		const mine: Counted = { at: Infinity };
		this.counted.push(mine);
		try {
			return await request(waited);
		} finally {
			mine.at = clock.now();
		}
	}

	/** Lets no request out before a time: the service asked for a pause. */
	pauseUntil(time: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, time);
	}

	/** How many requests the limit allows at this time, in milliseconds since 1970. */
	room(now: number): number {
		this.forgetBefore(now);
		return this.most - this.counted.length;
	}

	/** How long it takes until the limit allows one more request, as far as that is known. */
	private fullForMs(now: number): number {
		this.forgetBefore(now);
		if (this.counted.length < this.most) return 0;
		const oldest = Math.min(...this.counted.map(({ at }) => at));
		return Number.isFinite(oldest) ? oldest + this.windowMs + 1 - now : underWayCheckMs;
	}

	private forgetBefore(now: number): void {
		this.counted = this.counted.filter(({ at }) => at + this.windowMs >= now);
	}
}

/** How often to look again while as many requests as allowed are under way. */
const underWayCheckMs = 50;

const shared = new Map<string, RateLimit>();

/** The limit for one API key at one service, the same for all executions of this process. */
export function rateLimitFor(baseUrl: string, apiKeyId: string): RateLimit {
	const key = JSON.stringify([baseUrl, apiKeyId]);
	const known = shared.get(key);
	if (known) return known;
	const created = new RateLimit(limits.creationRequestsPerWindow, limits.creationWindowMs);
	shared.set(key, created);
	return created;
}
