import { limits } from '../service/limits';
import type { CreationBody } from '../service/schemas';
import { cut } from '../shared/chunk';
import {
	bodyOf,
	bySameReference,
	groupsOf,
	referencesOf,
	type Creation,
	type Sending,
} from './creations';
import type { Ledger, State } from '../deduplication/ledger';

export interface Plan {
	/** The requests that would be sent, in order, with the items that they are for. */
	requests: Array<{ items: number[]; body: CreationBody }>;
	/** By the item's number: what would not be sent, and why. */
	held: Map<number, 'alreadyCreated' | 'sameReferenceInInput' | 'unknown'>;
}

/** What {@link sendCreations} would send, as far as it can be told without the service. */
export async function planCreations(
	creations: readonly Creation[],
	sending: Pick<Sending, 'batchSize' | 'ledgerFor' | 'ownCompanyId'>,
): Promise<Plan> {
	const plan: Plan = { requests: [], held: new Map() };
	const { first, further } = bySameReference(creations, sending);
	for (const { item } of further) plan.held.set(item, 'sameReferenceInInput');
	for (const group of groupsOf(first)) {
		const states = await statesOf(group, sending.ledgerFor?.(group[0]?.companyId));
		const ready = group.filter(({ item, delivery }) => {
			const state = states.get(delivery.referenceId ?? '') ?? 'free';
			if (state !== 'free') plan.held.set(item, state === 'created' ? 'alreadyCreated' : state);
			return state === 'free';
		});
		for (const batch of cut(ready, sending.batchSize))
			plan.requests.push({ items: batch.map(({ item }) => item), body: bodyOf(batch) });
	}
	return plan;
}

/**
 * What is known of the references of a group. They are looked up in small portions, as when they are
 * sent: while many are looked up at once, the store would drop its oldest entries for them.
 */
async function statesOf(
	group: readonly Creation[],
	ledger: Ledger | undefined,
): Promise<ReadonlyMap<string, State>> {
	const states = new Map<string, State>();
	if (!ledger) return states;
	for (const portion of cut(referencesOf(group), limits.deliveriesPerRequest))
		for (const [reference, state] of await ledger.lookUp(portion)) states.set(reference, state);
	return states;
}
