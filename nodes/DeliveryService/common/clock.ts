/** Time: a clock that tests replace, waits, and the day and the time of day in a time zone. */
import { sleep } from 'n8n-workflow';

/** The injected clock, so that an hour of waiting can be tested in milliseconds. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Waits for a number of milliseconds, or until the signal reports that the execution was stopped. */
	wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Long waits are split into short sleeps, so that an aborted wait leaves no long timer behind. */
const maxSleepMs = 1000;

/** The system clock. */
export const realClock: Clock = {
	now: () => Date.now(),
	async wait(ms, signal) {
		const end = Date.now() + ms;
		let abortWait: () => void = () => undefined;
		const stopped = new Promise<void>((resolve) => (abortWait = resolve));
		signal?.addEventListener('abort', abortWait);
		try {
			for (let left = ms; left > 0 && !signal?.aborted;) {
				const sleepMs = Math.min(left, maxSleepMs);
				await Promise.race([sleep(sleepMs), stopped]);
				// Counting the sleeps keeps a clock that is set back from prolonging the wait.
				left = Math.min(left - sleepMs, end - Date.now());
			}
		} finally {
			signal?.removeEventListener('abort', abortWait);
		}
	},
};

/** Cached, since creating one is slow. */
const formats = new Map<string, Intl.DateTimeFormat>();

function partsAt(time: number, timeZone: string): Record<string, string> {
	const format =
		formats.get(timeZone) ??
		new Intl.DateTimeFormat('en', {
			timeZone,
			year: 'numeric',
			month: '2-digit',
			day: '2-digit',
			hour: '2-digit',
			minute: '2-digit',
			hourCycle: 'h23',
		});
	formats.set(timeZone, format);
	return Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
}

/** The day in a time zone, as YYYY-MM-DD. */
export function dayAt(time: number, timeZone: string): string {
	const { year, month, day } = partsAt(time, timeZone);
	return `${year}-${month}-${day}`;
}

/** The time of day in a time zone, as hh:mm. */
export function clockAt(time: number, timeZone: string): string {
	const { hour, minute } = partsAt(time, timeZone);
	return `${hour}:${minute}`;
}
