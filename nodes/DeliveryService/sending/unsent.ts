import type { Ledger } from '../ledger/ledger';
import type { Claimant, ReferenceState } from '../ledger/references';
import { limits } from '../service/limits';
import { chunk } from '../common/chunk';
import { groupCreations, toClaimants } from './batches';
import { skippedClaims } from './claims';
import type { SendingOptions } from './options';
import { findDuplicates, isWholeAfterPart, skippedDuplicate, type Duplicate } from './duplicates';
import {
	dryRunAnotherOrder,
	dryRunInParts,
	dryRunUnknown,
	dryRunUnknownWhole,
	type Creation,
	type Skipped,
} from './outcomes';

/** A creation that would not be sent, and why. */
export interface SkippedCreation {
	creation: Creation;
	outcome: Skipped;
}

/** What {@link sendCreations} would not send, as far as that is known without calling the service. */
export async function findUnsent(
	creations: readonly Creation[],
	{ ledgerFor, ownCompanyId }: Pick<SendingOptions, 'ledgerFor' | 'ownCompanyId'>,
): Promise<SkippedCreation[]> {
	const { unique, duplicates, conflicts } = findDuplicates(creations, { ledgerFor, ownCompanyId });
	const unsent: SkippedCreation[] = [
		...duplicates.map((duplicate) => ({
			creation: duplicate.creation,
			outcome: plannedDuplicate(duplicate),
		})),
		...conflicts.map((creation) => ({
			creation,
			outcome: skippedOutcomes.anotherOrder(creation),
		})),
	];
	for (const group of groupCreations(unique)) {
		const states = await lookUpStates(group, ledgerFor?.(group[0]?.companyId));
		for (const creation of group) {
			const state = states.get(creation.delivery.referenceId ?? '') ?? 'free';
			if (state !== 'free') unsent.push({ creation, outcome: skippedOutcomes[state](creation) });
		}
	}
	return unsent;
}

function plannedDuplicate(duplicate: Duplicate): Skipped {
	return isWholeAfterPart(duplicate)
		? dryRunInParts(duplicate.creation)
		: skippedDuplicate(duplicate);
}

const skippedOutcomes = {
	...skippedClaims,
	inParts: dryRunInParts,
	anotherOrder: dryRunAnotherOrder,
	unknown: dryRunUnknown,
	lost: dryRunUnknown,
	wholeUnknown: dryRunUnknownWhole,
	wholeLost: dryRunUnknownWhole,
} as const satisfies Record<Exclude<ReferenceState, 'free'>, (creation: Creation) => Skipped>;

/**
 * Looks up the references of a group, in small portions as a run does: a look-up records entries,
 * and for many of them at once the store would drop its oldest entries.
 */
async function lookUpStates(
	group: readonly Creation[],
	ledger: Ledger | undefined,
): Promise<ReadonlyMap<string, ReferenceState>> {
	const states = new Map<string, ReferenceState>();
	if (!ledger) return states;
	const claimants = toClaimants(group);
	const isPart = ({ orderReferenceId }: Claimant) => orderReferenceId !== undefined;
	// Separately, since looked up together, the whole order of one shop is in the way of another's.
	const portions = [claimants.filter((one) => !isPart(one)), claimants.filter(isPart)].flatMap(
		(some) => chunk(some, limits.deliveriesPerRequest),
	);
	for (const portion of portions)
		for (const [reference, state] of await ledger.lookUp(portion)) states.set(reference, state);
	return states;
}
