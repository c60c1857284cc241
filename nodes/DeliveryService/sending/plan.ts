import type { Ledger } from '../deduplication/ledger';
import type { ReferenceState } from '../deduplication/references';
import { limits } from '../service/limits';
import type { CreationBody } from '../service/schemas';
import { chunk } from '../common/chunk';
import { creationBody, groupCreations, RequestSizes, toClaimants } from './batches';
import { skippedClaims } from './claims';
import type { SendingOptions } from './options';
import { findDuplicates, skippedDuplicate } from './duplicates';
import {
	dryRunAnotherOrder,
	dryRunInParts,
	dryRunUnknown,
	dryRunUnknownWhole,
	type Creation,
	type Skipped,
} from './outcomes';

export interface Plan {
	/** The requests that would be sent, in order, with their creations. */
	requests: Array<{ creations: readonly Creation[]; body: CreationBody }>;
	/** The creations that would not be sent, and why. */
	skipped: Array<{ creation: Creation; outcome: Skipped }>;
}

type PlanOptions = Pick<
	SendingOptions,
	'batchSize' | 'ledgerFor' | 'ownCompanyId' | 'rateLimit' | 'clock'
>;

/** What {@link sendCreations} would send, as far as that is known without calling the service. */
export async function planCreations(
	creations: readonly Creation[],
	{ batchSize, ledgerFor, ownCompanyId, rateLimit, clock }: PlanOptions,
): Promise<Plan> {
	const plan: Plan = { requests: [], skipped: [] };
	const { unique, duplicates, conflicts } = findDuplicates(creations, { ledgerFor, ownCompanyId });
	for (const duplicate of duplicates)
		plan.skipped.push({ creation: duplicate.creation, outcome: skippedDuplicate(duplicate) });
	for (const creation of conflicts)
		plan.skipped.push({ creation, outcome: skippedOutcomes.anotherOrder(creation) });
	const availableRequests = rateLimit.remaining(clock);
	const sizes = new RequestSizes(batchSize);
	let remaining = unique.length;
	for (const group of groupCreations(unique)) {
		const states = await lookUpStates(group, ledgerFor?.(group[0]?.companyId));
		const ready = group.filter((creation) => {
			const state = states.get(creation.delivery.referenceId ?? '') ?? 'free';
			if (state !== 'free')
				plan.skipped.push({ creation, outcome: skippedOutcomes[state](creation) });
			return state === 'free';
		});
		remaining -= group.length - ready.length;
		sizes.startGroup();
		for (let next = 0; next < ready.length;) {
			const size = sizes.take(remaining, availableRequests - plan.requests.length);
			const creations = ready.slice(next, next + size);
			plan.requests.push({ creations, body: creationBody(creations) });
			next += creations.length;
			remaining -= creations.length;
		}
	}
	return plan;
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
	for (const portion of chunk(toClaimants(group), limits.deliveriesPerRequest))
		for (const [reference, state] of await ledger.lookUp(portion)) states.set(reference, state);
	return states;
}
