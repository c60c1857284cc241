import type { Clock } from '../shared/clock';

/** The part of n8n's de-duplication store that is used: the entries of one workflow. */
export interface Entries {
	/** Records the entries and tells which of them were not there before. */
	record(entries: string[]): Promise<ReadonlySet<string>>;
	remove(entries: string[]): Promise<void>;
}

/** n8n's de-duplication store, shared with other executions. */
export interface Store {
	/**
	 * Accesses the entries, one time or several; other executions of the same node come after it, in
	 * any process, and those of the workflow's other nodes in this process.
	 */
	inTurn<Result>(access: (entries: Entries) => Promise<Result>): Promise<Result>;
}

/** What the ledger knows of a reference when it is to be sent. */
export type Claim =
	/** It is ours to send. */
	| 'claimed'
	/** It was sent and its delivery created, in an earlier run. */
	| 'created'
	/** It was given to the service, but nobody saw the answer; or another execution sends it now. */
	| 'unknown';

/** What the ledger knows of a reference: that it may be sent, or why not. */
export type State = 'free' | Exclude<Claim, 'claimed'>;

/** Which references were sent already, kept between runs. */
export interface Ledger {
	/** Tells what is known of references, and leaves everything as it is. */
	lookUp(references: readonly string[]): Promise<ReadonlyMap<string, State>>;
	/** Claims references before their request. */
	claim(references: readonly string[]): Promise<ReadonlyMap<string, Claim>>;
	/** The deliveries of claimed references were created. */
	confirm(references: readonly string[]): Promise<void>;
	/** Claimed references were not created: they may be sent again. */
	release(references: readonly string[]): Promise<void>;
}

/** How often a claim that another process wrote over is made again before it is given up. */
const maxTries = 5;

/** How long a claim is left to stand, at least, before it is trusted. */
const minStandingMs = 50;

/**
 * A ledger in n8n's de-duplication store. The store can only record entries and tell which were
 * new, so that a reference's state is written in two entries:
 *
 * | entries          | state                                     |
 * | ---------------- | ----------------------------------------- |
 * | none             | never sent, or released                   |
 * | sent and pending | claimed, answer not seen: outcome unknown |
 * | sent             | created                                   |
 *
 * Looking a created reference up records its pending entry for a moment. If the process is killed
 * just then, the reference reads as unknown: never as free.
 *
 * The store reads and writes all entries of a workflow at once, and turns are not kept between two
 * nodes of a workflow in different processes, so that one may write over a claim of the other. Each
 * claim therefore carries a mark of its own, and counts only when it is still there after some time.
 *
 * @param scope what references are unique within: the service and the company
 * @param mark what no other execution has
 */
export function openLedger(store: Store, scope: string, mark: string, clock: Clock): Ledger {
	const sent = (reference: string) => entryOf(scope, 'sent', reference);
	const pending = (reference: string) => entryOf(scope, 'pending', reference);
	const mine = (reference: string) => entryOf(scope, `claim ${mark}`, reference);
	const all = (reference: string) => [sent(reference), pending(reference), mine(reference)];

	async function trusted(references: readonly string[], tookMs: number): Promise<string[]> {
		let untrusted = references;
		const held: string[] = [];
		for (let tries = 0; untrusted.length > 0 && tries < maxTries; tries++) {
			await clock.wait(Math.max(minStandingMs, 3 * tookMs));
			const fresh = await store.inTurn(async (entries) => {
				const recorded = await entries.record(untrusted.flatMap(all));
				await removeAny(entries, untrusted.filter((name) => isAnothers(name, recorded)).map(mine));
				return recorded;
			});
			held.push(...untrusted.filter((reference) => !fresh.has(mine(reference))));
			untrusted = untrusted.filter(
				(reference) => fresh.has(mine(reference)) && !isAnothers(reference, fresh),
			);
		}
		return held;
	}

	/** Whether our claim was written over by that of another process. */
	function isAnothers(reference: string, fresh: ReadonlySet<string>): boolean {
		return fresh.has(mine(reference)) && !fresh.has(sent(reference));
	}

	/** What the entries said of a reference before those that were fresh were recorded. */
	function stateOf(reference: string, fresh: ReadonlySet<string>): State {
		if (!fresh.has(pending(reference))) return 'unknown';
		return fresh.has(sent(reference)) ? 'free' : 'created';
	}

	return {
		async lookUp(references) {
			return await store.inTurn(async (entries) => {
				const fresh = await entries.record(
					references.flatMap((reference) => [sent(reference), pending(reference)]),
				);
				await removeAny(entries, [...fresh]);
				return new Map(references.map((reference) => [reference, stateOf(reference, fresh)]));
			});
		},
		async claim(references) {
			const { free, created, tookMs } = await store.inTurn(async (entries) => {
				const started = clock.now();
				const fresh = await entries.record(references.flatMap(all));
				const tookMs = clock.now() - started;
				const those = (state: State) =>
					references.filter((reference) => stateOf(reference, fresh) === state);
				const found = { tookMs, free: those('free'), created: those('created') };
				await removeAny(entries, [
					...found.created.flatMap((reference) => [pending(reference), mine(reference)]),
					...those('unknown').map(mine),
				]);
				return found;
			});
			const claims = new Map<string, Claim>(references.map((reference) => [reference, 'unknown']));
			for (const reference of created) claims.set(reference, 'created');
			for (const reference of await trusted(free, tookMs)) claims.set(reference, 'claimed');
			return claims;
		},
		async confirm(references) {
			if (references.length === 0) return;
			await store.inTurn(async (entries) => {
				await entries.record(references.map(sent));
				await entries.remove(
					references.flatMap((reference) => [pending(reference), mine(reference)]),
				);
			});
		},
		async release(references) {
			await store.inTurn(async (entries) => await removeAny(entries, references.flatMap(all)));
		},
	};
}

async function removeAny(entries: Entries, unwanted: string[]): Promise<void> {
	if (unwanted.length > 0) await entries.remove(unwanted);
}

/** The entries of references, whatever their state, to forget them. */
export function entriesOfReferences(scope: string, references: readonly string[]): string[] {
	return references.flatMap((reference) => [
		entryOf(scope, 'sent', reference),
		entryOf(scope, 'pending', reference),
	]);
}

/** The reference comes last, since it may hold anything: no two entries are ever the same. */
function entryOf(scope: string, state: string, reference: string): string {
	return `${scope}\n${state}\n${reference}`;
}
