import type { Clock } from '../../nodes/DeliveryService/shared/clock';

/** How long, in real milliseconds, nothing must have happened before time jumps. */
const quietMs = 3;

/**
 * A clock that stands still while something is under way, and else jumps to the next moment that
 * somebody waits for: an hour of waiting takes milliseconds.
 */
export class VirtualClock implements Clock {
	#now = Date.UTC(2026, 0, 1);
	#underWay = 0;
	#waiting: Array<{ at: number; resume: () => void }> = [];
	#jumping = false;

	now(): number {
		return this.#now;
	}

	/** Moves the time on, as if so many milliseconds had passed. */
	jump(ms: number): void {
		this.#now += ms;
	}

	/** Holds the time while work that takes real time, such as a request, is under way. */
	async during<Result>(work: () => Promise<Result>): Promise<Result> {
		this.#underWay++;
		try {
			return await work();
		} finally {
			this.#underWay--;
		}
	}

	async wait(ms: number, signal?: AbortSignal): Promise<void> {
		await new Promise<void>((resume) => {
			this.#waiting.push({ at: this.#now + ms, resume });
			signal?.addEventListener('abort', () => resume(), { once: true });
			this.#jumpSoon();
		});
	}

	#jumpSoon(): void {
		if (this.#jumping) return;
		this.#jumping = true;
		setTimeout(() => {
			this.#jumping = false;
			if (this.#waiting.length === 0) return;
			if (this.#underWay === 0) {
				this.#now = Math.max(this.#now, Math.min(...this.#waiting.map(({ at }) => at)));
				const due = this.#waiting.filter(({ at }) => at <= this.#now);
				this.#waiting = this.#waiting.filter(({ at }) => at > this.#now);
				for (const { resume } of due) resume();
			}
			this.#jumpSoon();
		}, quietMs);
	}
}
