/**
 * Decides by the entries in the store which deliveries may be sent, and claims these: whole orders, and
 * fulfillment orders with their units.
 */
import { entryOf, referenceOf, type EntryKind, type Reference } from './entries';
import type { Access, Purpose } from './store';
import {
	freeUnits,
	hasGrown,
	readUnits,
	takeUnits,
	unitsOf,
	type ClaimedLine,
	type OrderUnits,
	type Part,
} from './units';

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

/** The part of an order that one delivery takes. */
export interface OrderPart {
	/** The reference ID that the whole order would have. */
	orderReferenceId: string;
	/** All line items of the order. */
	lines: readonly ClaimedLine[];
}

/** Whether a delivery may be sent, or why not. */
export type ClaimState =
	/** It may be sent; after {@link Ledger.claim}, only by this execution. */
	| 'free'
	/** An earlier run created it; if `grown`, with fewer units of the fulfillment order. */
	| 'created'
	| 'grown'
	/** It is a fulfillment order, and a delivery was created for the whole order. */
	| 'wholeCreated'
	/** It is a whole order, and some of its fulfillment orders were claimed. */
	| 'inParts'
	/** It is a fulfillment order, and other ones have claimed all or some of its units. */
	| 'unitsSent'
	| 'unitsPartlySent'
	/** Another order with the same reference ID was created. */
	| 'anotherOrder'
	/** Another execution has claimed it, or its whole order, and is sending it now, or crashed. */
	| 'unknown'
	| 'wholeUnknown';

/** The state of a delivery before its claim. */
export interface Found {
	state: ClaimState;
	/** The entries to record before anything is sent. */
	claimed?: readonly string[];
	/** If it is claimed: the entries to record when it was created, and to remove if it was not. */
	confirmed?: readonly string[];
	released?: readonly string[];
}

/** A reference, and the state in which it was found. */
export interface FoundReference extends Reference {
	/** The order that it belongs to: '' for a delivery without one, undefined for a fulfillment order. */
	orderId?: string;
	/** Whether it is an order that is sent in parts. */
	isInParts: boolean;
	state: ClaimState;
}

const claimed = (one: Reference) => entryOf(one, 'claimed');
/** Says that an order is sent in parts: the number 0. */
export const firstPart = (order: Reference) => entryOf(order, 'part', 0);

function createdEntries(one: FoundReference): string[] {
	const order = one.orderId === undefined ? [] : [entryOf(one, 'order', one.orderId)];
	return [entryOf(one, 'created'), ...order];
}

/**
 * Finds out which deliveries are free, and claims their references. Those of whole orders come first, so
 * that none is then claimed in parts as well.
 *
 * @param claims no two with the same reference ID
 * @throws when the store fails
 */
