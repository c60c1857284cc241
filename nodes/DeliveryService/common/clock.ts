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
