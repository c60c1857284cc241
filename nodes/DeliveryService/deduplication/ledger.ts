import { chunk } from '../common/chunk';
import type { Clock } from '../common/clock';

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
export type ReferenceState = 'free' | Exclude<Claim, 'claimed'>;

/** What is to be noted and claimed; of the claimants of a run no two have the same reference. */
export interface LedgerStep {
	/** Whose deliveries were created; their references were claimed. */
	confirmed?: readonly Claimant[];
	/** Who wants to be sent, and has not asked before. */
	wanted?: readonly Claimant[];
}

/** Which references were sent already, kept between runs. */
export interface Ledger {
	/** Tells by reference what is known, and leaves everything as it is. */
	lookUp(claimants: readonly Claimant[]): Promise<ReadonlyMap<string, ReferenceState>>;
	/**
	 * Goes a step on, in one access to the store: notes what was created, claims what is wanted, and
	 * tells by reference what is known by now of what was wanted so far. A claim must stand for some
	 * time: that it is ours is told by the next step or a later one.
	 *
	 * When it rejects, nothing is ours that was wanted and not told yet.
	 */
	proceed(step: LedgerStep): Promise<ReadonlyMap<string, Claim>>;
	/** Claimed references were not created: they may be sent again. */
	release(claimants: readonly Claimant[]): Promise<void>;
}

/** Claims that were made, and that nobody may trust yet. */
interface UnverifiedClaims {
	claimants: readonly Claimant[];
	mark: string;
	/** How often they were made. */
	attempts: number;
	/** Resolves when they can be checked. */
	settled: Promise<void>;
}

/**
 * A ledger in n8n's de-duplication store. The store can only record entries and tell which were
 * new, so that a reference's state is written in several entries:
 *
 * | entries                       | state                                     |
 * | ----------------------------- | ----------------------------------------- |
 * | none                          | never sent, or released                   |
 * | pending                       | claimed, answer not seen: outcome unknown |
 * | pending, created and order X  | created for the order X, and for no other |
 * | pending, created and no order | created, for an order that is not known   |
 * | doubted, whatever else        | a look-up was cut off: outcome unknown    |
 *
 * While all goes well entries are only added: n8n looks through all of them for each one that it
 * removes. But to look for an entry is to record it, and what tells that a reference was created
 * must not remain when the process is killed just then. So whoever looks for that records doubt
 * along with it, and removes both: cut off, the reference reads as unknown, never as created.
 *
 * Turns are not kept between two nodes of a workflow in different processes, so that one may
 * overwrite a claim of the other: see `settling.ts`.
 *
 * @param scope what references are unique within: the service and the company
 * @param mark what no other ledger has, of this execution or another
 */
export function openLedger(store: Store, scope: string, mark: string, clock: Clock): Ledger {
	const pending = entry('pending');
	const created = entry('created');
	const noOrder = entry('no order');
	const doubted = entry('doubted');
	const order = (claimant: Claimant) =>
		claimant.orderId === undefined
			? noOrder(claimant)
			: entryOf(scope, `order ${JSON.stringify(claimant.orderId)}`, claimant.referenceId);
	function entry(part: EntryPart): (claimant: Claimant) => string {
		return ({ referenceId }) => entryOf(scope, part, referenceId);
	}

	/** The marks of claims that have been tried: they say nothing more. */
	const oldMarks: string[] = [];
	let claims = 0;
	let unverified: UnverifiedClaims | undefined;

	/**
	 * Finds out what is known of references.
	 *
	 * @param also what to record along with that the references are claimed
	 * @returns also the entries that were not there before, those that must not stay (doubt is to be
	 * removed last), and how long recording took
	 */
	async function examine(entries: Entries, claimants: readonly Claimant[], also: string[] = []) {
		const started = clock.now();
		const fresh = await entries.record([...claimants.map(pending), ...also]);
		const tookMs = clock.now() - started;
		const asked = claimants.filter((claimant) => !fresh.has(pending(claimant)));
		const answers = await recordAny(entries, asked.flatMap(questions));
		const others = asked.filter(
			(claimant) => !answers.has(created(claimant)) && answers.has(order(claimant)),
		);
		const ofOrders = await recordAny(entries, others.map(noOrder));
		const doubts = new Set(asked.map(doubted).filter((one) => answers.has(one)));
		const state = (claimant: Claimant): ReferenceState => {
			if (fresh.has(pending(claimant))) return 'free';
			if (!doubts.has(doubted(claimant)) || answers.has(created(claimant))) return 'unknown';
			return ofOrders.has(noOrder(claimant)) ? 'anotherOrder' : 'created';
		};
		return {
			states: new Map(claimants.map((claimant) => [claimant.referenceId, state(claimant)])),
			fresh,
			unwanted: [...ofOrders, ...[...answers].filter((one) => !doubts.has(one)), ...doubts],
			tookMs,
		};
	}

	const questions = (claimant: Claimant) => [
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
			return await store.inTurn(async (entries) => {
				const { states, fresh, unwanted } = await examine(entries, claimants);
				await removeAny(entries, [...fresh, ...unwanted]);
				return states;
			});
		},
		async proceed({ confirmed = [], wanted = [] }) {
			const before = unverified;
			unverified = undefined;
			const found = new Map<string, Claim>();
			if (!before && confirmed.length + wanted.length === 0) return found;
			await before?.settled;
			const newMark = entryOf(scope, `claim ${++claims}`, mark);
			const { made, wasOverwritten, tookMs } = await store.inTurn(async (entries) => {
				const { states, fresh, unwanted, tookMs } = await examine(entries, wanted, [
					...(wanted.length > 0 ? [newMark] : []),
					...(before ? [...before.claimants.map(pending), before.mark] : []),
					...confirmed.flatMap(entriesOfCreated),
				]);
				const made: Claimant[] = [];
				const wasOverwritten = before !== undefined && fresh.has(before.mark);
				for (const claimant of before?.claimants ?? []) {
					if (!wasOverwritten) found.set(claimant.referenceId, 'claimed');
					// Looking for it has claimed it again, unless another has claimed it since.
					else if (fresh.has(pending(claimant)) && before.attempts < maxClaimAttempts)
						made.push(claimant);
					else found.set(claimant.referenceId, 'unknown');
				}
				for (const claimant of wanted) {
					const state = states.get(claimant.referenceId) ?? 'unknown';
					if (state === 'free') made.push(claimant);
					else found.set(claimant.referenceId, state);
				}
				const isInVain = wanted.length > 0 && made.length === 0;
				await removeAny(entries, [...(isInVain ? [newMark] : []), ...unwanted]);
				return { made, wasOverwritten, tookMs };
			});
			const madeUnder = before && wanted.length === 0 ? before.mark : newMark;
			if (before && (made.length === 0 || madeUnder !== before.mark)) oldMarks.push(before.mark);
			if (made.length > 0)
				unverified = {
					claimants: made,
					mark: madeUnder,
					attempts: before && wasOverwritten ? before.attempts + 1 : 1,
					settled: clock.wait(settlingMs(tookMs)),
				};
			return found;
		},
		async release(claimants) {
			if (claimants.length === 0) return;
			const unwanted = [...claimants.map(pending), ...oldMarks.splice(0)];
			await store.inTurn(async (entries) => await removeAny(entries, unwanted));
		},
	};
}

