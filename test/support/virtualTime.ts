import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../nodes/DeliveryService/shared/clock';

/**
 * Time for tests without input or output: it stands still until everybody waits, then jumps to the
 * first moment that somebody waits for. Those that wait for the same moment go on in order.
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
			const entry = { at: this.#now + ms, resume: resolve };
			this.#waiting.push(entry);
			signal?.addEventListener('abort', () => {
				this.#waiting = this.#waiting.filter((other) => other !== entry);
				resolve();
			});
		});
	}

	/** Lets time pass until the work is done. */
	async until<Result>(work: Promise<Result>): Promise<Result> {
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
			if (!next) throw new Error('The work waits for something that is not time.');
			this.#waiting = this.#waiting.filter((entry) => entry !== next);
			this.#now = Math.max(this.#now, next.at);
			next.resume();
		}
	}
}
