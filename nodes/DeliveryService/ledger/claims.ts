import type { Access } from './store';

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
	/** All line items of the order: the units ordered, canceled, fulfilled, and in this delivery. */
	lines: ReadonlyArray<{
		id: string;
		quantity: number;
		canceled?: number;
		fulfilled?: number;
		units: number;
	}>;
	/** What its share of the order's unpaid amount may be computed from, if it has one. */
	cashBases?: readonly string[];
	/** The basis that counts if it is one of the first parts of its order. */
	firstBasis?: string;
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
	/** If it is claimed now: the entries to record when it was created. */
	confirmed?: readonly string[];
	/** If it is claimed now: the entries to remove when it was not created. */
	released?: readonly string[];
	/** The one of its cash bases that the order's other parts have; undefined if the order changed since. */
	cashBasis?: string;
}

/**
 * A reference ID in the ledger. Its entries in the store are:
 *
 * | entry    | meaning                                                                         |
 * | -------- | ------------------------------------------------------------------------------- |
 * | claimed  | an execution may send it, or its order's fulfillment orders                     |
 * | created  | its delivery was created; without this, the outcome is unknown                  |
 * | order    | the order that it was created for: two shops can use the same reference         |
 * | parts    | it is an order that is sent by fulfillment order                                |
 * | unit     | some units of one of the order's line items were claimed                        |
 * | cash     | the first of its fulfillment orders computed their cash from this basis         |
 * | resend   | Allow Resending has replaced this name by the one with the next number          |
 * | examined | a lookup is going on, or was interrupted: what it asked for can't be relied on  |
 */
interface Name {
	/** The child company that the reference belongs to; undefined for the own company. */
	companyId?: number;
	reference: string;
	/** Of a fulfillment order: the number of its order, so that both can be sent again together. */
	orderNumber: number;
	/** How many times Allow Resending was used for it. */
	number: number;
}

type EntryKind =
	'claimed' | 'created' | 'order' | 'parts' | 'unit' | 'cash' | 'resend' | 'examined';

/** An entry of a name: no two are ever equal, whatever a reference contains. */
function entryOf(
	{ companyId, reference, orderNumber, number }: Name,
	kind: EntryKind,
	...details: ReadonlyArray<string | number>
): string {
	const key = ['delivery', companyId ?? null, reference, orderNumber, number, kind, ...details];
	return JSON.stringify(key);
}

/** The name after Allow Resending. */
const nextName = (name: Name): Name => ({ ...name, number: name.number + 1 });

/**
 * Claims deliveries that are free: whole orders first, so that none is then claimed in parts as well;
 * then the orders of fulfillment orders, as sent in parts; then fulfillment orders with their units,
 * which those after a split, a move or a replacement share with those before.
 *
 * @param claims no two with the same reference ID
 * @throws when the store fails
 */
