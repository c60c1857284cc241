import { chunk } from '../common/chunk';

/** The entries of one workflow or node in n8n's deduplication store. */
export interface Entries {
	/** Records entries, and returns those that were not there before. */
	record(entries: string[]): Promise<ReadonlySet<string>>;
	remove(entries: string[]): Promise<void>;
}

/** n8n's deduplication store, shared with other executions. */
export interface Store {
	/**
	 * Runs one or several accesses to the entries. Other executions of the same node wait for their
	 * end, in any process; so do those of the workflow's other nodes, but only in this process.
	 */
	runExclusive<Result>(access: (entries: Entries) => Promise<Result>): Promise<Result>;
}

/** How many entries to remove at once: n8n is blocked while it searches for them. */
const maxEntriesPerRemoval = 200;

/** Removes entries in order, some at a time. @throws when the store fails */
export async function removeInChunks(entries: Entries, obsolete: readonly string[]): Promise<void> {
	for (const some of chunk(obsolete, maxEntriesPerRemoval)) await entries.remove(some);
}

/** What an entry was recorded for. */
type Purpose =
	/** To keep it, unless the access fails. */
	| 'claim'
	/** To keep it, because others may rely on it. */
	| 'order'
	/** To find out whether it existed, or it turned out not to be needed. */
	| 'question';

/** One access to the store, which knows what it has added. */
export class Access {
	/** The purpose of every entry that was new, in order. */
	private readonly added = new Map<string, Purpose>();

	/** Whether the last record succeeded: otherwise it may have added anything. */
	private isCertain = true;

	constructor(private readonly entries: Entries) {}

	/** Records entries, and returns those that were new. @throws when the store fails */
	async add(wanted: readonly string[], purpose: Purpose): Promise<ReadonlySet<string>> {
		// n8n may keep both of two equal entries that are recorded at once.
		const unique = [...new Set(wanted)];
		this.isCertain = false;
		const added = await this.entries.record(unique);
		this.isCertain = true;
		for (const entry of unique) if (added.has(entry)) this.added.set(entry, purpose);
		return added;
	}

	/**
	 * Asks which entries exist. The store can only record: those that did not exist are removed at the
	 * end, the last questions first.
	 *
	 * @throws when the store fails
	 */
	async ask(wanted: readonly string[]): Promise<(entry: string) => boolean> {
		if (wanted.length === 0) return () => false;
		const added = await this.add(wanted, 'question');
		const asked = new Set(wanted);
		return (entry) => asked.has(entry) && !added.has(entry);
	}

	/** Whether an entry was new. */
	isNew(entry: string): boolean {
		return this.added.has(entry);
	}

	/** Removes an entry at the end, if it was new. */
	drop(entry: string): void {
		if (this.isNew(entry)) this.added.set(entry, 'question');
	}

	/** What to remove at the end. */
	get obsolete(): string[] {
		return this.addedFor(['question']);
	}

	/**
	 * What to remove so that everything is as before. After a failed record, only claims: an entry
	 * that it may have added must not outlive the one that shows what it means.
	 */
	get undo(): string[] {
		return this.addedFor(this.isCertain ? ['question', 'order', 'claim'] : ['claim']);
	}

	private addedFor(purposes: readonly Purpose[]): string[] {
		const found = [...this.added].filter(([, purpose]) => purposes.includes(purpose));
		return found.map(([entry]) => entry).reverse();
	}
}
