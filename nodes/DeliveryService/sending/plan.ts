import type { CreationBody } from '../service/schemas';
import { cut } from './batches';
import {
	bodyOf,
	bySameReference,
	groupsOf,
	referencesOf,
	type Creation,
	type Sending,
} from './creations';
import type { Claim } from './ledger';

export interface Plan {
	/** The requests that would be sent, in order, with the items that they are for. */
	requests: Array<{ items: number[]; body: CreationBody }>;
	/** By the item's number: what would not be sent, and why. */
	held: Map<number, 'alreadyCreated' | 'sameReferenceInInput' | 'unknown'>;
}

/** What {@link sendCreations} would send, as far as it can be told without the service. */
export async function planCreations(
	creations: readonly Creation[],
	{ batchSize, ledgerFor }: Pick<Sending, 'batchSize' | 'ledgerFor'>,
): Promise<Plan> {
	const plan: Plan = { requests: [], held: new Map() };
	for (const group of groupsOf(creations)) {
		const ledger = ledgerFor?.(group[0]?.companyId);
		const { first, further } = ledger ? bySameReference(group) : { first: group, further: [] };
		for (const { item } of further) plan.held.set(item, 'sameReferenceInInput');
		const claims = (await ledger?.claim(referencesOf(first))) ?? new Map<string, Claim>();
		const ready = first.filter(({ item, delivery }) => {
			const claim = claims.get(delivery.referenceId ?? '');
			if (claim === 'created') plan.held.set(item, 'alreadyCreated');
			if (claim === 'unknown') plan.held.set(item, 'unknown');
			return claim === undefined || claim === 'claimed';
		});
		await ledger?.release(referencesOf(ready));
		for (const batch of cut(ready, batchSize))
			plan.requests.push({ items: batch.map(({ item }) => item), body: bodyOf(batch) });
	}
	return plan;
}
