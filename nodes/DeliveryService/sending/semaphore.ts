/**
 * Limits how many tasks run at once; the others start in the order in which they were passed. Until
 * more are allowed, only one task runs at a time.
 */
export class Semaphore {
	private readonly waiting: Array<() => void> = [];

	private slots = 1;

	private freeSlots = 1;

	/** Allows this many concurrent tasks from now on, unless more are allowed already. */
	allow(maxConcurrent: number): void {
		for (; this.slots < maxConcurrent; this.slots++) this.release();
	}

	/** Runs a task as soon as there is a free slot. */
	async run<Result>(task: () => Promise<Result>): Promise<Result> {
		await this.acquire();
		try {
			return await task();
		} finally {
			this.release();
		}
	}

	/** Resolves when a new task could start immediately. */
	async whenFree(): Promise<void> {
		await this.acquire();
		this.release();
	}

	private async acquire(): Promise<void> {
		if (this.freeSlots === 0) await new Promise<void>((start) => this.waiting.push(start));
		else this.freeSlots--;
	}

	/** Passes the slot to the next waiting task, if any. */
	private release(): void {
		const start = this.waiting.shift();
		if (start) start();
		else this.freeSlots++;
	}
}
