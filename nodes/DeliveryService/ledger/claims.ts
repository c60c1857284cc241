import type { Access, Purpose } from './store';

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
	/** If it is claimed now: the entries to record when it was created, and to remove if it was not. */
	confirmed?: readonly string[];
	released?: readonly string[];
	/** The one of its cash bases that the order's other parts have; undefined if the order changed since. */
	cashBasis?: string;
}

/**
 * What an entry in the store says about a reference ID:
 *
 * | entry    | meaning                                                                         |
 * | -------- | ------------------------------------------------------------------------------- |
 * | claimed  | an execution may send it, or its order's fulfillment orders                     |
 * | created  | its delivery was created; without this, the outcome is unknown                  |
 * | order    | the order that it was created for: two shops can use the same reference; or '', |
 * |          | if it was created from fields or JSON: then it counts for every order           |
 * | parts    | it is an order that is sent by fulfillment order                                |
 * | unit     | some units of one of the order's line items were claimed                        |
 * | cash     | the first of its fulfillment orders computed their cash from this basis         |
 * | resend   | Allow Resending was used: the entries with one more of `resends` count          |
 * | examined | a lookup is going on, or was interrupted: what it asked for can't be relied on  |
 */
type EntryKind =
	'claimed' | 'created' | 'order' | 'parts' | 'unit' | 'cash' | 'resend' | 'examined';

/** A reference ID that is claimed: a delivery's own, or that of an order that is sent in parts. */
interface Reference {
	companyId?: number;
	reference: string;
	/** How many times Allow Resending was used for it. After each, all of its entries are new ones. */
	resends: number;
	/** Of a fulfillment order: those of its order, so that both can be sent again together. */
	orderResends: number;
	orderId?: string;
	isInParts?: true;
	/** What a fulfillment order takes of its order. */
	units: ReturnType<typeof unitClaims>;
	/** The cash bases of an order's fulfillment orders, and the recorded one, or the first one's. */
	cashBases: string[];
	cashBasis?: string;
	state: ClaimState;
}

function referenceOf(companyId: number | undefined, reference: string, ofOrder = 0): Reference {
	const name = { companyId, reference, resends: 0, orderResends: ofOrder };
	return { ...name, units: [], cashBases: [], state: 'unknown' };
}

/** An entry of a reference: no two are ever equal, whatever a reference contains. */
function entryOf(
	{ companyId, reference, orderResends, resends }: Reference,
	kind: EntryKind,
	...details: ReadonlyArray<string | number>
): string {
	const name = ['delivery', companyId ?? null, reference, orderResends, resends];
	return JSON.stringify([...name, kind, ...details]);
}

const claimed = (one: Reference) => entryOf(one, 'claimed');
const resend = (one: Reference) => entryOf(one, 'resend');

function createdEntries(one: Reference): string[] {
	const order = one.orderId === undefined ? [] : [entryOf(one, 'order', one.orderId)];
	return [entryOf(one, 'created'), ...order];
}

function partsEntries(order: Reference, ...bases: ReadonlyArray<string | undefined>): string[] {
	const known = bases.filter((basis) => basis !== undefined);
	return [entryOf(order, 'parts'), ...known.map((basis) => entryOf(order, 'cash', basis))];
}

/**
 * Claims deliveries that are free: whole orders first, so that none is then claimed in parts as well;
 * then the orders of fulfillment orders, as sent in parts; then fulfillment orders with their units,
 * which those after a split, a move or a replacement share with those before.
 *
 * @param claims no two with the same reference ID
 * @throws when the store fails
 */
export async function claimAll(
	access: Access,
	claims: readonly Claim[],
): Promise<ReadonlyMap<Claim, Found>> {
	const orders = new Map<string, Reference>();
	const wanted = claims.map((claim) => {
		const { referenceId, companyId, orderId, part } = claim;
		const own = referenceOf(companyId, referenceId);
		if (!part) return { claim, own: { ...own, orderId: orderId ?? '' } };
		const key = JSON.stringify([companyId, part.orderReferenceId, orderId]);
		const whole = { ...referenceOf(companyId, part.orderReferenceId), orderId };
		const order = orders.get(key) ?? { ...whole, isInParts: true, cashBasis: part.firstBasis };
		order.cashBases.push(...(part.cashBases ?? []));
		orders.set(key, order);
		return { claim, own, part, order };
	});
	const wholes = wanted.flatMap(({ own, part }) => (part ? [] : [own]));
	await claimReferences(access, wholes, 'claim');
	await claimReferences(access, [...orders.values()], 'order');
	const parts: Reference[] = [];
	const also: string[] = [];
	for (const { own, part, order } of wanted)
		if (order?.state === 'created') own.state = 'wholeCreated';
		else if (order?.state === 'unknown') own.state = 'wholeUnknown';
		else if (order) {
			Object.assign(own, { orderResends: order.resends, units: unitClaims(order, part) });
			parts.push(own);
			if (order.state === 'free') also.push(...partsEntries(order, order.cashBasis));
		}
	const units = parts.flatMap((one) => one.units.flatMap(({ entries }) => entries));
	await claimReferences(access, parts, 'claim', [...also, ...units]);
	const taken = new Set<string>();
	const found = new Map<Claim, Found>();
	for (const { claim, own, order } of wanted)
		found.set(claim, takeUnits(access, own, taken, order?.cashBasis));
	for (const entry of units) if (!taken.has(entry)) access.drop(entry);
	return found;
}

