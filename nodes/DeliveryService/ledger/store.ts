import { randomUUID } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { realClock } from '../common/clock';
import type { Entries, Store } from './access';
import { whileHeld, withLock, type Lock } from './lock';

/**
 * The maximum number of entries of a workflow: more than 20,000 orders with three entries each, or
 * 10,000 fulfillment orders of three units with seven. The oldest are dropped first. n8n reads and
 * writes all of them, some 27 bytes each, at every access.
 */
const maxEntries = 73_000;

const storeOptions = { mode: 'entries', maxEntries } as const;

/** Shared by all nodes of a workflow, so that one node can allow what another has sent. */
const storeScope = 'workflow';

/** One lock per node: n8n provides none per workflow. */
const lockScope = 'node';

const lockOptions = { mode: 'entries' } as const;

/** The entry whose insertion acquires the lock. */
const lockEntry = 'held';

/** Executions of a workflow in this process are queued in memory, without a database lock. */
const lastAccesses = new Map<string, Promise<unknown>>();

async function runInQueue<Result>(
	context: IExecuteFunctions,
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
export function openWorkflowStore(context: IExecuteFunctions): Store {
	const { helpers } = context;
	const entries: Entries = {
		async record(wanted) {
			const { new: added } = await helpers.checkProcessedAndRecord(
				wanted,
				storeScope,
				storeOptions,
			);
			return new Set(added.map(String));
		},
		async remove(unwanted) {
			await helpers.removeProcessed(unwanted, storeScope, storeOptions);
		},
	};
	const lock: Lock = {
		async tryAcquire(mark) {
			const { new: added } = await helpers.checkProcessedAndRecord(
				[lockEntry, mark],
				lockScope,
				lockOptions,
			);
			if (added.includes(lockEntry)) return 'acquired';
			return added.includes(mark) ? 'newHolder' : 'sameHolder';
		},
		async release() {
			await helpers.clearAllProcessedItems(lockScope, lockOptions);
		},
	};
	const onLongWait = () => {
		const { name, id } = context.getWorkflow();
		context.logger.warn(
			`Node "${context.getNode().name}" in workflow "${name ?? ''}" (${id ?? ''}) waits for another execution to finish with n8n's database. If n8n was stopped at that moment, this takes up to 6 minutes, then the run continues.`,
		);
	};
	return {
		async runExclusive(access) {
			return await runInQueue(
				context,
				async () =>
					await withLock(
						lock,
						randomUUID(),
						realClock,
						Math.random,
						async (assertHeld) => await access(whileHeld(entries, assertHeld)),
						{ signal: context.getExecutionCancelSignal(), onLongWait },
					),
			);
		},
	};
}

/** Removes every entry of the workflow. */
export async function clearStore(context: IExecuteFunctions): Promise<void> {
	const { helpers } = context;
	await runInQueue(
		context,
		async () => await helpers.clearAllProcessedItems(storeScope, storeOptions),
	);
}
