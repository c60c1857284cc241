import type { Clock } from '../common/clock';
import { removeInChunks, type Store } from './entries';
import { examine, ordersToClaim } from './examination';
import {
	entryOf,
	referenceEntries,
	type Claim,
	type Claimant,
	type ReferenceEntries,
	type ReferenceState,
} from './references';
import { maxClaimAttempts, settlingMs } from './settling';

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
	/** Whole orders that were claimed for fulfillment orders among the claimants. */
	newlySplit: readonly Claimant[];
	mark: string;
	/** How many times they were recorded. */
	attempts: number;
	/** Resolves when they can be verified. */
	settled: Promise<void>;
}

/**
 * Opens a ledger in n8n's deduplication store. {@link referenceEntries} explains its entries.
 *
 * Two nodes of a workflow in different processes do not wait for each other, so one may overwrite
 * the other's claim: see {@link settlingMs}.
 *
 * The first fulfillment order of an order claims the whole order too. The access that verifies this
 * claim, before anything is sent, records that the order is in parts: until then it is unknown. It
 * stays in parts when the fulfillment order is released, since others may rely on that.
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
	const names = referenceEntries(scope);
	const { pending, lost, inParts } = names;

	/** The references of whole orders that are in parts, so that no step looks for them again. */
	const split = new Set<string>();
	/** The marks of verified claims, which are no longer needed. */
	const oldMarks: string[] = [];
	let markCount = 0;
	let unverified: UnverifiedClaims | undefined;

	return {
		async lookUp(claimants) {
			const splitNow = new Set([...split, ...referencesOf(unverified?.newlySplit)]);
			const isSplit = (reference: string) => splitNow.has(reference);
			const claims = [...claimants, ...ordersToClaim(claimants, isSplit)].map(pending);
			return await store.runExclusive(async (entries) => {
				const added = await entries.record([...new Set(claims)]);
				const known = { isSplit, isLost: () => false };
				const { states, obsolete } = await examine(entries, names, claimants, added, known);
				await removeInChunks(entries, [...new Set([...added, ...obsolete])]);
				return states;
			});
		},
		async proceed({ confirmed = [], wanted = [], lost: newlyLost = [] }) {
			const previous = unverified;
			unverified = undefined;
			if (!previous && confirmed.length + wanted.length + newlyLost.length === 0) return new Map();
			await previous?.settled;
			const previouslySplit = new Set(referencesOf(previous?.newlySplit));
			const isSplit = (reference: string) => split.has(reference) || previouslySplit.has(reference);
			const newMark = entryOf(scope, `claim ${++markCount}`, mark);
			// n8n may keep both of two equal entries that are recorded at once.
			const recorded = new Set([
				...(wanted.length > 0 ? [newMark] : []),
				...[...wanted, ...ordersToClaim(wanted, isSplit)].map(pending),
				...(previous ? [previous.mark] : []),
				...[...(previous?.claimants ?? []), ...(previous?.newlySplit ?? [])].map(pending),
				...(previous?.newlySplit ?? []).map(inParts),
				...confirmed.flatMap(names.ofCreated),
				...newlyLost.map(lost),
				...(confirmed.length + newlyLost.length > 0 ? entriesOfScope : []),
			]);
			const { verified, examined, tookMs } = await store.runExclusive(async (entries) => {
				const started = clock.now();
				const added = await entries.record([...recorded]);
				const tookMs = clock.now() - started;
				const verified = verify(previous, added, names);
				const isLost = (reference: string) => verified.lostOrders.has(reference);
				const examined = await examine(entries, names, wanted, added, { isSplit, isLost });
				const hasClaimed = [...examined.states.values()].includes('free');
				await removeInChunks(entries, [
					...verified.obsolete,
					...(wanted.length > 0 && !hasClaimed && verified.repeated.length === 0 ? [newMark] : []),
					...examined.obsolete,
				]);
				return { verified, examined, tookMs };
			});
			const results = new Map(verified.results);
			const claimed = [...verified.repeated];
			for (const claimant of wanted) {
				const state = examined.states.get(claimant.referenceId) ?? 'unknown';
				if (state === 'free') claimed.push(claimant);
				else results.set(claimant.referenceId, state);
			}
			for (const reference of referencesOf([...verified.split, ...examined.foundSplit]))
				split.add(reference);
			const usedMark = previous && wanted.length === 0 ? previous.mark : newMark;
			if (previous && (claimed.length === 0 || usedMark !== previous.mark))
				oldMarks.push(previous.mark);
			if (claimed.length > 0)
				unverified = {
					claimants: claimed,
					newlySplit: [...verified.repeatedSplit, ...examined.newlySplit],
					mark: usedMark,
					attempts: previous && verified.repeated.length > 0 ? previous.attempts + 1 : 1,
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

/** The results of claims that have settled, and which of them to repeat. */
interface Verification {
	results: ReadonlyMap<string, Claim>;
	repeated: Claimant[];
	/** Whole orders that are now certainly claimed for fulfillment orders. */
	split: Claimant[];
	/** Whole orders whose claims are repeated. */
	repeatedSplit: Claimant[];
	/** The references of whole orders that another execution has claimed since. */
	lostOrders: ReadonlySet<string>;
	/** The entries to remove. */
	obsolete: string[];
}

/**
 * Verifies claims after they have settled.
 *
 * @param added the entries that were added when the claims and their mark were recorded again
 */
function verify(
	previous: UnverifiedClaims | undefined,
	added: ReadonlySet<string>,
	{ pending, inParts }: ReferenceEntries,
): Verification {
	const { claimants = [], newlySplit = [], attempts = 0 } = previous ?? {};
	const isOverwritten = previous !== undefined && added.has(previous.mark);
	const isAdded = (claimant: Claimant) => added.has(pending(claimant));
	/** Another execution has claimed it since. */
	const isLost = (claimant: Claimant) => isOverwritten && !isAdded(claimant);
	/** Other processes could have claimed it while it was missing, e.g. after a look-up removed it. */
	const isDoubtful = (claimant: Claimant) => isOverwritten || isAdded(claimant);
	const orders = new Map(newlySplit.map((order) => [order.referenceId, order]));
	const lostOrders = newlySplit.filter(isLost);
	const results = new Map<string, Claim>();
	const repeated: Claimant[] = [];
	const obsolete = lostOrders.map(inParts).filter((entry) => added.has(entry));
	for (const claimant of claimants) {
		const { referenceId, orderReferenceId = '' } = claimant;
		const order = orders.get(orderReferenceId);
		if (isLost(claimant)) results.set(referenceId, 'unknown');
		else if (order && isLost(order)) {
			results.set(referenceId, 'wholeUnknown');
			obsolete.push(pending(claimant));
		} else if (![claimant, ...(order ? [order] : [])].some(isDoubtful))
			results.set(referenceId, 'claimed');
		else if (attempts < maxClaimAttempts) repeated.push(claimant);
		else results.set(referenceId, 'unknown');
	}
	return {
		results,
		repeated,
		split: newlySplit.filter((order) => !isDoubtful(order)),
		repeatedSplit: newlySplit.filter((order) => isDoubtful(order) && !isLost(order)),
		lostOrders: new Set(referencesOf(lostOrders)),
		obsolete,
	};
}

function referencesOf(claimants: readonly Claimant[] = []): string[] {
	return claimants.map(({ referenceId }) => referenceId);
}
