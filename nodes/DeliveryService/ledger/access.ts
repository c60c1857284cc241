/** One access to the store: what it adds, asks for and removes, and how that is undone. */
import type { Clock } from '../common/clock';
import { chunk } from '../common/data';
import { retry } from './retry';
import type { Entries } from './store';

/** Why an entry was recorded: to send a delivery, for other claims to rely on, or to ask whether it exists. */
export type Purpose = 'claim' | 'shared' | 'question';

/** How many entries to remove at once: n8n is blocked while it searches for them. */
const maxEntriesPerRemoval = 200;

/** One access to the store, which knows what it has added. */
export class Access {
	/** The purpose of every entry that was new, in order. */
	private readonly added = new Map<string, Purpose>();

	/** Whether a record has failed: it may have added anything. */
	private isUncertain = false;

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
		const added = await (purpose === 'question' ? record() : this.retry(record));
		this.confirmed.splice(0, length);
		// What this access has added before gets the new purpose.
		for (const entry of wanted)
			if (added.has(entry) || this.isNew(entry)) this.added.set(entry, purpose);
		return added;
	}

	/**
	 * Records entries of a claim that no other access can have recorded: if that fails, those that it may
	 * have recorded are removed with the claim.
	 */
	async addOwn(own: readonly string[]): Promise<void> {
		for (const entry of own) this.added.set(entry, 'claim');
		await this.add(own, 'claim');
	}

	/** Returns which of some entries exist. The store can only record, so the others are removed later. */
	async ask(wanted: readonly string[]): Promise<Set<string>> {
		await this.add(wanted, 'question');
		return new Set(wanted.filter((entry) => !this.isNew(entry)));
	}

	/** Whether an entry was new to this access. */
	isNew(entry: string): boolean {
		return this.added.has(entry);
	}

	/** Changes the purpose of those entries that were new. */
	setPurpose(entries: readonly string[], purpose: Purpose): void {
		for (const entry of entries) if (this.isNew(entry)) this.added.set(entry, purpose);
	}

	/**
	 * Removes the entries that were added for some purposes, the last ones first. When a record failed, the
	 * shared ones stay: what it may have added must not outlive the entry that gives it a meaning.
	 */
	async undo(purposes: readonly Purpose[]): Promise<void> {
		const found = [...this.added].filter(
			([, purpose]) => purposes.includes(purpose) && !(this.isUncertain && purpose === 'shared'),
		);
		await this.remove(found.map(([entry]) => entry).reverse());
	}

	/** Removes entries in order. @throws when the store fails */
	async remove(obsolete: readonly string[]): Promise<void> {
		for (const some of chunk(obsolete, maxEntriesPerRemoval))
			await this.retry(async () => await this.entries.remove(some));
	}

	private async retry<Result>(access: () => Promise<Result>): Promise<Result> {
		return await retry(this.clock, access, () => (this.isUncertain = true));
	}
}
