import type { ServiceResponse } from './client';

/** When a service that cannot take a request now wants to be asked again, as HTTP's `Retry-After` says. */
export type RetryAfter = { seconds: number } | { date: Date };

/** What an answer says in `Retry-After`: seconds or a date; undefined when neither can be read. */
export function readRetryAfter({ headers }: ServiceResponse): RetryAfter | undefined {
	const value = (headers['retry-after'] ?? '').trim();
	if (/^\d+$/.test(value)) return Number(value) > 0 ? { seconds: Number(value) } : undefined;
	// JavaScript reads "1.5" as a day in 2001.
	const date = new Date(/[a-z]/i.test(value) ? value : NaN);
	return Number.isNaN(date.getTime()) ? undefined : { date };
}

/** Until when to wait, to go into a sentence after "wait". */
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
