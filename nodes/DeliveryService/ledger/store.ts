/** n8n's deduplication store as a list of entries: one access at a time, also across processes. */
import type { DeduplicationScope, ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { realClock } from '../common/clock';
import { withLock, type Lock } from './lock';

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
