import { z } from 'zod';

/** So many requests in any stretch of so many milliseconds. */
export const creationLimitSchema = z
	.object({ requests: z.number().int().min(1), perMs: z.number().int().min(1) })
	.strict();

export type CreationLimit = z.infer<typeof creationLimitSchema>;

/** How a 429 tells when to come back. */
export const retryAfterSchema = z.enum(['seconds', 'date', 'off']);

export type RetryAfter = z.infer<typeof retryAfterSchema>;

/** Counts requests in a sliding window (section 8: creation requests per minute). */
export class SlidingWindow {
	private admitted: number[] = [];

	/** Forgets the requests counted so far. */
	clear(): void {
		this.admitted = [];
	}

	/**
	 * Counts a request if the limit allows one more; one that it does not allow is not counted.
	 * Gives 0, or the milliseconds until a request will be allowed.
	 */
	admit(nowMs: number, { requests, perMs }: CreationLimit): number {
		this.admitted = this.admitted.filter((at) => nowMs - at < perMs);
		const blocking = this.admitted.at(-requests);
		if (blocking !== undefined) return blocking + perMs - nowMs;
		this.admitted.push(nowMs);
		return 0;
	}
}

/**
 * The `Retry-After` header for a wait, in seconds or as a date, rounded up so that coming back
 * then is never too early; no header when it is switched off.
 */
export function retryAfterHeader(
	form: RetryAfter,
	nowMs: number,
	waitMs: number,
): Record<string, string> {
	switch (form) {
		case 'off':
			return {};
		case 'seconds':
			return { 'Retry-After': String(Math.ceil(waitMs / 1000)) };
		case 'date': {
			const at = Math.ceil((nowMs + waitMs) / 1000) * 1000;
			return { 'Retry-After': new Date(at).toUTCString() };
		}
	}
}
