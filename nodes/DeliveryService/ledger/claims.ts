import type { Access } from './access';
import { entryOf, nextName, unitClaims, type Name, type OrderPart } from './names';

/** What a delivery claims before it is sent. */
export interface Claim {
	referenceId: string;
	/** The child company that the reference ID belongs to; undefined for the own company. */
	companyId?: number;
	/** Unique across all shops, while two orders may share a reference ID. */
	orderId?: string;
	/** Set for a fulfillment order. */
	part?: OrderPart;
}

/** Whether a delivery may be sent, or why not. */
export type ClaimState =
	/** It may be sent; after {@link Ledger.claim}, only by this execution. */
	| 'free'
	/** An earlier run created it. */
	| 'created'
	/** It is a fulfillment order, and a delivery was created for the whole order. */
	| 'wholeCreated'
	/** It is a whole order, and some of its fulfillment orders were claimed. */
	| 'inParts'
	/** It is a fulfillment order, and all of its units were claimed by other ones. */
	| 'unitsSent'
	/** It is a fulfillment order, and some of its units were claimed by other ones. */
	| 'unitsPartlySent'
	/** The reference ID belongs to another order, which was created. */
	| 'anotherOrder'
	/** Another execution has claimed it and is sending it now, or crashed. */
	| 'unknown'
	/** It is a fulfillment order, and the whole order is unknown. */
	| 'wholeUnknown';

/** The entries of a delivery that was claimed. */
export interface ClaimEntries {
	/** To record when it was created. */
	confirmed: readonly string[];
	/** To remove when it was not created. */
	released: readonly string[];
}

/** The state of a delivery; with its entries if it was free and is now claimed. */
export interface Found {
	state: ClaimState;
	entries?: ClaimEntries;
}

/**
 * Claims deliveries that are free. Whole orders come first: none is then claimed in parts as well.
 *
 * @param claims no two with the same reference ID
 * @throws when the store fails
 */
