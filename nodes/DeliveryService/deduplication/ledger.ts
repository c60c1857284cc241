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

/** Who wants a reference: a delivery, and the order that it is for when that is known. */
export interface Claimant {
	referenceId: string;
	/** What no other order has, of whatever shop; two orders may share a reference. */
	orderId?: string;
}

/** What the ledger knows of a reference when it is to be sent. */
export type Claim =
	/** It is ours to send. */
	| 'claimed'
	/** It was sent and its delivery created, in an earlier run. */
	| 'created'
	/** It was sent and its delivery created, but for another order than the claimant's. */
	| 'anotherOrder'
	/** It was given to the service, but nobody saw the answer; or another execution sends it now. */
	| 'unknown';

/** What the ledger knows of a reference: that it may be sent, or why not. */
export type State = 'free' | Exclude<Claim, 'claimed'>;

/**
 * Which references were sent already, kept between runs. Of the claimants of one call no two have
 * the same reference.
 */
export interface Ledger {
	/** Tells by reference what is known, and leaves everything as it is. */
	lookUp(claimants: readonly Claimant[]): Promise<ReadonlyMap<string, State>>;
	/** Claims references before their request, and tells by reference which are ours. */
	claim(claimants: readonly Claimant[]): Promise<ReadonlyMap<string, Claim>>;
	/** The deliveries of claimed references were created. */
	confirm(claimants: readonly Claimant[]): Promise<void>;
	/** Claimed references were not created: they may be sent again. */
	release(claimants: readonly Claimant[]): Promise<void>;
}

/** How often a claim that another process wrote over is made again before it is given up. */
const maxTries = 5;

/** How long a claim is left to stand, at least, before it is trusted. */
const minStandingMs = 50;

/** How long at most: as long as three times what a lock may be held for. */
const maxStandingMs = 30_000;

/**
 * A ledger in n8n's de-duplication store. The store can only record entries and tell which were
 * new, so that a reference's state is written in several entries:
 *
 * | entries                       | state                                             |
 * | ----------------------------- | ------------------------------------------------- |
 * | none                          | never sent, or released                           |
 * | sent and pending, whatever else | claimed, answer not seen: outcome unknown       |
 * | sent                          | created, for an order that is not known           |
 * | sent, ordered and order X     | created for the order X, and for no other         |
 *
 * Looking a created reference up records its pending entry for a moment, and those of the order. If
 * the process is killed just then, the reference reads as unknown: never as free, nor as created
 * for an order that it was not created for.
 *
 * The store reads and writes all entries of a workflow at once, and turns are not kept between two
 * nodes of a workflow in different processes, so that one may write over a claim of the other. Each
 * claim therefore carries a mark of its own, and counts only when it is still there after some time.
 *
 * @param scope what references are unique within: the service and the company
 * @param mark what no other execution has
 */
