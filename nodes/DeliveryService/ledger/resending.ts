/**
 * Allow Resending: lets references be sent again, whatever their state. The store can't list the entries
 * of a reference, so it gets another number of resends, under which it has none.
 */
import type { Access } from './access';
import { entryOf } from './entries';
import {
	claimReferences,
	decisiveEntries,
	unknownReference,
	type FoundReference,
} from './references';

/** Whether a reference may be sent again, or why not. */
export type ResendState =
	| 'freed'
	/** It may be sent anyway. */
	| 'notRemembered'
	/** It is a fulfillment order, and its whole order was sent, or may have been sent. */
	| 'orderSent';

/**
 * Lets references be sent again: that of an order frees its delivery and those of its fulfillment orders;
 * that of a fulfillment order frees only this one, and the units that it has claimed.
 *
 * @param orderReferenceId that of the order of which they are fulfillment orders, if they are; by default
 *   the text before the last hyphen of each
 * @throws when the store fails
 */
export async function freeReferences(
	access: Access,
	companyId: number | undefined,
	references: readonly string[],
	orderReferenceId?: string,
): Promise<ReadonlyMap<string, ResendState>> {
	const orderOf = (one: string) => orderReferenceId ?? /^(.+)-[^-]+$/.exec(one)?.[1] ?? '';
	const orders = new Map<string, FoundReference>();
	for (const reference of references.map(orderOf))
		if (reference !== '')
			orders.set(reference, { ...unknownReference(companyId, reference), isInParts: true });
	await claimReferences(access, [...orders.values()], 'question');
	const candidates = references.flatMap((reference) =>
		candidatesFor(unknownReference(companyId, reference), orders.get(orderOf(reference))),
	);
	const freed = await freeAll(access, candidates);
	return new Map(
		references.map((reference) => {
			const order = orders.get(orderOf(reference))?.state;
			return [reference, resendState(freed.has(reference), order)];
		}),
	);
}

function resendState(isFreed: boolean, order: FoundReference['state'] | undefined): ResendState {
	if (isFreed && order !== 'unknown') return 'freed';
	return order === 'created' || order === 'unknown' ? 'orderSent' : 'notRemembered';
}

/** A delivery to let be sent again: one of its own, or a fulfillment order. */
interface Candidate {
	own: FoundReference;
	order?: FoundReference;
}

/**
 * What a reference may be: a delivery of its own, or a fulfillment order, whose entries have the resends of
 * its order. Without any, both have the same entries.
 */
function candidatesFor(own: FoundReference, order: FoundReference | undefined): Candidate[] {
	if (!order) return [{ own }];
	const part = { own: { ...own, orderResends: order.resends }, order };
	return order.resends === 0 ? [part] : [{ own }, part];
}

/** @returns the references that were remembered, and may be sent again now */
async function freeAll(
	access: Access,
	candidates: readonly Candidate[],
): Promise<ReadonlySet<string>> {
	const freed = new Set<string>();
	let pending = candidates;
	while (pending.length > 0) {
		await claimReferences(
			access,
			pending.map(({ own }) => own),
			'question',
		);
		const remembered = pending.filter(({ own }) => own.state !== 'free');
		const units = await readNumbers(access, remembered);
		const resends = remembered.map(({ own }) => entryOf(own, 'resend'));
		await access.add([...resends, ...units], 'shared');
		await access.remove(remembered.flatMap(({ own }) => decisiveEntries(own)));
		for (const { own } of remembered) freed.add(own.reference);
		// After an interrupted lookup, the next number may be claimed as well.
		pending = remembered.filter(({ own }) => !access.isNew(entryOf(own, 'resend')));
		for (const { own } of pending) own.resends++;
	}
	return freed;
}

/** @returns the entries that free the units of fulfillment orders, by their numbers */
async function readNumbers(access: Access, candidates: readonly Candidate[]): Promise<string[]> {
	const freed: string[] = [];
	let pending = candidates.flatMap(({ own, order }) => (order ? [{ own, order }] : []));
	for (let number = 0; pending.length > 0; number++) {
		const entries = pending.flatMap(({ own, order }) => [
			entryOf(order, 'part', number),
			entryOf(own, 'number', number),
		]);
		const known = await access.ask(entries);
		// If another order has the same reference and was sent whole, the parts start with the number 1.
		pending = pending.filter(
			({ order }) => number === 0 || known.has(entryOf(order, 'part', number)),
		);
		for (const { own, order } of pending)
			if (known.has(entryOf(own, 'number', number))) freed.push(entryOf(order, 'freed', number));
	}
	return freed;
}
