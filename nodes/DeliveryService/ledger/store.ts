import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { realClock, type Clock } from '../common/clock';
import { chunk } from '../common/data';

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

/**
 * The maximum number of entries of a workflow: more than 20,000 orders of three, or 10,000 fulfillment
 * orders of three units with seven. n8n reads and writes all, and drops the oldest first.
 */
const maxEntries = 73_000;

/** Shared by all nodes of a workflow, so that one node can allow what another has sent. */
const storeScope = 'workflow';
const storeOptions = { mode: 'entries', maxEntries } as const;

/** One lock per node: n8n provides none per workflow. */
const lockScope = 'node';
const lockOptions = { mode: 'entries' } as const;

/** The entry whose insertion acquires the lock. */
const lockEntry = 'held';

/** What the store needs of n8n. */
type StoreContext = Pick<IExecuteFunctions, 'getWorkflow' | 'getExecutionCancelSignal'> & {
	helpers: Pick<
		IExecuteFunctions['helpers'],
		'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems'
	>;
};

/** Executions of a workflow in this process are queued in memory, without a database lock. */
const lastAccesses = new Map<string, Promise<unknown>>();

async function runInQueue<Result>(
	context: Pick<StoreContext, 'getWorkflow'>,
	access: () => Promise<Result>,
): Promise<Result> {
	const workflow = context.getWorkflow().id ?? '';
	const result = (lastAccesses.get(workflow) ?? Promise.resolve()).then(access, access);
	lastAccesses.set(workflow, result);
	try {
		return await result;
	} finally {
		if (lastAccesses.get(workflow) === result) lastAccesses.delete(workflow);
	}
}

/**
 * Opens n8n's deduplication store in its database, for the current workflow.
 *
 * n8n reads and writes all entries of the workflow at once and without a lock, so that one process
 * could overwrite what another has just written. But the first entry for a node is an insertion that
 * can only succeed in one process, and serves as the lock.
 */
export function openWorkflowStore(context: StoreContext): Store {
	const { helpers } = context;
	const record = async (wanted: string[], scope: 'node' | 'workflow') => {
		const options = scope === lockScope ? lockOptions : storeOptions;
		const { new: added } = await helpers.checkProcessedAndRecord(wanted, scope, options);
		return new Set(added.map(String));
	};
	const entries: Entries = {
		record: async (wanted) => await record(wanted, storeScope),
		async remove(unwanted) {
			await helpers.removeProcessed(unwanted, storeScope, storeOptions);
		},
	};
	const lock: Lock = {
		async tryAcquire(mark) {
			const added = await record([lockEntry, mark], lockScope);
			if (added.has(lockEntry)) return 'acquired';
			return added.has(mark) ? 'newHolder' : 'sameHolder';
		},
		async release() {
			await helpers.clearAllProcessedItems(lockScope, lockOptions);
		},
	};
	const signal = context.getExecutionCancelSignal();
	const options = { clock: realClock, random: Math.random, signal };
	return {
		runExclusive: async (work) =>
			await runInQueue(
				context,
				async () => await withLock(lock, entries, work, { ...options, mark: randomUUID() }),
			),
	};
}

/** Removes every entry of the workflow. */
export async function clearStore(context: StoreContext): Promise<void> {
	await runInQueue(
		context,
		async () => await context.helpers.clearAllProcessedItems(storeScope, storeOptions),
	);
}

/** A lock across processes: one of them has it until someone releases it. */
export interface Lock {
	/**
	 * Acquires the lock if it is free. Otherwise adds a mark that lasts as long as the current holder
	 * has the lock: if the mark is already there, the holder has not changed since the last attempt.
	 * The holder's own mark is there from the start.
	 *
	 * Rejects when another process was faster, or when the lock is not available.
	 */
	tryAcquire(mark: string): Promise<'acquired' | 'newHolder' | 'sameHolder'>;
	/** Frees the lock, whoever has it. */
	release(): Promise<void>;
}

/** What the use of a lock needs. */
export interface LockOptions {
	/** Unique among everyone who uses the lock. */
	mark: string;
	clock: Clock;
	/** Returns a random number from 0 up to 1. */
	random: () => number;
	/** Aborted when the execution is stopped. */
	signal?: AbortSignal;
}

/** The average pause before the next attempt to acquire a lock. */
const pauseMs = 20;

/** The longest pause: a crashed holder blocks the lock for minutes. */
const maxLockPauseMs = 1000;

