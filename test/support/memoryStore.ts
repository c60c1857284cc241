import type { Clock } from '../../nodes/DeliveryService/common/clock';
import type { Entries, Store } from '../../nodes/DeliveryService/deduplication/ledger';
import type { Lock } from '../../nodes/DeliveryService/deduplication/lock';

/** How long an access takes before it reads, between reading and writing, and until it returns. */
export interface AccessTimes {
	before: number;
	between: number;
	after: number;
}

/** Accesses that take no time. */
export const noTime: AccessTimes = { before: 0, between: 0, after: 0 };

/** A database row of entries, as several processes see it. */
export interface Row {
	entries: ReadonlySet<string>;
}

/**
 * A process's way to a row of entries: each access reads all of them and writes all of them back,
 * without a lock, as n8n's de-duplication store does. The process itself takes turns.
 */
export function memoryStore(row: Row, clock: Clock, times = () => noTime): Store {
	return storeOf(entriesOf(row, clock, times));
}

/** Entries as one process accesses them, one execution after the other. */
export function storeOf(entries: Entries): Store {
	let lastTurn: Promise<unknown> = Promise.resolve();
	return {
		async runExclusive(access) {
			const work = async () => await access(entries);
			const mine = lastTurn.then(work, work);
			lastTurn = mine;
			return await mine;
		},
	};
}

/** The accesses by themselves. */
export function entriesOf(row: Row, clock: Clock, times: () => AccessTimes): Entries {
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

/** The row of a lock, as several processes see it: the marks in it, or undefined while nobody holds it. */
export interface LockRow {
	marks?: ReadonlySet<string>;
}

/**
 * A process's way to a lock, as n8n's de-duplication store makes one: it is acquired by an insertion
 * that fails when another was faster; a mark in a held one is written over what was read.
 */
export function memoryLock(row: LockRow, clock: Clock, times: () => AccessTimes): Lock {
	return {
		async tryAcquire(mark) {
			const { before, between, after } = times();
			await clock.wait(before);
			const { marks } = row;
			await clock.wait(between);
			if (marks === undefined && row.marks !== undefined) throw new Error('duplicate key');
			if (marks === undefined || row.marks !== undefined) row.marks = new Set(marks).add(mark);
			await clock.wait(after);
			if (marks === undefined) return 'acquired';
			return marks.has(mark) ? 'sameHolder' : 'newHolder';
		},
		async release() {
			const { before, after } = times();
			await clock.wait(before);
			row.marks = undefined;
			await clock.wait(after);
		},
	};
}
