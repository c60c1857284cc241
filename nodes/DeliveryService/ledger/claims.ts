/**
 * Decides by the entries in the store which deliveries may be sent, and claims these: whole orders, and
 * fulfillment orders with their units.
 */
import {
	createdEntry,
	createdWays,
	digestEntries,
	firstQuestions,
	readChanges,
	type Change,
	type Comparison,
	type CreatedAs,
	type SentAs,
} from './changes';
import { entryOf, referenceOf, type EntryKind, type Reference } from './entries';
import type { AsOf, Holder } from './processMemory';
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
	/** Whether its order is so old that there must be a trace of it: only then, one is looked for. */
	isLate?: boolean;
	/** What it is sent as; undefined if later changes of its order are not compared. */
	sentAs?: SentAs;
	/** When its order was in this state. */
	asOf?: AsOf;
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
	/** If it was created: how its order has changed since it was sent, or since the last such change. */
	change?: Change;
	/** If its order is late: whether it was met in time, or anything was claimed for it. */
	isSeen?: boolean;
	/** If its order is late: whether it was named, as one that was never met in time. */
	isNamed?: boolean;
	/** Whether a later state of its order was certainly met before, which decides about it. */
	isOutdated?: boolean;
	/** The entry of the claim: its own, or that of its whole order. */
	claimed: string;
	/** The execution that has the claim; undefined if it is of another process, or of one that crashed. */
	holder?: Holder;
	/** The entries to record before anything is sent. */
	inAdvance?: readonly string[];
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
	sentAs?: SentAs;
	state: ClaimState;
	change?: Change;
}

const claimed = (one: Reference) => entryOf(one, 'claimed');
/** Says that an order is sent in parts: the number 0. */
const firstPart = (order: Reference) => entryOf(order, 'part', 0);

/** How a delivery may have been created, by its entry; the first one is how it would be created now. */
interface Creation {
	entry: string;
	/** Whether it counts for every order: it was created from fields or JSON. */
	isAny?: true;
	/** Set if it was created with digests. */
	createdAs?: CreatedAs;
}

function creationsOf(one: FoundReference): [Creation, ...Creation[]] {
	const [usual, ...others] = createdWays(one.sentAs).map((createdAs) => {
		return { entry: createdEntry(one, createdAs), createdAs };
	});
	const plain: Creation = { entry: entryOf(one, 'created') };
	const any: Creation = { entry: entryOf(one, 'created', 'any'), isAny: true };
	if (one.sentAs && usual) return [usual, ...others, plain, any];
	const rest = usual ? [usual, ...others] : [];
	return one.orderId === '' ? [any, plain, ...rest] : [plain, any, ...rest];
}

const orderEntries = (one: FoundReference) =>
	one.orderId ? [entryOf(one, 'order', one.orderId)] : [];

/** The entries to record when a delivery was created. */
function createdEntries(one: FoundReference): string[] {
	const [{ entry }] = creationsOf(one);
	return [entry, ...orderEntries(one), ...(one.sentAs ? digestEntries(one, 0, one.sentAs) : [])];
}

/** The entries that say that a reference was sent, or that its state is unknown. */
export function decisiveEntries(one: FoundReference): string[] {
	const creations = creationsOf(one).map(({ entry }) => entry);
	return [...creations, firstPart(one), entryOf(one, 'examined')];
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
		const { companyId, referenceId, orderId = '', part, sentAs } = claim;
		const own = { ...unknownReference(companyId, referenceId), orderId };
		// Without an order, there is nothing to compare it with.
		return part ? [] : [{ claim, own: orderId === '' ? own : { ...own, sentAs } }];
	});
	const parts = claims.flatMap((claim) => (claim.part ? [{ claim, part: claim.part }] : []));
	await claimReferences(
		access,
		wholes.map(({ own }) => own),
		'claim',
	);
	return new Map([
		...wholes.map(({ claim, own }) => [claim, { ...foundOf(own), isSeen: isTraced(own) }] as const),
		...(await findParts(access, parts)),
	]);
}

/** A reference before it is claimed: if that fails, its state stays unknown. */
export function unknownReference(companyId: number | undefined, reference: string): FoundReference {
	return { ...referenceOf(companyId, reference), isInParts: false, state: 'unknown' };
}

/** What the memory says about an order that was met and not sent. */
export type Trace = 'seen' | 'named';

/** The entry of an order's trace: its oldest, so it has the name from before any use of Allow Resending. */
export function traceEntry({ companyId, referenceId, orderId = '', part }: Claim, trace: Trace) {
	return entryOf(referenceOf(companyId, part?.orderReferenceId ?? referenceId), trace, orderId);
}

/** What was found about a delivery. */
function foundOf(own: FoundReference): Found {
	const { state, change } = own;
	if (state !== 'free') return { state, change, claimed: claimed(own) };
	return {
		state,
		claimed: claimed(own),
		confirmed: createdEntries(own),
		released: [claimed(own)],
	};
}

/**
 * Sets whether the orders of late deliveries were seen or named. After a claim, also a released one of a
 * fulfillment order, or Allow Resending, an order counts as seen, and not as named.
 */
