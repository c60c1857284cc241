/**
 * Lets no more than so many pieces of work be under way at once; the others begin in their order. Until
 * it is opened there is one at a time.
 */
export class Semaphore {
	private readonly waiting: Array<() => void> = [];

	private places = 1;

	private isOpen = false;

	constructor(private readonly most: number) {}

	/** Lets as many begin as may. */
	open(): void {
		if (this.isOpen) return;
		this.isOpen = true;
		for (let opened = 1; opened < this.most; opened++) this.end();
	}

	/** Does a piece of work when it is its turn. */
	async run<Result>(work: () => Promise<Result>): Promise<Result> {
		await this.turn();
		try {
			return await work();
		} finally {
			this.end();
		}
	}

	/** Resolves when a piece of work that came now could begin. */
	async whenFree(): Promise<void> {
		await this.turn();
		this.end();
	}

	private async turn(): Promise<void> {
		if (this.places === 0) await new Promise<void>((begin) => this.waiting.push(begin));
		else this.places--;
	}

	/** Leaves the place to whoever waits for one. */
	private end(): void {
		const begin = this.waiting.shift();
		if (begin) begin();
		else this.places++;
	}
}
