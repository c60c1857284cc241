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
export const maxEntriesPerRemoval = 200;

/** Removes entries in order, some at a time. @throws when the store fails */
export async function removeInChunks(entries: Entries, obsolete: string[]): Promise<void> {
	for (const some of chunk(obsolete, maxEntriesPerRemoval)) await entries.remove(some);
}
