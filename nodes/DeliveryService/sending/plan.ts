import type { Ledger, ReferenceState } from '../deduplication/ledger';
import { limits } from '../service/limits';
import type { CreationBody } from '../service/schemas';
import { chunk } from '../common/chunk';
import { creationBody, groupCreations, canSendIndividually, toClaimants } from './batches';
import type { SendingOptions } from './creations';
import { findDuplicates } from './duplicates';
import {
	alreadyCreated,
	anotherOrderBefore,
	sameReferenceInInput,
	unknownBefore,
	type Creation,
	type Skipped,
} from './outcomes';

export interface Plan {
	/** The requests that would be sent, in order, with what they are for. */
	requests: Array<{ creations: readonly Creation[]; body: CreationBody }>;
	/** What would not be sent, and why. */
	held: Array<{ creation: Creation; outcome: Skipped }>;
}

type Planning = Pick<
	SendingOptions,
	'batchSize' | 'ledgerFor' | 'ownCompanyId' | 'rateLimit' | 'clock'
>;

/** What {@link sendCreations} would send, as far as it can be told without the service. */
export async function planCreations(
	creations: readonly Creation[],
	{ batchSize, ledgerFor, ownCompanyId, rateLimit, clock }: Planning,
): Promise<Plan> {
	const plan: Plan = { requests: [], held: [] };
	const { unique, duplicates, conflicts } = findDuplicates(creations, { ledgerFor, ownCompanyId });
	for (const { creation } of duplicates)
		plan.held.push({ creation, outcome: sameReferenceInInput });
	for (const creation of conflicts)
		plan.held.push({ creation, outcome: skippedStates.anotherOrder });
	const room = rateLimit.room(clock);
	let left = unique.length;
	for (const group of groupCreations(unique)) {
		const states = await lookUpStates(group, ledgerFor?.(group[0]?.companyId));
		const ready = group.filter((creation) => {
			const state = states.get(creation.delivery.referenceId ?? '') ?? 'free';
			if (state !== 'free') plan.held.push({ creation, outcome: skippedStates[state] });
			return state === 'free';
		});
		left -= group.length - ready.length;
		for (const batch of chunk(ready, batchSize ?? limits.deliveriesPerRequest)) {
			const isAlone =
				batchSize === undefined && canSendIndividually(left, room - plan.requests.length);
			for (const creations of isAlone ? chunk(batch, 1) : [batch])
				plan.requests.push({ creations, body: creationBody(creations) });
			left -= batch.length;
		}
	}
	return plan;
}

const skippedStates = {
	created: alreadyCreated,
	anotherOrder: anotherOrderBefore,
	unknown: unknownBefore,
} as const satisfies Record<Exclude<ReferenceState, 'free'>, Skipped>;

/**
 * What is known of the references of a group. They are looked up in small portions, as when they are
 * sent: while many are looked up at once, the store would drop its oldest entries for them.
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
