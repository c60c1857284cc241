import { chunk } from '../shared/chunk';
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
 * | entries                            | state                                         |
 * | ---------------------------------- | --------------------------------------------- |
 * | none                               | never sent, or released                       |
 * | sent, pending                      | claimed, answer not seen: outcome unknown     |
 * | sent, pending, created and order X | created for the order X, and for no other     |
 * | sent, pending, created and no order| created, for an order that is not known       |
 * | sent                               | created, as version 0.1.0 wrote it            |
 * | doubted, whatever else             | a look-up was cut off: outcome unknown        |
 *
 * While all goes well entries are only added: n8n looks through all of them for each one that it
 * removes. But to look for an entry is to record it, and what tells that a reference was created
 * must not remain when the process is killed just then. So whoever looks for that records doubt
 * along with it, and removes both: cut off, the reference reads as unknown, never as created.
 *
 * The store reads and writes all entries of a workflow at once, and turns are not kept between two
 * nodes of a workflow in different processes, so that one may write over a claim of the other. Each
 * claim therefore has a mark of its own, and counts only when that is still there after some time.
 *
 * @param scope what references are unique within: the service and the company
 * @param mark what no other ledger has, of this execution or another
 */
export function openLedger(store: Store, scope: string, mark: string, clock: Clock): Ledger {
	const sent = entry('sent');
	const pending = entry('pending');
	const created = entry('created');
	const noOrder = entry('no order');
	const doubted = entry('doubted');
	const claimed = (claimant: Claimant) => [sent(claimant), pending(claimant)];
	const order = (claimant: Claimant) =>
		claimant.orderId === undefined
			? noOrder(claimant)
			: entryOf(scope, `order ${JSON.stringify(claimant.orderId)}`, claimant.referenceId);
	function entry(part: Part): (claimant: Claimant) => string {
		return ({ referenceId }) => entryOf(scope, part, referenceId);
	}

	/** The marks of claims that have been made: they say nothing more. */
	const oldMarks: string[] = [];
	let claims = 0;

	/**
	 * Finds out what is known of references.
	 *
	 * @param also what to record along with that the references are claimed
	 * @returns also the entries that were not there before, and how long recording took
	 */
	async function examine(entries: Entries, claimants: readonly Claimant[], also: string[] = []) {
		const started = clock.now();
		const fresh = await entries.record([...claimants.flatMap(claimed), ...also]);
		const tookMs = clock.now() - started;
		const asked = claimants.filter((claimant) => !fresh.has(pending(claimant)));
		const answers = await recordAny(entries, asked.flatMap(questions));
		const others = asked.filter(
			(claimant) => !answers.has(created(claimant)) && answers.has(order(claimant)),
		);
		const ofOrders = await recordAny(entries, others.map(noOrder));
		const doubts = new Set(asked.map(doubted).filter((one) => answers.has(one)));
		const isNoDoubt = (one: string) => !doubts.has(one);
		const state = (claimant: Claimant): State => {
			if (fresh.has(pending(claimant))) return fresh.has(sent(claimant)) ? 'free' : 'created';
			if (!answers.has(doubted(claimant)) || answers.has(created(claimant))) return 'unknown';
			return ofOrders.has(noOrder(claimant)) ? 'anotherOrder' : 'created';
		};
		return {
			states: new Map(claimants.map((claimant) => [claimant.referenceId, state(claimant)])),
			// Doubt is removed last.
			recorded: [...fresh, ...ofOrders, ...[...answers].filter(isNoDoubt), ...doubts],
			tookMs,
		};
	}

	const questions = (claimant: Claimant) => [
		doubted(claimant),
		created(claimant),
		...(claimant.orderId === undefined ? [] : [order(claimant)]),
	];

	/** Those of the claimants whose claims stand, and are not written over by another process. */
	async function standing(
		claimants: readonly Claimant[],
		claimMark: string,
		tookMs: number,
	): Promise<readonly Claimant[]> {
		let left = claimants;
		for (let tries = 0; left.length > 0 && tries < maxTries; tries++) {
			await clock.wait(Math.min(Math.max(minStandingMs, 3 * tookMs), maxStandingMs));
			const isStanding = await store.inTurn(async (entries) => {
				const fresh = await entries.record([...left.flatMap(claimed), claimMark]);
				if (!fresh.has(claimMark)) return true;
				// Written over. What another has claimed since is not ours, nor is a mark of nothing.
				const lost = left.filter((claimant) => !fresh.has(sent(claimant)));
				left = left.filter((claimant) => fresh.has(sent(claimant)));
				const unwanted = lost.map(pending).filter((one) => fresh.has(one));
				await removeAny(entries, left.length > 0 ? unwanted : [...unwanted, claimMark]);
				return false;
			});
			if (isStanding) return left;
		}
		return [];
	}

	return {
		async lookUp(claimants) {
			return await store.inTurn(async (entries) => {
				const { states, recorded } = await examine(entries, claimants);
				await removeAny(entries, recorded);
				return states;
			});
		},
		async claim(claimants) {
			const claimMark = entryOf(scope, `claim ${++claims}`, mark);
			const { free, states, tookMs } = await store.inTurn(async (entries) => {
				const { states, recorded, tookMs } = await examine(entries, claimants, [claimMark]);
				const free = claimants.filter(({ referenceId }) => states.get(referenceId) === 'free');
				const kept = new Set(free.length > 0 ? [...free.flatMap(claimed), claimMark] : []);
				await removeAny(
					entries,
					recorded.filter((one) => !kept.has(one)),
				);
				return { free, states, tookMs };
			});
			const ours = new Set(
				(await standing(free, claimMark, tookMs)).map(({ referenceId }) => referenceId),
			);
			oldMarks.push(claimMark);
			const found = new Map<string, Claim>();
			for (const [reference, state] of states)
				if (state !== 'free') found.set(reference, state);
				else found.set(reference, ours.has(reference) ? 'claimed' : 'unknown');
			return found;
		},
		async confirm(claimants) {
			if (claimants.length === 0) return;
			const entriesOf = (claimant: Claimant) => [
				...claimed(claimant),
				created(claimant),
				order(claimant),
			];
			await store.inTurn(async (entries) => await entries.record(claimants.flatMap(entriesOf)));
		},
		async release(claimants) {
			if (claimants.length === 0) return;
			const unwanted = [...claimants.flatMap(claimed), ...oldMarks.splice(0)];
			await store.inTurn(async (entries) => await removeAny(entries, unwanted));
		},
	};
}

/** What is recorded of a reference, beside the order. */
const parts = ['sent', 'pending', 'created', 'no order', 'doubted'] as const;

type Part = (typeof parts)[number];

async function recordAny(entries: Entries, wanted: string[]): Promise<ReadonlySet<string>> {
	return wanted.length > 0 ? await entries.record(wanted) : new Set();
}

/** How many entries are removed at once: n8n does nothing else while it looks for them. */
const maxRemoved = 200;

/** Removes entries in their order, some at a time. */
async function removeAny(entries: Entries, unwanted: string[]): Promise<void> {
	for (const some of chunk(unwanted, maxRemoved)) await entries.remove(some);
}

/**
 * The entries of references, whatever their state, to forget them. Those of orders remain, since
 * the orders are not known; without the others they say nothing.
 */
export function entriesOfReferences(scope: string, references: readonly string[]): string[] {
	return references.flatMap((reference) => parts.map((part) => entryOf(scope, part, reference)));
}

/** The reference comes last, since it may hold anything: no two entries are ever the same. */
function entryOf(scope: string, state: string, reference: string): string {
	return `${scope}\n${state}\n${reference}`;
}