/**
 * What a claim has found. A free delivery takes its units, unless other deliveries have taken them.
 *
 * @param taken the units that the deliveries before it take; its own are added
 */
function takeUnits(
	access: Access,
	own: Reference,
	taken: Set<string>,
	cashBasis: string | undefined,
): Found {
	const isTaken = (entry: string) => !access.isNew(entry) || taken.has(entry);
	const { state, units } = own;
	if (state !== 'free') {
		const isGrown = units.some(({ entries, count }) => entries.filter(isTaken).length < count);
		return { state: state === 'created' && isGrown ? 'grown' : state };
	}
	const free = units.flatMap(({ entries, count, canceled, fulfilled }) => {
		const open = entries.filter((entry) => !isTaken(entry));
		const gone = Math.max(0, open.length - entries.length + fulfilled);
		for (const entry of open.slice(open.length - gone)) taken.add(entry);
		return open.slice(0, Math.max(0, Math.min(count, open.length - gone - canceled)));
	});
	const isComplete = free.length === units.reduce((sum, { count }) => sum + count, 0);
	// After Allow Resending for this fulfillment order, its units may go out again.
	if (!isComplete && own.resends === 0) {
		access.drop(claimed(own));
		return { state: free.length > 0 ? 'unitsPartlySent' : 'unitsSent' };
	}
	for (const entry of free) taken.add(entry);
	const released = [...free, claimed(own)];
	return { state, confirmed: createdEntries(own), released, cashBasis };
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
	purpose: Purpose,
	also: readonly string[] = [],
): Promise<void> {
	for (let pending = references, others = also; pending.length > 0; others = []) {
		const added = await access.add([...pending.map(claimed), ...others], purpose);
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
async function readStates(access: Access, references: readonly Reference[]): Promise<Reference[]> {
	const inParts = (one: Reference) => partsEntries(one, ...one.cashBases);
	const usual = (one: Reference) => (one.isInParts ? inParts : createdEntries)(one);
	const rare = (one: Reference) => (one.isInParts ? createdEntries : inParts)(one);
	// Each answer "no" costs a removal, so the rare states are asked for only if necessary.
	const first = references.flatMap((one) => [entryOf(one, 'examined'), ...usual(one)]);
	const known = await access.ask(first);
	const has = (one: Reference, kind: EntryKind) => known.has(entryOf(one, kind));
	const isUndecided = (one: Reference) =>
		!has(one, 'examined') && !has(one, 'created') && !has(one, 'parts');
	const second = references.filter(isUndecided).flatMap((one) => [...rare(one), resend(one)]);
	for (const entry of await access.ask(second)) known.add(entry);
	const anyOrder = (one: Reference) => entryOf(one, 'order', '');
	const isOther = (one: Reference) =>
		one.orderId && has(one, 'created') && !known.has(entryOf(one, 'order', one.orderId));
	for (const entry of await access.ask(references.filter(isOther).map(anyOrder))) known.add(entry);
	for (const one of references) {
		if (isUndecided(one) || has(one, 'examined')) continue;
		one.cashBasis = one.cashBases.find((basis) => known.has(entryOf(one, 'cash', basis)));
		const isSameOrder = !isOther(one) || known.has(anyOrder(one));
		one.state = has(one, 'parts') ? 'inParts' : isSameOrder ? 'created' : 'anotherOrder';
	}
	return references.filter((one) => isUndecided(one) && has(one, 'resend'));
}

/** The units of an order with more are claimed in groups, so that no order fills the store. */
const maxUnitsPerOrder = 45;

/**
 * The units that a part takes of each line item: `count` of the entries that are free, since Shopify
 * doesn't say which of a line's units are in a fulfillment order. Canceled ones may be claimed or not,
 * so as many stay free; of fulfilled ones, those not claimed before are claimed.
 */
function unitClaims(order: Reference, { lines }: OrderPart) {
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

/**
 * Lets references be sent again, whatever their state: that of an order frees its delivery and those
 * of its fulfillment orders; that of a fulfillment order frees only this one. The store can't list
 * entries, so the next ones have another count.
 *
 * @returns the references that would not have been sent
 * @throws when the store fails
 */
export async function freeReferences(
	access: Access,
	companyId: number | undefined,
	references: readonly string[],
): Promise<ReadonlySet<string>> {
	const freed = new Set<string>();
	const obsolete = ['created', 'parts', 'examined'] as const;
	// After ten uses for an order, this has no effect on its fulfillment orders' own references.
	let pending = references.flatMap((reference) =>
		Array.from({ length: 10 }, (_, count) => referenceOf(companyId, reference, count)),
	);
	while (pending.length > 0) {
		await claimReferences(access, pending, 'question');
		const remembered = pending.filter(({ state }) => state !== 'free');
		await access.add(remembered.map(resend), 'order');
		await access.remove(remembered.flatMap((one) => obsolete.map((kind) => entryOf(one, kind))));
		for (const { reference } of remembered) freed.add(reference);
		// After an interrupted lookup, the next count may be claimed as well.
		pending = remembered.filter((one) => !access.isNew(resend(one)));
		for (const one of pending) one.resends++;
	}
	return freed;
}
