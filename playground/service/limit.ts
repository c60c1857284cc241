import { z } from 'zod';

/** The number of requests allowed in any interval of `perMs` milliseconds. */
export const creationLimitSchema = z
	.object({ requests: z.number().int().min(1), perMs: z.number().int().min(1) })
	.strict();

export type CreationLimit = z.infer<typeof creationLimitSchema>;

/** The form of `Retry-After` in a 429. */
export const retryAfterSchema = z.enum(['seconds', 'date', 'off']);

export type RetryAfter = z.infer<typeof retryAfterSchema>;

/** Counts requests in a sliding window (docs/api.md, section 8: create requests per minute). */
export class SlidingWindow {
	private admitted: number[] = [];

	/** Deletes the counted requests. */
	clear(): void {
		this.admitted = [];
	}

	/**
	 * Counts a request if the limit allows it.
	 *
	 * @param nowMs the time of the request
	 * @param limit the limit
	 * @returns 0 if the request is allowed, otherwise the milliseconds until one will be
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
 * Returns the `Retry-After` header for a wait, in seconds or as a date, rounded up so that a retry is
 * never too early; no header if it is off.
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
