import { chunk } from '../common/chunk';
import type { Clock } from '../common/clock';
import { maxClaimAttempts, settlingMs } from './settling';

/** The entries of one workflow or node in n8n's deduplication store. */
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

/** A delivery that needs a reference, and its order if known. */
export interface Claimant {
	referenceId: string;
	/** Unique across all shops, while two orders may share a reference. */
	orderId?: string;
}

/** The result of claiming a reference. */
export type Claim =
	/** This execution may send it. */
	| 'claimed'
	/** An earlier run created its delivery. */
	| 'created'
	/** A delivery was created for another order with this reference. */
	| 'anotherOrder'
	/** Another execution claimed it and is sending it now, or crashed. */
	| 'unknown'
	/** Like unknown, but nothing more will be learned about it. */
	| 'lost';

/** The state of a reference: it may be sent, or why not. */
export type ReferenceState = 'free' | Exclude<Claim, 'claimed'>;

/** What to confirm and to claim; no two claimants of a run have the same reference. */
export interface LedgerStep {
	/** Claimants whose deliveries were created; their references were claimed. */
	confirmed?: readonly Claimant[];
	/** Claimants to claim a reference for, which have no unsettled claim from an earlier step. */
	wanted?: readonly Claimant[];
	/** Claimants whose outcome will stay unknown: no one needs to wait for it. */
	lost?: readonly Claimant[];
}

/** Remembers between runs which references were sent. */
export interface Ledger {
	/** Returns the states by reference, and changes nothing. */
	lookUp(claimants: readonly Claimant[]): Promise<ReadonlyMap<string, ReferenceState>>;
	/**
	 * Performs a step in one access to the store: confirms created deliveries, claims wanted
	 * references, and returns by reference the results that are known so far. A claim must settle
	 * first: the next step or a later one returns that it succeeded.
	 *
	 * When it rejects, all claims without a result have failed.
	 */
	proceed(step: LedgerStep): Promise<ReadonlyMap<string, Claim>>;
	/** Releases claimed references whose deliveries were not created: they may be sent again. */
	release(claimants: readonly Claimant[]): Promise<void>;
}

/** Claims that were recorded, but can't be relied on yet. */
interface UnverifiedClaims {
	claimants: readonly Claimant[];
	mark: string;
	/** How many times they were recorded. */
	attempts: number;
	/** Resolves when they can be verified. */
	settled: Promise<void>;
}

/**
 * Opens a ledger in n8n's deduplication store. The store can only record entries and return which
 * ones were new, so the state of a reference consists of several entries:
 *
 * | entries                       | state                                         |
 * | ----------------------------- | --------------------------------------------- |
 * | none                          | never sent, or released                       |
 * | pending                       | claimed, response not processed: unknown      |
 * | pending and lost              | claimed, and its outcome stays unknown: lost  |
 * | pending, created and order X  | created for the order X only                  |
 * | pending, created and no order | created, for an order that is not known       |
 * | doubted, with any others      | a look-up was interrupted: unknown            |
 *
 * In the normal case entries are only added: to remove one, n8n searches all of them. But looking
 * for an entry records it, and a crash at that moment must not leave an entry behind that marks the
 * reference as created. So a look-up records doubt as well, and removes both: if it is interrupted,
 * the state is unknown, never created.
 *
 * Two nodes of a workflow in different processes do not wait for each other, so one may overwrite
 * the other's claim: see {@link settlingMs}.
 *
 * @param scope what references are unique within: the service and the company
 * @param mark unique among all ledgers, of this execution and others
 * @param entriesOfScope entries to record with every created or unknown delivery
 */
