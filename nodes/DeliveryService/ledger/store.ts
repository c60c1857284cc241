/** n8n's deduplication store as a list of entries: one access at a time, under a lock across processes. */
import { randomUUID } from 'crypto';
import type { DeduplicationScope, ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { realClock, type Clock } from '../common/clock';
import { chunk } from '../common/data';

/** The entries of a workflow in n8n's deduplication store, which can't list them. */
export interface Entries {
	/** Records entries, and returns those that were not there before. */
	record(entries: string[]): Promise<ReadonlySet<string>>;
	remove(entries: string[]): Promise<void>;
}

/**
 * Runs accesses to the entries. Other executions of the same node wait for their end, in any process;
 * so do those of the workflow's other nodes, but only in this process.
 */
export type Store = <Result>(access: (entries: Entries) => Promise<Result>) => Promise<Result>;

type Row = readonly [DeduplicationScope, ICheckProcessedOptions];

/**
 * Shared by all nodes of a workflow, so that one node can allow what another has sent. There is room for
 * 20,000 whole orders of up to five entries, or 10,000 fulfillment orders of three units with up to ten,
 * each in an order of its own: n8n reads and writes all, and drops the oldest first.
 */
const inWorkflow: Row = ['workflow', { mode: 'entries', maxEntries: 100_000 }];

/** One lock per node: n8n provides none per workflow. */
const inNode: Row = ['node', { mode: 'entries' }];

/** What the store needs of n8n. */
export type StoreContext = Pick<IExecuteFunctions, 'getWorkflow' | 'getExecutionCancelSignal'> & {
	helpers: Pick<
		IExecuteFunctions['helpers'],
		'checkProcessedAndRecord' | 'removeProcessed' | 'clearAllProcessedItems'
	>;
};

/** The ends of the last accesses, by workflow: in one process, executions need no database lock. */
const ends = new Map<string, Promise<void>>();

async function runInQueue<Result>(
	context: StoreContext,
	access: () => Promise<Result>,
): Promise<Result> {
	const workflow = context.getWorkflow().id ?? '';
	const result = (ends.get(workflow) ?? Promise.resolve()).then(access);
	const end = () => undefined;
	ends.set(workflow, result.then(end, end));
	return await result;
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
	const record = async (wanted: string[], where: Row) => {
		const { new: added } = await helpers.checkProcessedAndRecord(wanted, ...where);
		return new Set(added.map(String));
	};
	const entries: Entries = {
		record: async (wanted) => await record(wanted, inWorkflow),
		remove: async (unwanted) => await helpers.removeProcessed(unwanted, ...inWorkflow),
	};
	const lock: Lock = {
		async tryAcquire(mark) {
			const added = await record(['held', mark], inNode);
			if (added.has('held')) return 'acquired';
			return added.has(mark) ? 'newHolder' : 'sameHolder';
		},
		release: async () => await helpers.clearAllProcessedItems(...inNode),
	};
	const signal = context.getExecutionCancelSignal();
	const options = { clock: realClock, random: Math.random, signal };
	return async (work) =>
		await runInQueue(context, async () => await withLock(lock, entries, work, options));
}

/** Removes every entry of the workflow. */
export async function clearStore(context: StoreContext): Promise<void> {
	const { helpers } = context;
	await runInQueue(context, async () => await helpers.clearAllProcessedItems(...inWorkflow));
}

/** The store is not reliable, or not in time. `messages/` words why. */
export class StoreError extends Error {
	constructor(readonly code: 'tooSlow' | 'stopped') {
		super(code);
	}
}

/** A lock across processes: one of them has it until someone releases it. */
export interface Lock {
	/**
	 * Acquires the lock if it is free. Otherwise adds a mark that lasts as long as the current holder
	 * has the lock: if the mark is already there, the holder has not changed since the last attempt.
	 *
	 * Rejects when another process was faster, or when the lock is not available.
	 */
	tryAcquire(mark: string): Promise<'acquired' | 'newHolder' | 'sameHolder'>;
	/** Frees the lock, whoever has it. */
	release(): Promise<void>;
}

/** `random` returns a number from 0 up to 1; `signal` is aborted when the execution is stopped. */
type LockOptions = { clock: Clock; random: () => number; signal?: AbortSignal };

/** The average pause between attempts to acquire a lock, and the longest: for a crashed holder. */
const pauseMs = 20;
const maxPauseMs = 1000;

/** How long a holder may start accesses, and the longest that one is expected to take. */
const maxHoldMs = 60_000;
const maxAccessMs = 120_000;

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
		if (!isWithin(ms)) throw new StoreError('tooSlow');
	};
	try {
		assertWithin(maxHoldMs);
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
		// By then, it may be another's. If the release fails, the lock expires, which takes minutes.
		const release = async () => (isWithin(maxWorkMs) ? await lock.release() : undefined);
		await retry(options.clock, release).catch(() => undefined);
	}
}

async function acquire(lock: Lock, { clock, random, signal }: LockOptions): Promise<IsWithin> {
	const mark = randomUUID();
	// Processes that wait for a crashed holder must not all release the lock at once: the second
	// would take it away from the one that has just acquired it.
	const expiryMs = leaseMs * (1 + random() / 5);
	// Measured in pauses: a clock that is changed must neither free nor block a lock, and a database
	// that stalls for everyone must not make a holder look crashed.
	let sameHolderMs = 0;
	let failures = 0;
	for (;;) {
		const started = clock.now();
		const attempt = lock.tryAcquire(mark);
		const found =
			failures < maxConsecutiveFailures ? await attempt.catch(() => undefined) : await attempt;
		if (found === 'acquired')
			return (ms) => {
				const heldMs = clock.now() - started;
				// The system clock is regularly set back a little.
				return heldMs > -1000 && heldMs <= ms;
			};
		failures = found === undefined ? failures + 1 : 0;
		if (found === 'newHolder') sameHolderMs = 0;
		if (found === 'sameHolder' && sameHolderMs >= expiryMs) await lock.release();
		const pause = Math.min(Math.max(pauseMs, sameHolderMs / 10), maxPauseMs) * (0.5 + random());
		await clock.wait(pause);
		sameHolderMs += pause;
		// After a short wait, a stopped execution can still record what it created.
		if (sameHolderMs >= 10_000 && signal?.aborted) throw new StoreError('stopped');
	}
}

/** Tries an access again after a hiccup, up to three times. @throws when the last attempt fails */
async function retry<Result>(
	clock: Clock,
	access: () => Promise<Result>,
	onFailure?: () => void,
): Promise<Result> {
	for (let attempt = 1; attempt <= 3; attempt++)
		try {
			return await access();
		} catch {
			onFailure?.();
			await clock.wait(500 * attempt);
		}
	return await access();
}

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