/** What is recorded of a reference, beside the order. */
const entryParts = ['pending', 'created', 'no order', 'doubted'] as const;

type EntryPart = (typeof entryParts)[number];

async function recordAny(entries: Entries, wanted: string[]): Promise<ReadonlySet<string>> {
	return wanted.length > 0 ? await entries.record(wanted) : new Set();
}

/** How many entries are removed at once: n8n does nothing else while it looks for them. */
const maxEntriesPerRemoval = 200;

/** Removes entries in their order, some at a time. */
async function removeAny(entries: Entries, unwanted: string[]): Promise<void> {
	for (const some of chunk(unwanted, maxEntriesPerRemoval)) await entries.remove(some);
}

/** How many references are forgotten in one turn: others must get theirs. */
const maxReferencesPerTurn = maxEntriesPerRemoval / entryParts.length;

/**
 * Forgets references, whatever their state. The entries of their orders remain, since the orders are
 * not known; without the others they say nothing.
 *
 * To look for a reference is to record it, which drops as many of the oldest entries where the store
 * is full. As all is removed again before the next turn, that is one turn's references at most.
 *
 * @returns those that would not have been sent; when cut off, others may read as unknown until they
 *   are forgotten once more
 */
export async function forgetReferences(
	store: Store,
	scope: string,
	references: readonly string[],
): Promise<ReadonlySet<string>> {
	const remembered = new Set<string>();
	// Of equal entries that the store is given at once, it may keep both.
	for (const some of chunk([...new Set(references)], maxReferencesPerTurn))
		await store.inTurn(async (entries) => {
			const pendingOf = (reference: string) => entryOf(scope, 'pending', reference);
			const fresh = await entries.record(some.map(pendingOf));
			for (const reference of some) if (!fresh.has(pendingOf(reference))) remembered.add(reference);
			await entries.remove(
				some.flatMap((reference) => entryParts.map((part) => entryOf(scope, part, reference))),
			);
		});
	return remembered;
}

/** The reference comes last, since it may hold anything: no two entries are ever the same. */
function entryOf(scope: string, state: string, reference: string): string {
	return `${scope}\n${state}\n${reference}`;
}

/*
 * n8n's store has no lock across processes: each access reads and writes all entries, so one process
 * can overwrite what another has just recorded. A claim therefore has a mark of its own. It counts
 * only when the mark is still there after the claim has settled; otherwise it is made again.
 */

const minSettlingMs = 50;

/** Three times as long as a lock may be held. */
const maxSettlingMs = 30_000;

/**
 * How long a claim must stand before it is checked.
 *
 * @param tookMs how long recording it took: an access of another process takes as long
 */
export function settlingMs(tookMs: number): number {
	return Math.min(Math.max(minSettlingMs, 3 * tookMs), maxSettlingMs);
}

/** How often a claim that another process overwrote is made before it is given up. */
export const maxClaimAttempts = 5;