/** The longest that one access to n8n's database is expected to take; usually it is milliseconds. */
const maxAccessMs = 120_000;

/** Waiting longer than this ends when the execution is stopped. */
const longWaitMs = 10_000;

/** How long a holder may start accesses. */
const maxHoldMs = 60_000;

/** Until when a holder certainly has the lock, and may release it: the end of its last access. */
const maxWorkMs = maxHoldMs + maxAccessMs;

/**
 * The lease: a holder ends its work and releases the lock before, even if it stalls in both. A holder
 * that is still at work after it could overwrite what others record: n8n's store accepts late writes.
 */
export const leaseMs = maxWorkMs + maxAccessMs;

/**
 * After this many consecutive failures, the lock counts as not available. Losing a race is followed
 * by an attempt that finds the lock taken: only a broken database keeps failing.
 */
const maxConsecutiveFailures = 10;

/** How often to try to release a lock: it would block everyone for minutes. */
const maxReleaseAttempts = 3;

/** How far the system clock may be set back unnoticed, as it regularly is. */
const toleranceMs = 1000;

/** Whether a lock certainly was acquired at most this long ago: a clock that was set back can't tell. */
type IsWithin = (ms: number) => boolean;

/**
 * Runs work with entries while no other process runs any under the same lock. A process whose lease
 * has expired counts as crashed: if it is still alive, its work is rejected.
 *
 * @throws what the work throws; or an error when the lock is not available or was lost, so that the
 *   result of the work can't be relied on
 */
export async function withLock<Result>(
	lock: Lock,
	entries: Entries,
	work: (entries: Entries) => Promise<Result>,
	options: LockOptions,
): Promise<Result> {
	const isWithin = await acquire(lock, options);
	const assertWithin = (ms: number) => {
		if (!isWithin(ms)) throw new Error("n8n's database was too slow");
	};
	try {
		const result = await work({
			async record(wanted) {
				assertWithin(maxHoldMs);
				return await entries.record(wanted);
			},
			async remove(unwanted) {
				assertWithin(maxHoldMs);
				await entries.remove(unwanted);
			},
		});
		assertWithin(maxWorkMs);
		return result;
	} finally {
		await release(lock, isWithin, options.clock);
	}
}

/** Releases a lock unless it may be another's by the time. Then, or if this fails, it expires. */
async function release(lock: Lock, isWithin: IsWithin, clock: Clock): Promise<void> {
	for (let attempt = 1; attempt <= maxReleaseAttempts && isWithin(maxWorkMs); attempt++)
		try {
			return await lock.release();
		} catch {
			await clock.wait(500);
		}
}

async function acquire(
	lock: Lock,
	{ mark, clock, random, signal }: LockOptions,
): Promise<IsWithin> {
	// Processes that wait for a crashed holder must not all release the lock at once: the second
	// would take it away from the one that has just acquired it.
	const expiryMs = leaseMs * (1 + random() / 5);
	// Measured in pauses: a clock that is changed must neither free nor block a lock, and a database
	// that stalls for everyone must not make a holder look crashed.
	let sameHolderMs = 0;
	let failures = 0;
	for (;;) {
		const started = clock.now();
		const isWithin: IsWithin = (ms) => {
			const heldMs = clock.now() - started;
			return heldMs > -toleranceMs && heldMs <= ms;
		};
		const attempt = lock.tryAcquire(mark);
		const found =
			failures < maxConsecutiveFailures ? await attempt.catch(() => undefined) : await attempt;
		if (found === 'acquired') {
			if (isWithin(maxHoldMs)) return isWithin;
			await release(lock, isWithin, clock);
		}
		failures = found === undefined ? failures + 1 : 0;
		if (found === 'newHolder') sameHolderMs = 0;
		if (found === 'sameHolder' && sameHolderMs >= expiryMs) await lock.release();
		const pause = Math.min(Math.max(pauseMs, sameHolderMs / 10), maxLockPauseMs) * (0.5 + random());
		await clock.wait(pause);
		sameHolderMs += pause;
		if (sameHolderMs >= longWaitMs && signal?.aborted) throw new Error('the execution was stopped');
	}
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
const maxAccessAttempts = 4;
const accessPauseMs = 500;

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
		for (let attempt = 1; attempt < maxAccessAttempts; attempt++)
			try {
				return await work();
			} catch {
				this.isCertain = false;
				await this.clock.wait(accessPauseMs * attempt);
			}
		return await work();
	}
}
