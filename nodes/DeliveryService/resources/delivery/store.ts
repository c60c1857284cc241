import type { IExecuteFunctions } from 'n8n-workflow';

import type { Entries, Store } from '../../sending/ledger';

/**
 * How many entries are kept: about that many references, the oldest of which are forgotten first.
 * n8n reads and writes them all at each look-up, some 25 bytes each.
 */
const mostEntries = 50_000;

const options = { mode: 'entries', maxEntries: mostEntries } as const;

/** All nodes of a workflow share the entries, so that one can forget what another has sent. */
const scope = 'workflow';

/** The store reads and writes without a lock: within this process, one execution at a time. */
let lastTurn: Promise<unknown> = Promise.resolve();

async function inTurn<Result>(access: () => Promise<Result>): Promise<Result> {
	const mine = lastTurn.then(access, access);
	lastTurn = mine;
	return await mine;
}

/** n8n's de-duplication store: kept in its database, for the workflow that is run. */
export function storeOf({ helpers }: IExecuteFunctions): Store {
	const entries: Entries = {
		async record(wanted) {
			const { new: fresh } = await helpers.checkProcessedAndRecord(wanted, scope, options);
			return new Set(fresh.map(String));
		},
		async remove(unwanted) {
			await helpers.removeProcessed(unwanted, scope, options);
		},
	};
	return { inTurn: async (access) => await inTurn(async () => await access(entries)) };
}

/** Forgets every entry of the workflow. */
export async function clearStore({ helpers }: IExecuteFunctions): Promise<void> {
	await inTurn(async () => await helpers.clearAllProcessedItems(scope, options));
}

/** What references are unique within: a company at a service. */
export function referenceScope(baseUrl: string, companyId: number | undefined): string {
	return `delivery-service\n${baseUrl}\n${companyId ?? ''}`;
}
