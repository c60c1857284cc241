/** Lets no more than so many pieces of work be under way at once; the others begin in their order. */
export class AtOnce {
	private readonly waiting: Array<() => void> = [];

	constructor(private places: number) {}

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
	async free(): Promise<void> {
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
