import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../nodes/DeliveryService/common/clock';

/**
 * A clock for tests: its time stands still until all work waits, then jumps to the end of the shortest
 * wait. Waits that end at the same time resolve in order.
 */
export class VirtualTime implements Clock {
	#now = Date.UTC(2026, 0, 1);
	#waiting: Array<{ at: number; resume: () => void }> = [];

	now(): number {
		return this.#now;
	}

	async wait(ms: number, signal?: AbortSignal): Promise<void> {
		if (signal?.aborted) return;
		await new Promise<void>((resolve) => {
			const cancel = () => {
				this.#waiting = this.#waiting.filter((other) => other !== entry);
				resolve();
			};
			const resume = () => {
				signal?.removeEventListener('abort', cancel);
				resolve();
			};
			const entry = { at: this.#now + ms, resume };
			this.#waiting.push(entry);
			signal?.addEventListener('abort', cancel, { once: true });
		});
	}

	/** Advances the time until the work is done. @throws Error if it waits for something else, or for days */
	async until<Result>(work: Promise<Result>): Promise<Result> {
		const latest = this.#now + 86_400_000;
		let isDone = false;
		const done = () => {
			isDone = true;
		};
		work.then(done, done);
		for (;;) {
			await nextTurn();
			if (isDone) return await work;
			const first = Math.min(...this.#waiting.map(({ at }) => at));
			const next = this.#waiting.find(({ at }) => at === first);
			if (!next) throw new Error('The work waits for something other than time.');
			if (next.at > latest) throw new Error('The work waits for more than a day.');
			this.#waiting = this.#waiting.filter((entry) => entry !== next);
			this.#now = Math.max(this.#now, next.at);
			next.resume();
		}
	}
}