export async function findAll(
	access: Access,
	claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, Found>> {
	const wholes = claims.flatMap((claim) => {
		const { companyId, referenceId, orderId = '', part } = claim;
		const own = { ...unknownReference(companyId, referenceId), orderId };
		return part ? [] : [{ claim, own }];
	});
	const parts = claims.flatMap((claim) => (claim.part ? [{ claim, part: claim.part }] : []));
	await claimReferences(
		access,
		wholes.map(({ own }) => own),
		'claim',
	);
	return new Map([
		...wholes.map(({ claim, own }) => [claim, foundOf(own)] as const),
		...(await findParts(access, parts)),
	]);
}

/** A reference before it is claimed: if that fails, its state stays unknown. */
export function unknownReference(companyId: number | undefined, reference: string): FoundReference {
	return { ...referenceOf(companyId, reference), isInParts: false, state: 'unknown' };
}

/** What was found about a delivery. */
function foundOf(own: FoundReference): Found {
	if (own.state !== 'free') return { state: own.state };
	return { state: 'free', confirmed: createdEntries(own), released: [claimed(own)] };
}

/** Finds and claims fulfillment orders: first their orders, as sent in parts, then them and their units. */
async function findParts(
	access: Access,
	wanted: ReadonlyArray<{ claim: Claim; part: OrderPart }>,
): Promise<Map<Claim, Found>> {
	const orders = new Map<string, FoundReference>();
	const parts = wanted.map(({ claim, part }) => {
		const { companyId, orderId, referenceId } = claim;
		const key = JSON.stringify([companyId, part.orderReferenceId, orderId]);
		const whole = unknownReference(companyId, part.orderReferenceId);
		const order = orders.get(key) ?? { ...whole, orderId, isInParts: true };
		orders.set(key, order);
		const lines = part.lines.filter(({ units }) => units > 0);
		return { claim, order, own: unknownReference(companyId, referenceId), lines };
	});
	await claimReferences(access, [...orders.values()], 'order');
	const found = new Map<Claim, Found>();
	for (const { claim, order } of parts)
		if (order.state === 'created') found.set(claim, { state: 'wholeCreated' });
		else if (order.state === 'unknown') found.set(claim, { state: 'wholeUnknown' });
	const open = parts.filter(({ claim }) => !found.has(claim));
	for (const { own, order } of open) own.orderResends = order.resends;
	await claimReferences(
		access,
		open.map(({ own }) => own),
		'claim',
	);
	const units = groupUnits(open);
	await readUnits(
		access,
		[...units.values()].filter(({ order }) => !access.isNew(claimed(order))),
	);
	for (const part of open) {
		const ofOrder = units.get(claimed(part.order));
		if (ofOrder) found.set(part.claim, foundPart(access, part, ofOrder));
	}
	return found;
}

/** The units of each order, by its claim: two shops may have orders with the same reference. */
function groupUnits(
	parts: ReadonlyArray<Part & { order: FoundReference }>,
): ReadonlyMap<string, OrderUnits> {
	const units = new Map<string, OrderUnits>();
	for (const { own, order, lines } of parts) {
		const known = units.get(claimed(order));
		if (known) known.parts.push({ own, lines });
		// The number 0 would say that the other order was sent in parts.
		else
			units.set(
				claimed(order),
				unitsOf(order, [{ own, lines }], order.state === 'anotherOrder' ? 1 : 0),
			);
	}
	return units;
}

/** What was found about a fulfillment order. If it is free, it takes its units, unless others have. */
function foundPart(
	access: Access,
	part: Part & { order: FoundReference; own: FoundReference },
	units: OrderUnits,
): Found {
	const { own, order, lines } = part;
	// Even if it is not sent: others of its order may be.
	const inParts = order.state === 'free' ? [firstPart(order)] : [];
	if (own.state === 'created' && lines.some((line) => hasGrown(units, line)))
		return { state: 'grown', claimed: inParts };
	if (own.state !== 'free') return { state: own.state, claimed: inParts };
	if (lines.every((line) => freeUnits(units, line) >= line.units)) {
		const { recorded, released } = takeUnits(units, part);
		return {
			state: 'free',
			claimed: [...inParts, ...recorded],
			confirmed: createdEntries(own),
			released: [...released, claimed(own)],
		};
	}
	access.drop(claimed(own));
	const isPartly = lines.some((line) => freeUnits(units, line) > 0);
	return { state: isPartly ? 'unitsPartlySent' : 'unitsSent', claimed: inParts };
}

/** Claims references and sets their states. */
export async function claimReferences(
	access: Access,
	references: readonly FoundReference[],
	purpose: Purpose,
): Promise<void> {
	let pending = references;
	while (pending.length > 0) {
		const added = await access.add(pending.map(claimed), purpose);
		for (const one of pending) if (added.has(claimed(one))) one.state = 'free';
		const known = pending.filter(({ state }) => state !== 'free');
		pending = await readStates(access, known);
		for (const one of pending) one.resends++;
	}
}

/**
 * Sets the states of references that were claimed before. An interrupted lookup leaves its entry
 * behind, and whatever it asked for: then the state is unknown.
 *
 * @returns those that Allow Resending has freed
 */
async function readStates(
	access: Access,
	references: readonly FoundReference[],
): Promise<FoundReference[]> {
	const inParts = (one: Reference) => [firstPart(one)];
	const usual = (one: FoundReference) => (one.isInParts ? inParts : createdEntries)(one);
	const rare = (one: FoundReference) => (one.isInParts ? createdEntries : inParts)(one);
	// Each answer "no" costs a removal, so the rare states are asked for only if necessary.
	const first = references.flatMap((one) => [entryOf(one, 'examined'), ...usual(one)]);
	const known = await access.ask(first);
	const has = (one: Reference, kind: EntryKind) => known.has(entryOf(one, kind));
	const isInParts = (one: Reference) => known.has(firstPart(one));
	const isUndecided = (one: Reference) =>
		!has(one, 'examined') && !has(one, 'created') && !isInParts(one);
	const second = references
		.filter(isUndecided)
		.flatMap((one) => [...rare(one), entryOf(one, 'resend')]);
	for (const entry of await access.ask(second)) known.add(entry);
	const anyOrder = (one: Reference) => entryOf(one, 'order', '');
	const isOther = (one: FoundReference) =>
		one.orderId && has(one, 'created') && !known.has(entryOf(one, 'order', one.orderId));
	for (const entry of await access.ask(references.filter(isOther).map(anyOrder))) known.add(entry);
	for (const one of references) {
		if (isUndecided(one) || has(one, 'examined')) continue;
		const isSameOrder = !isOther(one) || known.has(anyOrder(one));
		one.state = isInParts(one) ? 'inParts' : isSameOrder ? 'created' : 'anotherOrder';
	}
	return references.filter((one) => isUndecided(one) && has(one, 'resend'));
}
