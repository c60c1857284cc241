import { randomUUID } from 'crypto';
import type { DeduplicationScope, ICheckProcessedOptions, IExecuteFunctions } from 'n8n-workflow';

import { realClock } from '../common/clock';
import type { Entries, Store } from './ledger';
import { withLock, type Lock } from './lock';

/**
 * How many entries are kept: those of 50,000 references, three each and one for each claim. The
 * oldest are forgotten first.
 * n8n reads and writes them all at each look-up, some 27 bytes each.
 */
const maxEntries = 200_000;

const storeOptions = { mode: 'entries', maxEntries } as const;

/** All nodes of a workflow share the entries, so that one can forget what another has sent. */
const storeScope = 'workflow';

/** The lock is one for each node: n8n offers none for a workflow. */
const lockScope = 'node';

const lockOptions = { mode: 'entries' } as const;

/** The entry whose insertion acquires the lock. */
const lockEntry = 'held';

/** Within this process the executions of a workflow take turns, without asking the database. */
const latestTurns = new Map<string, Promise<unknown>>();

async function takeTurn<Result>(
	context: IExecuteFunctions,
	access: () => Promise<Result>,
): Promise<Result> {
	const workflow = context.getWorkflow().id ?? '';
	const mine = (latestTurns.get(workflow) ?? Promise.resolve()).then(access, access);
	latestTurns.set(workflow, mine);
	try {
		return await mine;
	} finally {
		if (latestTurns.get(workflow) === mine) latestTurns.delete(workflow);
	}
}

/**
 * n8n's de-duplication store: kept in its database, for the workflow that is run.
 *
 * It reads and writes all entries of the workflow at once and without a lock, so that one process
 * would write over what another has just written. But its first entry for a node is an insertion
 * that can succeed in one process only: that makes a lock.
 */
export function storeOf(context: IExecuteFunctions): Store {
	const { helpers } = context;
	const entries = storedEntries(context, storeScope, storeOptions);
	const lock: Lock = {
		async tryAcquire(mark) {
			const { new: fresh } = await helpers.checkProcessedAndRecord(
				[lockEntry, mark],
				lockScope,
				lockOptions,
			);
			if (fresh.includes(lockEntry)) return 'acquired';
			return fresh.includes(mark) ? 'heldAnew' : 'heldStill';
		},
		async release() {
			await helpers.clearAllProcessedItems(lockScope, lockOptions);
		},
	};
	return {
		async inTurn(access) {
			return await takeTurn(
				context,
				async () =>
					await withLock(
						lock,
						randomUUID(),
						realClock,
						Math.random,
						async () => await access(entries),
					),
			);
		},
	};
}

/** How many entries of a node are kept; the oldest are forgotten first. */
const maxNodeEntries = 4_000;

/**
 * The entries of one node, apart from those of its workflow. They take the place of the lock:
 * executions in other processes do not wait, and may write over what was just recorded.
 */
export function nodeStoreOf(context: IExecuteFunctions): Store {
	const entries = storedEntries(context, 'node', { mode: 'entries', maxEntries: maxNodeEntries });
	return {
		async inTurn(access) {
			return await takeTurn(context, async () => await access(entries));
		},
	};
}

function storedEntries(
	{ helpers }: IExecuteFunctions,
	where: DeduplicationScope,
	how: ICheckProcessedOptions,
): Entries {
	return {
		async record(wanted) {
			const { new: fresh } = await helpers.checkProcessedAndRecord(wanted, where, how);
			return new Set(fresh.map(String));
		},
		async remove(unwanted) {
			await helpers.removeProcessed(unwanted, where, how);
		},
	};
}

/** Forgets every entry of the workflow. */
export async function clearStore(context: IExecuteFunctions): Promise<void> {
	const { helpers } = context;
	await takeTurn(
		context,
		async () => await helpers.clearAllProcessedItems(storeScope, storeOptions),
	);
}

/** What references are unique within: a company at a service, however its address is written. */
export function referenceScope(baseUrl: string, companyId: number): string {
	const { host, pathname } = new URL(baseUrl);
	return `delivery-service\n${host}${pathname.replace(/\/+$/, '')}\n${companyId}`;
}
