import { setImmediate as nextTurn } from 'node:timers/promises';

import type { Clock } from '../../nodes/DeliveryService/common/clock';

/**
 * Time for tests: it stands still until everybody waits, then jumps to the first moment that
 * somebody waits for. Those that wait for the same moment go on in order.
 */
export class VirtualTime implements Clock {
	#now = Date.UTC(2026, 0, 1);
	readonly #underWay = new Set<Promise<unknown>>();
	#waiting: Array<{ at: number; resume: () => void }> = [];

	now(): number {
		return this.#now;
	}

	async wait(ms: number, signal?: AbortSignal): Promise<void> {
		if (signal?.aborted) return;
		await new Promise<void>((resolve) => {
			const giveUp = () => {
				this.#waiting = this.#waiting.filter((other) => other !== entry);
				resolve();
			};
			const resume = () => {
				signal?.removeEventListener('abort', giveUp);
				resolve();
			};
			const entry = { at: this.#now + ms, resume };
			this.#waiting.push(entry);
			signal?.addEventListener('abort', giveUp, { once: true });
		});
	}

	/** Moves the time on, as if so many milliseconds had passed. */
	jump(ms: number): void {
		this.#now += ms;
	}

	/** Holds the time while work that takes real time, such as a request, is under way. */
	async during<Result>(work: () => Promise<Result>): Promise<Result> {
		const mine = work();
		this.#underWay.add(mine);
		try {
			return await mine;
		} finally {
			this.#underWay.delete(mine);
		}
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
			if (this.#underWay.size > 0) {
				await Promise.race(this.#underWay).catch(() => undefined);
				continue;
			}
			const first = Math.min(...this.#waiting.map(({ at }) => at));
			const next = this.#waiting.find(({ at }) => at === first);
			if (!next) throw new Error('The work waits for something that is not time.');
			this.#waiting = this.#waiting.filter((entry) => entry !== next);
			this.#now = Math.max(this.#now, next.at);
			next.resume();
		}
	}
}
