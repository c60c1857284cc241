import { sleep } from 'n8n-workflow';

/** Time as sending sees it, so that an hour of waiting can be tested in milliseconds. */
export interface Clock {
	/** Milliseconds since 1970. */
	now(): number;
	/** Waits for some milliseconds, or until the signal says that the execution was stopped. */
	wait(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A wait is cut into pieces, so that no long timer is left behind when it is given up. */
const maxSleepMs = 1000;

/** The clock of this machine. */
export const realClock: Clock = {
	now: () => Date.now(),
	async wait(ms, signal) {
		const end = Date.now() + ms;
		let giveUp: () => void = () => undefined;
		const stopped = new Promise<void>((resolve) => (giveUp = resolve));
		signal?.addEventListener('abort', giveUp);
		try {
			for (let left = ms; left > 0 && !signal?.aborted;) {
				const piece = Math.min(left, maxSleepMs);
				await Promise.race([sleep(piece), stopped]);
				// Each piece counts, so that a clock that is set back makes nobody wait longer.
				left = Math.min(left - piece, end - Date.now());
			}
		} finally {
			signal?.removeEventListener('abort', giveUp);
		}
	},
};