export async function findStates(
	access: Access,
	claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, Found>> {
	const found = new Map<Claim, Found>();
	const wholes = claims.flatMap((claim) =>
		claim.part ? [] : [{ claim, reference: referenceOf(claim, claim.referenceId) }],
	);
	await claimReferences(
		access,
		wholes.map(({ reference }) => reference),
	);
	for (const { claim, reference } of wholes) {
		const { name, state, orderId } = reference;
		const order = orderId === undefined ? [] : [entryOf(name, 'order', orderId)];
		const confirmed = [entryOf(name, 'created'), ...order];
		const released = [entryOf(name, 'claimed')];
		found.set(claim, state === 'free' ? { state, entries: { confirmed, released } } : { state });
	}
	await claimParts(access, claims, found);
	return found;
}

/** A reference that is claimed: a delivery's own, or that of an order that is sent in parts. */
interface Reference {
	/** Its name; when Allow Resending was used, the one that counts now. */
	name: Name;
	orderId?: string;
	isInParts: boolean;
	/** The state before. */
	state: 'free' | 'created' | 'anotherOrder' | 'inParts' | 'unknown';
}

function referenceOf({ companyId, orderId }: Claim, reference: string): Reference {
	const name = { companyId, reference, orderNumber: 0, number: 0 };
	return { name, orderId, isInParts: false, state: 'unknown' };
}

/**
 * Claims references and sets their states.
 *
 * @param also other entries to record at once
 */
async function claimReferences(
	access: Access,
	references: readonly Reference[],
	also: readonly string[] = [],
): Promise<void> {
	const claimed = ({ name }: Reference) => entryOf(name, 'claimed');
	let pending = references;
	for (let others = also; pending.length + others.length > 0; others = []) {
		const purpose = pending.some(({ isInParts }) => isInParts) ? 'order' : 'claim';
		const added = await access.add([...others, ...pending.map(claimed)], purpose);
		for (const one of pending) if (added.has(claimed(one))) one.state = 'free';
		pending = await examine(
			access,
			pending.filter(({ state }) => state !== 'free'),
		);
		for (const one of pending) one.name = nextName(one.name);
	}
}

/**
 * Sets the states of references that were claimed before. An interrupted look-up leaves its entry
 * behind, and whatever it asked for: then the state is unknown.
 *
 * @returns those that Allow Resending has freed
 */
async function examine(access: Access, references: readonly Reference[]): Promise<Reference[]> {
	const created = ({ name, orderId }: Reference) => [
		entryOf(name, 'created'),
		...(orderId === undefined ? [] : [entryOf(name, 'order', orderId)]),
	];
	const parts = ({ name }: Reference) => [entryOf(name, 'parts')];
	const usual = await access.ask(
		references.flatMap((one) => [
			entryOf(one.name, 'examined'),
			...(one.isInParts ? parts(one) : created(one)),
		]),
	);
	const undecided = references.filter(
		({ name }) =>
			!usual(entryOf(name, 'examined')) &&
			!usual(entryOf(name, 'parts')) &&
			!usual(entryOf(name, 'created')),
	);
	const rare = await access.ask(
		undecided.flatMap((one) => [
			...(one.isInParts ? created(one) : parts(one)),
			entryOf(nextName(one.name), 'resend'),
		]),
	);
	const has = (entry: string) => usual(entry) || rare(entry);
	const freed: Reference[] = [];
	for (const one of references) {
		const { name, orderId } = one;
		if (has(entryOf(name, 'examined'))) one.state = 'unknown';
		else if (has(entryOf(name, 'parts'))) one.state = 'inParts';
		else if (has(entryOf(name, 'created'))) {
			const isSameOrder = orderId === undefined || has(entryOf(name, 'order', orderId));
			one.state = isSameOrder ? 'created' : 'anotherOrder';
		} else if (has(entryOf(nextName(name), 'resend'))) freed.push(one);
		else one.state = 'unknown';
	}
	return freed;
}

/** Why a fulfillment order can't be claimed, by the state of its whole order. */
const blockedStates: Partial<Record<Reference['state'], ClaimState>> = {
	created: 'wholeCreated',
	unknown: 'wholeUnknown',
};

/**
 * Claims fulfillment orders: their orders, as sent in parts; their own references; and their units,
 * which the fulfillment orders after a split, a move or a replacement share with those before.
 *
 * @param found the states, to which those of the fulfillment orders are added
 */
async function claimParts(
	access: Access,
	claims: readonly Claim[],
	found: Map<Claim, Found>,
): Promise<void> {
	const orders = new Map<string, Reference>();
	const all = claims.flatMap((claim) => {
		const { companyId, orderId, part } = claim;
		if (!part) return [];
		const key = JSON.stringify([companyId, part.orderReferenceId, orderId]);
		const order = orders.get(key) ?? {
			...referenceOf(claim, part.orderReferenceId),
			isInParts: true,
		};
		orders.set(key, order);
		return [{ claim, part, order }];
	});
	await claimReferences(access, [...orders.values()]);
	const parts = all.flatMap(({ claim, part, order }) => {
		const blocked = blockedStates[order.state];
		if (blocked) {
			found.set(claim, { state: blocked });
			return [];
		}
		const { name } = referenceOf(claim, claim.referenceId);
		const reference: Reference = {
			name: { ...name, orderNumber: order.name.number },
			isInParts: false,
			state: 'unknown',
		};
		return [{ claim, order, reference, units: unitClaims(order.name, part) }];
	});
	await claimReferences(
		access,
		parts.map(({ reference }) => reference),
		[
			...parts.flatMap(({ order }) =>
				order.state === 'free' ? [entryOf(order.name, 'parts')] : [],
			),
			...parts.flatMap(({ units }) => units.flatMap(({ entries }) => entries)),
		],
	);
	const taken = new Set<string>();
	for (const { claim, reference, units } of parts) {
		const { name, state } = reference;
		if (state !== 'free') {
			found.set(claim, { state: state === 'created' ? 'created' : 'unknown' });
			continue;
		}
		const free = units.map(({ entries, count }) => ({
			entries: entries.filter((entry) => access.isNew(entry) && !taken.has(entry)).slice(0, count),
			count,
		}));
		const isComplete = free.every(({ entries, count }) => entries.length === count);
		const own = free.flatMap(({ entries }) => entries);
		// After Allow Resending for this fulfillment order, its units may go out again.
		if (isComplete || name.number > 0) {
			for (const entry of own) taken.add(entry);
			const entries = {
				confirmed: [entryOf(name, 'created')],
				released: [entryOf(name, 'claimed'), ...own],
			};
			found.set(claim, { state, entries });
		} else {
			access.drop(entryOf(name, 'claimed'));
			found.set(claim, { state: own.length > 0 ? 'unitsPartlySent' : 'unitsSent' });
		}
	}
	for (const entry of parts.flatMap(({ units }) => units.flatMap(({ entries }) => entries)))
		if (!taken.has(entry)) access.drop(entry);
}
