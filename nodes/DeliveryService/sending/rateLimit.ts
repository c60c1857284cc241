/** The rate limit of creation requests, which all executions of this process share. */
import type { Clock } from '../common/clock';
import { limits } from '../service/schemas';

/**
 * Keeps creation requests within the service's rate limit (docs/api.md, section 8): at most `max` in any
 * window of time, however many executions share it.
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
	 * @param signal aborted when the execution is stopped
	 * @returns the request's result, or undefined when the signal was aborted before it ran
	 */
	async run<Result>(
		request: () => Promise<Result>,
		clock: Clock,
		signal?: AbortSignal,
	): Promise<Result | undefined> {
		for (;;) {
			if (signal?.aborted) return undefined;
			const waitMs = this.fullForMs(clock.now());
			if (waitMs <= 0) break;
			await clock.wait(waitMs, signal);
		}
		const counted = { at: Infinity };
		this.counted.push(counted);
		try {
			return await request();
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