export async function readTraces(access: Access, found: ReadonlyMap<Claim, Found>): Promise<void> {
	const untraced = [...found].filter(
		([{ isLate }, { state, isSeen }]) => isLate && state === 'free' && !isSeen,
	);
	const claims = untraced.map(([, one]) => one.claimed);
	// If this fails, the answers can't be relied on later: then the claims stay, and are unknown.
	access.setPurpose(claims, 'order');
	const known = await access.ask(
		untraced.flatMap(([claim]) => [traceEntry(claim, 'seen'), traceEntry(claim, 'named')]),
	);
	access.setPurpose(claims, 'claim');
	for (const [claim, one] of untraced) {
		one.isSeen = known.has(traceEntry(claim, 'seen'));
		one.isNamed = known.has(traceEntry(claim, 'named'));
	}
}

/** Whether a reference was ever claimed; undefined if it was not, so that its order may have another trace. */
const isTraced = ({ state, resends }: FoundReference) =>
	state === 'free' && resends === 0 ? undefined : true;

/** Finds and claims fulfillment orders: first their orders, as sent in parts, then them and their units. */
async function findParts(
	access: Access,
	wanted: ReadonlyArray<{ claim: Claim; part: OrderPart }>,
): Promise<Map<Claim, Found>> {
	const orders = new Map<string, FoundReference>();
	const parts = wanted.map(({ claim, part }) => {
		const { companyId, orderId, referenceId, sentAs } = claim;
		const key = JSON.stringify([companyId, part.orderReferenceId, orderId]);
		const whole = unknownReference(companyId, part.orderReferenceId);
		const order = orders.get(key) ?? { ...whole, orderId, isInParts: true };
		orders.set(key, order);
		const lines = part.lines.filter(({ units }) => units > 0);
		return { claim, order, own: { ...unknownReference(companyId, referenceId), sentAs }, lines };
	});
	await claimReferences(access, [...orders.values()], 'order');
	const found = new Map<Claim, Found>();
	for (const { claim, order } of parts) {
		const whole = { claimed: claimed(order), isSeen: true };
		if (order.state === 'created') found.set(claim, { state: 'wholeCreated', ...whole });
		if (order.state === 'unknown') found.set(claim, { state: 'wholeUnknown', ...whole });
	}
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
		const isSeen = isTraced(part.order) ?? isTraced(part.own);
		if (ofOrder) found.set(part.claim, { ...foundPart(access, part, ofOrder), isSeen });
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
	const inAdvance = order.state === 'free' ? [firstPart(order)] : [];
	const found = { ...foundOf(own), inAdvance };
	if (found.state === 'created' && lines.some((line) => hasGrown(units, line)))
		return { ...found, state: 'grown' };
	if (found.state !== 'free') return found;
	if (lines.every((line) => freeUnits(units, line) >= line.units)) {
		const { recorded, released } = takeUnits(units, part);
		return {
			...found,
			inAdvance: [...inAdvance, ...recorded],
			released: [...released, found.claimed],
		};
	}
	access.setPurpose([found.claimed], 'question');
	const isPartly = lines.some((line) => freeUnits(units, line) > 0);
	const state = isPartly ? 'unitsPartlySent' : 'unitsSent';
	return { state, claimed: found.claimed, inAdvance };
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
	const creationsBy = new Map(references.map((one) => [one, creationsOf(one)]));
	const usual = (one: FoundReference) =>
		one.isInParts ? [firstPart(one)] : [...createdEntries(one), ...firstQuestions(one, one.sentAs)];
	// Each answer "no" costs a removal, so what is rare is asked for only if necessary.
	const known = await access.ask(
		references.flatMap((one) => [entryOf(one, 'examined'), ...usual(one)]),
	);
	const has = (one: Reference, kind: EntryKind) => known.has(entryOf(one, kind));
	const creationOf = (one: FoundReference) =>
		creationsBy.get(one)?.find(({ entry }) => known.has(entry));
	const isInParts = (one: Reference) => known.has(firstPart(one));
	const isUndecided = (one: FoundReference) =>
		!has(one, 'examined') && !creationOf(one) && !isInParts(one);
	const rare = references
		.filter(isUndecided)
		.flatMap((one) => [...decisiveEntries(one), ...orderEntries(one), entryOf(one, 'resend')]);
	for (const entry of await access.ask(rare)) known.add(entry);
	const comparisons: Comparison[] = [];
	for (const one of references) {
		if (isUndecided(one) || has(one, 'examined')) continue;
		const { createdAs, isAny } = creationOf(one) ?? {};
		const isSameOrder = isAny ?? orderEntries(one).every((entry) => known.has(entry));
		one.state = isInParts(one) ? 'inParts' : isSameOrder ? 'created' : 'anotherOrder';
		if (one.sentAs && createdAs && one.state === 'created')
			comparisons.push({ own: one, sentAs: one.sentAs, createdAs });
	}
	const changes = await readChanges(access, comparisons, known);
	for (const one of references) one.change = changes.get(one);
	return references.filter((one) => isUndecided(one) && has(one, 'resend'));
}
