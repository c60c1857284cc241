/**
 * Limits how many tasks run at once; the others start in the order in which they were passed. Until
 * it is opened, only one task runs at a time.
 */
export class Semaphore {
	private readonly waiting: Array<() => void> = [];

	private freeSlots = 1;

	private isOpen = false;

	constructor(private readonly maxConcurrent: number) {}

	/** Allows the maximum number of concurrent tasks from now on. */
	open(): void {
		if (this.isOpen) return;
		this.isOpen = true;
		for (let slots = 1; slots < this.maxConcurrent; slots++) this.release();
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
