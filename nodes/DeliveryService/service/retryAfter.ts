import type { ServiceResponse } from './client';

/** When to retry, from HTTP's `Retry-After` header. */
export type RetryAfter = { seconds: number } | { date: Date };

/** Parses `Retry-After`: seconds or a date; undefined when it is missing or invalid. */
export function readRetryAfter({ headers }: ServiceResponse): RetryAfter | undefined {
	const value = (headers['retry-after'] ?? '').trim();
	if (/^\d+$/.test(value)) return Number(value) > 0 ? { seconds: Number(value) } : undefined;
	// JavaScript parses "1.5" as a day in 2001.
	const date = new Date(/[a-z]/i.test(value) ? value : NaN);
	return Number.isNaN(date.getTime()) ? undefined : { date };
}

/** How long to wait, as text to follow "wait" in a sentence. */
export function retryAfterText(retryAfter: RetryAfter): string {
	if ('date' in retryAfter) return `until ${retryAfter.date.toISOString()}`;
	const { seconds } = retryAfter;
	if (seconds <= 120) return countUnits(seconds, 'second');
	if (seconds <= 7200) return countUnits(Math.ceil(seconds / 60), 'minute');
	return countUnits(Math.ceil(seconds / 3600), 'hour');
}

function countUnits(count: number, unit: string): string {
	return count === 1 ? `1 ${unit}` : `${count} ${unit}s`;
}