export async function findStates(
	access: Access,
	claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, Found>> {
	const found = new Map<Claim, Found>();
	const orders = new Map<string, Reference>();
	const wanted = claims.map((claim) => {
		const { referenceId, companyId, orderId, part } = claim;
		if (!part) return { claim, reference: referenceOf(companyId, referenceId, orderId) };
		const key = JSON.stringify([companyId, part.orderReferenceId, orderId]);
		const whole = referenceOf(companyId, part.orderReferenceId, orderId);
		const order = orders.get(key) ?? { ...whole, isInParts: true, cashBasis: part.firstBasis };
		order.cashBases.push(...(part.cashBases ?? []));
		orders.set(key, order);
		return { claim, reference: referenceOf(companyId, referenceId), part, order };
	});
	const wholes = wanted.flatMap(({ reference, order }) => (order ? [] : [reference]));
	await claimReferences(access, wholes);
	await claimReferences(access, [...orders.values()]);
	const parts: Reference[] = [];
	const firstParts: string[] = [];
	for (const { claim, reference, part, order } of wanted) {
		if (!part) continue;
		const { name, state } = order;
		if (state === 'created') found.set(claim, { state: 'wholeCreated' });
		else if (state === 'unknown') found.set(claim, { state: 'wholeUnknown' });
		else parts.push(reference);
		if (state === 'free') firstParts.push(...partsEntries(name, order.cashBasis));
		reference.name.orderNumber = name.number;
		reference.units = unitClaims(name, part);
	}
	const units = parts.flatMap((one) => one.units.flatMap(({ entries }) => entries));
	await claimReferences(access, parts, [...firstParts, ...units]);
	const taken = new Set<string>();
	const isOpen = (entry: string) => access.isNew(entry) && !taken.has(entry);
	for (const { claim, reference, order } of wanted) {
		if (found.has(claim)) continue;
		const { name, state } = reference;
		if (state !== 'free') {
			const hasMore = ({ entries, count }: UnitClaim) =>
				entries.length - entries.filter(isOpen).length < count;
			const isGrown = reference.units.some(hasMore);
			found.set(claim, { state: state === 'created' && isGrown ? 'grown' : state });
			continue;
		}
		const free = reference.units.map(({ entries, count, canceled, fulfilled }) => {
			const others = entries.filter(isOpen);
			const gone = Math.max(0, others.length - entries.length + fulfilled);
			for (const entry of others.slice(others.length - gone)) taken.add(entry);
			return others.slice(0, Math.max(0, Math.min(count, others.length - gone - canceled)));
		});
		const own = free.flat();
		const isComplete = reference.units.every(({ count }, line) => free[line]?.length === count);
		// After Allow Resending for this fulfillment order, its units may go out again.
		if (isComplete || name.number > 0) {
			for (const entry of own) taken.add(entry);
			const released = [...own, entryOf(name, 'claimed')];
			const confirmed = createdEntries(reference);
			found.set(claim, { state, confirmed, released, cashBasis: order?.cashBasis });
		} else {
			access.drop(entryOf(name, 'claimed'));
			found.set(claim, { state: own.length > 0 ? 'unitsPartlySent' : 'unitsSent' });
		}
	}
	for (const entry of units) if (!taken.has(entry)) access.drop(entry);
	return found;
}

/** A reference that is claimed: a delivery's own, or that of an order that is sent in parts. */
interface Reference {
	/** Its name; when Allow Resending was used, the one that counts now. */
	name: Name;
	orderId?: string;
	isInParts: boolean;
	/** What a fulfillment order takes of its order. */
	units: UnitClaim[];
	/** The cash bases of an order's fulfillment orders, and the recorded one, or the first one's. */
	cashBases: string[];
	cashBasis?: string;
	state: 'free' | 'created' | 'anotherOrder' | 'inParts' | 'unknown';
}

function referenceOf(
	companyId: number | undefined,
	reference: string,
	orderId?: string,
): Reference {
	const name = { companyId, reference, orderNumber: 0, number: 0 };
	return { name, orderId, isInParts: false, units: [], cashBases: [], state: 'unknown' };
}

function createdEntries({ name, orderId }: Reference): string[] {
	const order = orderId === undefined ? [] : [entryOf(name, 'order', orderId)];
	return [entryOf(name, 'created'), ...order];
}

function partsEntries(name: Name, ...cashBases: ReadonlyArray<string | undefined>): string[] {
	const bases = cashBases.filter((basis) => basis !== undefined);
	return [entryOf(name, 'parts'), ...bases.map((basis) => entryOf(name, 'cash', basis))];
}

/**
 * Claims references and sets their states.
 *
 * @param also other entries to record at once, after them: a delivery must not look free while its
 *   units are taken
 */
async function claimReferences(
	access: Access,
	references: readonly Reference[],
	also: readonly string[] = [],
): Promise<void> {
	const claimed = ({ name }: Reference) => entryOf(name, 'claimed');
	const purpose = references.some(({ isInParts }) => isInParts) ? 'order' : 'claim';
	for (let pending = references, others = also; pending.length > 0; others = []) {
		const added = await access.add([...pending.map(claimed), ...others], purpose);
		for (const one of pending) if (added.has(claimed(one))) one.state = 'free';
		const known = pending.filter(({ state }) => state !== 'free');
		pending = await examine(access, known);
		for (const one of pending) one.name = nextName(one.name);
	}
}

/**
 * Sets the states of references that were claimed before. An interrupted lookup leaves its entry
 * behind, and whatever it asked for: then the state is unknown.
 *
 * @returns those that Allow Resending has freed
 */
async function examine(access: Access, references: readonly Reference[]): Promise<Reference[]> {
	const entriesInParts = ({ name, cashBases }: Reference) => partsEntries(name, ...cashBases);
	// Each answer "no" costs a removal, so the rare states are asked for only if necessary.
	const known = await access.ask(
		references.flatMap((one) => [
			entryOf(one.name, 'examined'),
			...(one.isInParts ? entriesInParts : createdEntries)(one),
		]),
	);
	const has = ({ name }: Reference, kind: 'examined' | 'created' | 'parts') =>
		known.has(entryOf(name, kind));
	const isOpen = (one: Reference) =>
		!has(one, 'examined') && !has(one, 'created') && !has(one, 'parts');
	const rare = await access.ask(
		references
			.filter(isOpen)
			.flatMap((one) => [
				...(one.isInParts ? createdEntries : entriesInParts)(one),
				entryOf(nextName(one.name), 'resend'),
			]),
	);
	for (const entry of rare) known.add(entry);
	for (const one of references) {
		const isSameOrder = createdEntries(one).every((entry) => known.has(entry));
		if (isOpen(one) || has(one, 'examined')) one.state = 'unknown';
		else {
			one.cashBasis = one.cashBases.find((basis) => known.has(entryOf(one.name, 'cash', basis)));
			if (has(one, 'parts')) one.state = 'inParts';
			else one.state = isSameOrder ? 'created' : 'anotherOrder';
		}
	}
	return references.filter(
		(one) => isOpen(one) && known.has(entryOf(nextName(one.name), 'resend')),
	);
}

/** The units of an order with more are claimed in groups, so that no order fills the store. */
const maxUnitsPerOrder = 45;

/**
 * The units that a delivery takes of a line item: `count` of these entries that are free. Canceled ones
 * may be claimed or not, so as many stay free; of fulfilled ones, those not claimed before are claimed.
 */
interface UnitClaim {
	entries: string[];
	count: number;
	canceled: number;
	fulfilled: number;
}

/**
 * The entries for the units of a part. Shopify doesn't say which of a line's units are in a
 * fulfillment order, so any that are free count.
 */
function unitClaims(order: Name, { lines }: OrderPart): UnitClaim[] {
	const total = lines.reduce((sum, { quantity }) => sum + quantity, 0);
	const maxGroups =
		total <= maxUnitsPerOrder ? Infinity : Math.max(1, Math.floor(maxUnitsPerOrder / lines.length));
	return lines.flatMap(({ id, quantity, canceled = 0, fulfilled = 0, units }) => {
		if (units <= 0) return [];
		const groupSize = Math.max(1, Math.ceil(quantity / maxGroups));
		const groupsOf = (some: number) => Math.ceil(Math.max(some, units) / groupSize);
		const length = groupsOf(quantity);
		const entries = Array.from({ length }, (_, group) => entryOf(order, 'unit', id, group));
		const claim = { count: groupsOf(0), canceled: length - groupsOf(quantity - canceled) };
		return [{ ...claim, entries, fulfilled: Math.floor(fulfilled / groupSize) }];
	});
}

/** How many times Allow Resending for an order has an effect on its fulfillment orders' own. */
const maxOrderNumber = 9;

/**
 * Lets references be sent again, whatever their state: that of an order frees its delivery and those
 * of its fulfillment orders; that of a fulfillment order frees only this one. The store can't list
 * entries, so each gets a new name: see {@link Name}.
 *
 * @returns the references that would not have been sent
 * @throws when the store fails
 */
export async function freeReferences(
	access: Access,
	companyId: number | undefined,
	references: readonly string[],
): Promise<ReadonlySet<string>> {
	const claimed = (name: Name) => entryOf(name, 'claimed');
	const resend = (name: Name) => entryOf(nextName(name), 'resend');
	const freed = new Set<string>();
	const obsolete: string[] = [];
	let names = [...new Set(references)].flatMap((reference) =>
		Array.from({ length: maxOrderNumber + 1 }, (_, orderNumber): Name => ({
			...{ companyId, reference, orderNumber, number: 0 },
		})),
	);
	while (names.length > 0) {
		const known = await access.ask(names.map(claimed));
		const remembered = names.filter((name) => known.has(claimed(name)));
		const added = await access.add(remembered.map(resend), 'order');
		for (const name of remembered) {
			if (added.has(resend(name))) freed.add(name.reference);
			for (const kind of ['created', 'parts', 'examined'] as const)
				obsolete.push(entryOf(name, kind));
		}
		names = remembered.filter((name) => !added.has(resend(name))).map(nextName);
	}
	await access.remove(obsolete);
	return freed;
}
