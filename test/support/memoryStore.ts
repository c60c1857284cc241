import type { Clock } from '../../nodes/DeliveryService/common/clock';
import type { Entries, Store } from '../../nodes/DeliveryService/ledger/store';
import type { Lock } from '../../nodes/DeliveryService/ledger/lock';

/** The duration of an access in milliseconds: before reading, between reading and writing, and after. */
export interface AccessTimes {
	before: number;
	between: number;
	after: number;
}

/** Accesses that take no time. */
export const noTime: AccessTimes = { before: 0, between: 0, after: 0 };

/** A database row of entries that several processes share. */
export interface Row {
	entries: ReadonlySet<string>;
}

/**
 * The store of one process. Each access reads and rewrites the whole row without a lock, as in n8n's
 * deduplication store. Executions of the same process take turns.
 */
export function memoryStore(row: Row, clock: Clock, times = () => noTime): Store {
	return storeOf(entriesOf(row, clock, times));
}

/** A store that lets the executions of one process access its entries in turn. */
export function storeOf(entries: Entries): Store {
	let lastTurn: Promise<unknown> = Promise.resolve();
	return async (access) => {
		const work = async () => await access(entries);
		const turn = lastTurn.then(work, work);
		lastTurn = turn;
		return await turn;
	};
}

/** The accesses without turns. */
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

/** The row of a lock that several processes share: its marks, or undefined while it is free. */
export interface LockRow {
	marks?: ReadonlySet<string>;
}

/**
 * The lock of one process, as built on n8n's deduplication store: the insertion of its row acquires it,
 * and fails if another process was faster. A mark in an acquired lock overwrites concurrent marks.
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
