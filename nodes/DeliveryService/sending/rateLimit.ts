import { limits } from '../service/limits';
import type { Clock } from './clock';

/** A request that counts against the limit. */
interface Counted {
	/**
	 * When the service may have counted it at the latest, in milliseconds since 1970: when its
	 * answer came. Infinite while it is under way.
	 */
	at: number;
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
	 * Runs a request as soon as the limit allows.
	 *
	 * @returns what the request gave, or undefined when the signal came first: then it was not run
	 */
	async run<Result>(
		request: () => Promise<Result>,
		clock: Clock,
		signal?: AbortSignal,
	): Promise<Result | undefined> {
		for (;;) {
			if (signal?.aborted) return undefined;
			const waitMs = this.waitMs(clock.now());
			if (waitMs <= 0) break;
			await clock.wait(waitMs, signal);
		}
		const mine: Counted = { at: Infinity };
		this.counted.push(mine);
		try {
			return await request();
		} finally {
			mine.at = clock.now();
		}
	}

	/** Lets no request out before a time: the service asked for a pause. */
	pauseUntil(time: number): void {
		this.pausedUntil = Math.max(this.pausedUntil, time);
	}

	private waitMs(now: number): number {
		this.counted = this.counted.filter(({ at }) => at + this.windowMs >= now);
		const paused = this.pausedUntil - now;
		if (this.counted.length < this.most) return paused;
		const oldest = Math.min(...this.counted.map(({ at }) => at));
		const free = Number.isFinite(oldest) ? oldest + this.windowMs + 1 - now : underWayCheckMs;
		return Math.max(free, paused);
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