export function openLedger(
	store: Store,
	scope: string,
	mark: string,
	clock: Clock,
	entriesOfScope: readonly string[] = [],
): Ledger {
	const pending = entry('pending');
	const created = entry('created');
	const noOrder = entry('no order');
	const doubted = entry('doubted');
	const lost = entry('lost');
	const order = (claimant: Claimant) =>
		claimant.orderId === undefined
			? noOrder(claimant)
			: entryOf(scope, `order ${JSON.stringify(claimant.orderId)}`, claimant.referenceId);
	function entry(part: EntryPart): (claimant: Claimant) => string {
		return ({ referenceId }) => entryOf(scope, part, referenceId);
	}

	/** The marks of verified claims, which are no longer needed. */
	const oldMarks: string[] = [];
	let markCount = 0;
	let unverified: UnverifiedClaims | undefined;

	/**
	 * Claims references, and determines their previous states.
	 *
	 * @param otherEntries entries to record together with the claims
	 * @returns the states, the entries that were added, those to remove (doubt last), and how long
	 *   recording took
	 */
	async function examine(
		entries: Entries,
		claimants: readonly Claimant[],
		otherEntries: string[] = [],
	) {
		const started = clock.now();
		const added = await entries.record([...claimants.map(pending), ...otherEntries]);
		const tookMs = clock.now() - started;
		const known = claimants.filter((claimant) => !added.has(pending(claimant)));
		const missing = await recordIfAny(entries, known.flatMap(detailEntries));
		const isUnknown = (claimant: Claimant) =>
			!missing.has(doubted(claimant)) || missing.has(created(claimant));
		const maybeOtherOrders = known.filter(
			(claimant) => !missing.has(created(claimant)) && missing.has(order(claimant)),
		);
		const alsoMissing = await recordIfAny(entries, [
			...maybeOtherOrders.map(noOrder),
			...known.filter(isUnknown).map(lost),
		]);
		const doubts = new Set(known.map(doubted).filter((one) => missing.has(one)));
		const state = (claimant: Claimant): ReferenceState => {
			if (added.has(pending(claimant))) return 'free';
			if (isUnknown(claimant)) return alsoMissing.has(lost(claimant)) ? 'unknown' : 'lost';
			return alsoMissing.has(noOrder(claimant)) ? 'anotherOrder' : 'created';
		};
		return {
			states: new Map(claimants.map((claimant) => [claimant.referenceId, state(claimant)])),
			added,
			obsolete: [...alsoMissing, ...[...missing].filter((one) => !doubts.has(one)), ...doubts],
			tookMs,
		};
	}

	const detailEntries = (claimant: Claimant) => [
		doubted(claimant),
		created(claimant),
		...(claimant.orderId === undefined ? [] : [order(claimant)]),
	];

	const entriesOfCreated = (claimant: Claimant) => [
		pending(claimant),
		created(claimant),
		order(claimant),
	];

	return {
		async lookUp(claimants) {
			return await store.runExclusive(async (entries) => {
				const { states, added, obsolete } = await examine(entries, claimants);
				await removeInChunks(entries, [...added, ...obsolete]);
				return states;
			});
		},
		async proceed({ confirmed = [], wanted = [], lost: newlyLost = [] }) {
			const previous = unverified;
			unverified = undefined;
			const results = new Map<string, Claim>();
			if (!previous && confirmed.length + wanted.length + newlyLost.length === 0) return results;
			await previous?.settled;
			const newMark = entryOf(scope, `claim ${++markCount}`, mark);
			const { claimed, wasOverwritten, tookMs } = await store.runExclusive(async (entries) => {
				const { states, added, obsolete, tookMs } = await examine(entries, wanted, [
					...(wanted.length > 0 ? [newMark] : []),
					...(previous ? [...previous.claimants.map(pending), previous.mark] : []),
					...confirmed.flatMap(entriesOfCreated),
					...newlyLost.map(lost),
					...(confirmed.length + newlyLost.length > 0 ? entriesOfScope : []),
				]);
				const claimed: Claimant[] = [];
				const wasOverwritten = previous !== undefined && added.has(previous.mark);
				for (const claimant of previous?.claimants ?? []) {
					if (!wasOverwritten) results.set(claimant.referenceId, 'claimed');
					// Looking for it has claimed it again, unless another execution has claimed it since.
					else if (added.has(pending(claimant)) && previous.attempts < maxClaimAttempts)
						claimed.push(claimant);
					else results.set(claimant.referenceId, 'unknown');
				}
				for (const claimant of wanted) {
					const state = states.get(claimant.referenceId) ?? 'unknown';
					if (state === 'free') claimed.push(claimant);
					else results.set(claimant.referenceId, state);
				}
				const isMarkUnused = wanted.length > 0 && claimed.length === 0;
				await removeInChunks(entries, [...(isMarkUnused ? [newMark] : []), ...obsolete]);
				return { claimed, wasOverwritten, tookMs };
			});
			const usedMark = previous && wanted.length === 0 ? previous.mark : newMark;
			if (previous && (claimed.length === 0 || usedMark !== previous.mark))
				oldMarks.push(previous.mark);
			if (claimed.length > 0)
				unverified = {
					claimants: claimed,
					mark: usedMark,
					attempts: previous && wasOverwritten ? previous.attempts + 1 : 1,
					settled: clock.wait(settlingMs(tookMs)),
				};
			return results;
		},
		async release(claimants) {
			if (claimants.length === 0) return;
			// Another execution may have given up waiting for them.
			const obsolete = [
				...claimants.flatMap((one) => [pending(one), lost(one)]),
				...oldMarks.splice(0),
			];
			await store.runExclusive(async (entries) => await removeInChunks(entries, obsolete));
		},
	};
}

/** The entries of a reference, besides its order. */
const entryParts = ['pending', 'created', 'no order', 'doubted', 'lost'] as const;

type EntryPart = (typeof entryParts)[number];

async function recordIfAny(entries: Entries, wanted: string[]): Promise<ReadonlySet<string>> {
	return wanted.length > 0 ? await entries.record(wanted) : new Set();
}

/** How many entries to remove at once: n8n is blocked while it searches for them. */
const maxEntriesPerRemoval = 200;

/** Removes entries in order, some at a time. */
async function removeInChunks(entries: Entries, obsolete: string[]): Promise<void> {
	for (const some of chunk(obsolete, maxEntriesPerRemoval)) await entries.remove(some);
}

/** How many references to forget per exclusive access, so that others do not wait too long. */
const maxReferencesPerAccess = maxEntriesPerRemoval / entryParts.length;

/**
 * Forgets references, whatever their state. The entries of their orders remain, since the orders are
 * not known; they mean nothing without the others.
 *
 * Looking for a reference records it, which drops one of the oldest entries when the store is full.
 * Since all are removed again before the next access, at most one access's references are affected.
 *
 * @returns the references that would not have been sent; if this is interrupted, others may appear
 *   as unknown until they are forgotten once more
 */
export async function forgetReferences(
	store: Store,
	scope: string,
	references: readonly string[],
): Promise<ReadonlySet<string>> {
	const remembered = new Set<string>();
	// n8n may keep both of two equal entries that are recorded at once.
	for (const some of chunk([...new Set(references)], maxReferencesPerAccess))
		await store.runExclusive(async (entries) => {
			const pendingOf = (reference: string) => entryOf(scope, 'pending', reference);
			const added = await entries.record(some.map(pendingOf));
			for (const reference of some) if (!added.has(pendingOf(reference))) remembered.add(reference);
			await entries.remove(
				some.flatMap((reference) => entryParts.map((part) => entryOf(scope, part, reference))),
			);
		});
	return remembered;
}

/** The reference comes last because it may contain anything: no two entries are ever equal. */
function entryOf(scope: string, state: string, reference: string): string {
	return `${scope}\n${state}\n${reference}`;
}
