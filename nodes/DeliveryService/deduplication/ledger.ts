import type { Clock } from '../common/clock';
import { removeInChunks, type Store } from './entries';
import { examine } from './examination';
import {
	entryOf,
	referenceEntries,
	wholeOrder,
	type Claim,
	type Claimant,
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
 * claim, before anything is sent, records that the order is in parts: until then it is unknown. These
 * entries stay when the fulfillment order is released, since others may rely on them.
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
	const { pending, lost, inParts, order } = names;

	/** The references of whole orders that are in parts, so that no step looks for them again. */
	const split = new Set<string>();
	/** The marks of verified claims, which are no longer needed. */
	const oldMarks: string[] = [];
	let markCount = 0;
	let unverified: UnverifiedClaims | undefined;

	return {
		async lookUp(claimants) {
			const splitNow = new Set([...split, ...referencesOf(unverified?.newlySplit)]);
			return await store.runExclusive(async (entries) => {
				const { states, added, obsolete } = await examine(entries, names, claimants, clock, {
					isSplit: (reference) => splitNow.has(reference),
				});
				await removeInChunks(entries, [...new Set([...added, ...obsolete])]);
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
			const previouslySplit = new Set(referencesOf(previous?.newlySplit));
			const wasOverwritten = (added: ReadonlySet<string>) =>
				previous !== undefined && added.has(previous.mark);
			const isOverwritten = (referenceId: string, added: ReadonlySet<string>) =>
				previouslySplit.has(referenceId) &&
				wasOverwritten(added) &&
				// Else looking for it has claimed it again.
				!added.has(pending({ referenceId }));
			const { claimed, newlySplit, foundSplit, isRepeated, tookMs } = await store.runExclusive(
				async (entries) => {
					const { states, added, obsolete, ...found } = await examine(
						entries,
						names,
						wanted,
						clock,
						{
							isSplit: (reference) => split.has(reference) || previouslySplit.has(reference),
							isOverwritten,
						},
						[
							...(wanted.length > 0 ? [newMark] : []),
							...(previous ? [...previous.claimants.map(pending), previous.mark] : []),
							...(previous?.newlySplit.flatMap(names.ofSplit) ?? []),
							...confirmed.flatMap(names.ofCreated),
							...newlyLost.map(lost),
							...(confirmed.length + newlyLost.length > 0 ? entriesOfScope : []),
						],
					);
					const isLostOrder = ({ referenceId }: Claimant) => isOverwritten(referenceId, added);
					const claimed: Claimant[] = [];
					const isRepeated = wasOverwritten(added);
					const isAdded = (entry: string) => added.has(entry);
					const undone = (previous?.newlySplit ?? [])
						.filter(isLostOrder)
						.flatMap((whole) => [inParts(whole), order(whole)]);
					for (const claimant of previous?.claimants ?? []) {
						const whole = wholeOrder(claimant);
						if (!isRepeated) results.set(claimant.referenceId, 'claimed');
						// Another execution has claimed it since.
						else if (!isAdded(pending(claimant))) results.set(claimant.referenceId, 'unknown');
						else if (whole && isLostOrder(whole)) {
							results.set(claimant.referenceId, 'wholeUnknown');
							undone.push(pending(claimant));
						} else if (previous && previous.attempts < maxClaimAttempts) claimed.push(claimant);
						else results.set(claimant.referenceId, 'unknown');
					}
					for (const claimant of wanted) {
						const state = states.get(claimant.referenceId) ?? 'unknown';
						if (state === 'free') claimed.push(claimant);
						else results.set(claimant.referenceId, state);
					}
					const isMarkUnused = wanted.length > 0 && claimed.length === 0;
					await removeInChunks(entries, [
						...undone.filter(isAdded),
						...(isMarkUnused ? [newMark] : []),
						...obsolete,
					]);
					const repeated = isRepeated ? (previous?.newlySplit ?? []) : [];
					const newlySplit = [
						...repeated.filter((whole) => !isLostOrder(whole)),
						...found.newlySplit,
					];
					return { ...found, claimed, newlySplit, isRepeated };
				},
			);
			for (const reference of referencesOf(foundSplit)) split.add(reference);
			if (!isRepeated) for (const reference of previouslySplit) split.add(reference);
			const usedMark = previous && wanted.length === 0 ? previous.mark : newMark;
			if (previous && (claimed.length === 0 || usedMark !== previous.mark))
				oldMarks.push(previous.mark);
			if (claimed.length > 0)
				unverified = {
					claimants: claimed,
					newlySplit,
					mark: usedMark,
					attempts: previous && isRepeated ? previous.attempts + 1 : 1,
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

function referencesOf(claimants: readonly Claimant[] = []): string[] {
	return claimants.map(({ referenceId }) => referenceId);
}
