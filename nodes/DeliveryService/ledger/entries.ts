import { chunk } from '../common/data';
import type { Clock } from '../common/clock';

/** The entries of one workflow or node in n8n's deduplication store. It can't list them. */
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

/** What an entry was recorded for. */
type Purpose =
	/** To send a delivery. */
	| 'claim'
	/** To stay, because others may rely on it. */
	| 'order'
	/** To find out whether it existed, or it turned out not to be needed. */
	| 'question';

/** How often to try an access, and the pause between: after a hiccup, nothing should be unknown. */
const maxAttempts = 4;
const pauseMs = 500;

/** How many entries to remove at once: n8n is blocked while it searches for them. */
const maxEntriesPerRemoval = 200;

/** One access to the store, which knows what it has added. */
export class Access {
	/** The purpose of every entry that was new, in order. */
	private readonly added = new Map<string, Purpose>();

	/** Whether no record has failed: otherwise it may have added anything. */
	private isCertain = true;

	/** @param confirmed entries that the next record adds as well, and then removes from this list */
	constructor(
		private readonly entries: Entries,
		private readonly clock: Clock,
		private readonly confirmed: string[],
	) {}

	/** Records entries, and returns those that were new. @throws when the store fails */
	async add(wanted: readonly string[], purpose: Purpose): Promise<ReadonlySet<string>> {
		const { length } = this.confirmed;
		// n8n may keep both of two equal entries that are recorded at once.
		const unique = [...new Set([...this.confirmed, ...wanted])];
		if (unique.length === 0) return new Set();
		const record = async () => await this.entries.record(unique);
		// To a question that may have been recorded, the answer would always be yes.
		const added = await (purpose === 'question' ? record() : this.attempt(record));
		this.confirmed.splice(0, length);
		for (const entry of wanted) if (added.has(entry)) this.added.set(entry, purpose);
		return added;
	}

	/** Returns which of some entries exist. The store can only record, so the others are removed later. */
	async ask(wanted: readonly string[]): Promise<Set<string>> {
		const added = await this.add(wanted, 'question');
		return new Set(wanted.filter((entry) => !added.has(entry)));
	}

	/** Whether an entry was new. */
	isNew(entry: string): boolean {
		return this.added.has(entry);
	}

	/** Removes an entry at the end, if it was new. */
	drop(entry: string): void {
		if (this.isNew(entry)) this.added.set(entry, 'question');
	}

	/**
	 * Removes the entries that were added for some purposes, the last ones first. When a record failed,
	 * those of orders stay: what it may have added must not outlive the entry that gives it a meaning.
	 */
	async undo(...purposes: readonly Purpose[]): Promise<void> {
		const found = [...this.added].filter(
			([, purpose]) => purposes.includes(purpose) && (this.isCertain || purpose !== 'order'),
		);
		await this.remove(found.map(([entry]) => entry).reverse());
	}

	/** Removes entries in order. @throws when the store fails */
	async remove(obsolete: readonly string[]): Promise<void> {
		for (const some of chunk(obsolete, maxEntriesPerRemoval))
			await this.attempt(async () => await this.entries.remove(some));
	}

	private async attempt<Result>(work: () => Promise<Result>): Promise<Result> {
		for (let attempt = 1; attempt < maxAttempts; attempt++)
			try {
				return await work();
			} catch {
				this.isCertain = false;
				await this.clock.wait(pauseMs * attempt);
			}
		return await work();
	}
}
