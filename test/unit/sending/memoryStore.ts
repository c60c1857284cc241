import type { Clock } from '../../../nodes/DeliveryService/sending/clock';
import type { Store } from '../../../nodes/DeliveryService/sending/ledger';

/** How long an access takes before it reads, between reading and writing, and until it returns. */
export interface AccessTimes {
	before: number;
	between: number;
	after: number;
}

/** A database row of entries, as several processes see it. */
export interface Row {
	entries: ReadonlySet<string>;
}

/**
 * A process's way to a row of entries: each access reads all of them and writes all of them back,
 * without a lock, as n8n's de-duplication store does.
 */
export function memoryStore(row: Row, clock: Clock, times: () => AccessTimes): Store {
	async function access<Result>(work: (entries: Set<string>) => Result): Promise<Result> {
		const { before, between, after } = times();
		await clock.wait(before);
		const entries = new Set(row.entries);
		await clock.wait(between);
		const result = work(entries);
		row.entries = entries;
		await clock.wait(after);
		return result;
	}
	return {
		record: async (wanted) =>
			await access((entries) => {
				const fresh = new Set(wanted.filter((entry) => !entries.has(entry)));
				for (const entry of wanted) entries.add(entry);
				return fresh;
			}),
		remove: async (unwanted) =>
			await access((entries) => {
				for (const entry of unwanted) entries.delete(entry);
			}),
	};
}