export function openLedger(store: Store, scope: string, mark: string, clock: Clock): Ledger {
	const sent = ({ referenceId }: Claimant) => entryOf(scope, 'sent', referenceId);
	const pending = ({ referenceId }: Claimant) => entryOf(scope, 'pending', referenceId);
	const mine = ({ referenceId }: Claimant) => entryOf(scope, `claim ${mark}`, referenceId);
	const all = (claimant: Claimant) => [sent(claimant), pending(claimant), mine(claimant)];

	/** The entries that tell a created reference's order; none for a claimant without an order. */
	const order = ({ referenceId, orderId }: Claimant) =>
		orderId === undefined
			? []
			: [
					entryOf(scope, 'ordered', referenceId),
					entryOf(scope, `order ${JSON.stringify(orderId)}`, referenceId),
				];

	/** Those of the claimants whose claims stand, and are not written over by another process. */
	async function trusted(claimants: readonly Claimant[], tookMs: number): Promise<Claimant[]> {
		let untrusted = claimants;
		const held: Claimant[] = [];
		for (let tries = 0; untrusted.length > 0 && tries < maxTries; tries++) {
			await clock.wait(Math.min(Math.max(minStandingMs, 3 * tookMs), maxStandingMs));
			const fresh = await store.inTurn(async (entries) => {
				const recorded = await entries.record(untrusted.flatMap(all));
				await removeAny(entries, untrusted.filter((one) => isAnothers(one, recorded)).map(mine));
				return recorded;
			});
			held.push(...untrusted.filter((claimant) => !fresh.has(mine(claimant))));
			untrusted = untrusted.filter(
				(claimant) => fresh.has(mine(claimant)) && !isAnothers(claimant, fresh),
			);
		}
		return held;
	}

	/** Whether our claim was written over by that of another process. */
	function isAnothers(claimant: Claimant, fresh: ReadonlySet<string>): boolean {
		return fresh.has(mine(claimant)) && !fresh.has(sent(claimant));
	}

	/** What the entries said of a reference before those that were fresh were recorded. */
	function stateOf(claimant: Claimant, fresh: ReadonlySet<string>): State {
		if (!fresh.has(pending(claimant))) return 'unknown';
		return fresh.has(sent(claimant)) ? 'free' : 'created';
	}

	/**
	 * Tells created references apart by their orders. Their pending entries must have been recorded.
	 *
	 * @returns the states that are not as found, and the entries that are to be removed again
	 */
	async function askForOrders(entries: Entries, created: readonly Claimant[]) {
		const asking = created.filter(({ orderId }) => orderId !== undefined);
		const fresh =
			asking.length > 0 ? await entries.record(asking.flatMap(order)) : new Set<string>();
		const others = asking.filter((claimant) => {
			const [ordered = '', ofThisOrder = ''] = order(claimant);
			return !fresh.has(ordered) && fresh.has(ofThisOrder);
		});
		const states = new Map<string, 'anotherOrder'>(
			others.map(({ referenceId }) => [referenceId, 'anotherOrder']),
		);
		return { states, recorded: [...fresh] };
	}

	return {
		async lookUp(claimants) {
			return await store.inTurn(async (entries) => {
				const fresh = await entries.record(
					claimants.flatMap((claimant) => [sent(claimant), pending(claimant)]),
				);
				const found = claimants.map((claimant) => ({ claimant, state: stateOf(claimant, fresh) }));
				const created = found.filter(({ state }) => state === 'created');
				const { states, recorded } = await askForOrders(
					entries,
					created.map(({ claimant }) => claimant),
				);
				await removeAny(entries, [...fresh, ...recorded]);
				return new Map(
					found.map(({ claimant: { referenceId }, state }) => [
						referenceId,
						states.get(referenceId) ?? state,
					]),
				);
			});
		},
		async claim(claimants) {
			const { free, created, states, tookMs } = await store.inTurn(async (entries) => {
				const started = clock.now();
				const fresh = await entries.record(claimants.flatMap(all));
				const tookMs = clock.now() - started;
				const those = (state: State) =>
					claimants.filter((claimant) => stateOf(claimant, fresh) === state);
				const created = those('created');
				const { states, recorded } = await askForOrders(entries, created);
				await removeAny(entries, [
					...recorded,
					...created.flatMap((claimant) => [pending(claimant), mine(claimant)]),
					...those('unknown').map(mine),
				]);
				return { tookMs, free: those('free'), created, states };
			});
			const claims = new Map<string, Claim>();
			for (const { referenceId } of claimants) claims.set(referenceId, 'unknown');
			for (const { referenceId } of created)
				claims.set(referenceId, states.get(referenceId) ?? 'created');
			for (const { referenceId } of await trusted(free, tookMs)) claims.set(referenceId, 'claimed');
			return claims;
		},
		async confirm(claimants) {
			if (claimants.length === 0) return;
			await store.inTurn(async (entries) => {
				await entries.record(claimants.flatMap((claimant) => [sent(claimant), ...order(claimant)]));
				await entries.remove(claimants.flatMap((claimant) => [pending(claimant), mine(claimant)]));
			});
		},
		async release(claimants) {
			await store.inTurn(async (entries) => await removeAny(entries, claimants.flatMap(all)));
		},
	};
}

async function removeAny(entries: Entries, unwanted: string[]): Promise<void> {
	if (unwanted.length > 0) await entries.remove(unwanted);
}

/**
 * The entries of references, whatever their state, to forget them. Entries of orders remain where
 * the order is not known; without the others they say nothing.
 */
export function entriesOfReferences(scope: string, references: readonly string[]): string[] {
	return references.flatMap((reference) =>
		['sent', 'pending', 'ordered'].map((state) => entryOf(scope, state, reference)),
	);
}

/** The reference comes last, since it may hold anything: no two entries are ever the same. */
function entryOf(scope: string, state: string, reference: string): string {
	return `${scope}\n${state}\n${reference}`;
}
