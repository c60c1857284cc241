/** References in the memory: claims them, and reads by their entries what was sent before. */
import type { Access, Purpose } from './access';
import {
	createdEntry,
	createdWays,
	firstDigests,
	firstQuestions,
	readChanges,
	type Comparison,
	type CreatedAs,
	type FoundChange,
	type SentAs,
} from './changes';
import { entryOf, referenceOf, type Reference } from './entries';

/** What the entries of a reference say. */
export type ReferenceState =
	/** It was not claimed before. */
	| 'free'
	/** Its delivery was created. */
	| 'created'
	/** The same, for another order with the same reference ID. */
	| 'anotherOrder'
	/** Some fulfillment orders of its order were claimed. */
	| 'inParts'
	/** An execution has claimed it, and is sending it now, or crashed. */
	| 'unknown';

/** A reference, and the state in which it was found. */
export interface FoundReference extends Reference {
	/** The order that it belongs to: '' for a delivery without one, undefined for a fulfillment order. */
	orderId?: string;
	/** Whether it is an order that is sent in parts. */
	isInParts: boolean;
	sentAs?: SentAs;
	state: ReferenceState;
	/** If it was created: how its order has changed since it was sent, or since the last such change. */
	change?: FoundChange;
}

/** A reference before it is claimed: if that fails, its state stays unknown. */
export function unknownReference(companyId: number | undefined, reference: string): FoundReference {
	return { ...referenceOf(companyId, reference), isInParts: false, state: 'unknown' };
}

/** The entry that claims a reference. */
export function claimEntryOf(one: Reference): string {
	return entryOf(one, 'claimed');
}

/** The entry that says that an order is sent in parts: the number 0. */
export function firstPartOf(order: Reference): string {
	return entryOf(order, 'part', 0);
}

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

/** The entry of the order that a delivery was created for, if it has one. */
function orderEntries(one: FoundReference): string[] {
	return one.orderId ? [entryOf(one, 'order', one.orderId)] : [];
}

/** The entries to record when a delivery was created. */
export function createdEntries(one: FoundReference): string[] {
	const [{ entry }] = creationsOf(one);
	return [entry, ...orderEntries(one), ...(one.sentAs ? firstDigests(one, one.sentAs) : [])];
}

/** The entries that say that a reference was sent, or that its state is unknown. */
export function decisiveEntries(one: FoundReference): string[] {
	const creations = creationsOf(one).map(({ entry }) => entry);
	return [...creations, firstPartOf(one), entryOf(one, 'examined')];
}

/** Claims references and sets their states. */
export async function claimReferences(
	access: Access,
	references: readonly FoundReference[],
	purpose: Purpose,
): Promise<void> {
	let pending = references;
	while (pending.length > 0) {
		const added = await access.add(pending.map(claimEntryOf), purpose);
		for (const one of pending) if (added.has(claimEntryOf(one))) one.state = 'free';
		const known = pending.filter(({ state }) => state !== 'free');
		pending = await readStates(access, known);
		for (const one of pending) one.resends++;
	}
}

/** A reference that was claimed before, and the ways in which its delivery may have been created. */
interface Lookup {
	one: FoundReference;
	creations: readonly Creation[];
}

/**
 * Sets the states of references that were claimed before.
 *
 * @returns those that Allow Resending has freed
 */
async function readStates(
	access: Access,
	references: readonly FoundReference[],
): Promise<FoundReference[]> {
	const lookups = references.map((one) => ({ one, creations: creationsOf(one) }));
	const known = await access.ask(references.flatMap(usualQuestions));
	// Each answer "no" costs a removal, so what is rare is asked for only if necessary.
	const undecided = lookups.filter((lookup) => isUndecided(lookup, known));
	for (const entry of await access.ask(undecided.flatMap(rareQuestions))) known.add(entry);
	const comparisons: Comparison[] = [];
	for (const lookup of lookups) {
		const { one } = lookup;
		const { isExamined, isInParts, creation } = answersFor(lookup, known);
		if (isExamined) continue;
		if (isInParts) one.state = 'inParts';
		else if (creation) one.state = isSameOrder(one, creation, known) ? 'created' : 'anotherOrder';
		if (one.state === 'created' && one.sentAs && creation?.createdAs)
			comparisons.push({ own: one, sentAs: one.sentAs, createdAs: creation.createdAs });
	}
	const changes = await readChanges(access, comparisons, known);
	for (const one of references) one.change = changes.get(one);
	return undecided
		.filter((lookup) => isUndecided(lookup, known))
		.map(({ one }) => one)
		.filter((one) => known.has(entryOf(one, 'resend')));
}

/** `examined` comes first: after an interrupted lookup, it says that the others can't be relied on. */
function usualQuestions(one: FoundReference): string[] {
	const examined = entryOf(one, 'examined');
	return one.isInParts
		? [examined, firstPartOf(one)]
		: [examined, ...createdEntries(one), ...firstQuestions(one, one.sentAs)];
}

function rareQuestions({ one }: Lookup): string[] {
	return [...decisiveEntries(one), ...orderEntries(one), entryOf(one, 'resend')];
}

/** What is known about a reference, by the entries that exist. */
function answersFor({ one, creations }: Lookup, known: ReadonlySet<string>) {
	return {
		/** Whether a lookup was interrupted, so that whatever it asked for exists: nothing is known. */
		isExamined: known.has(entryOf(one, 'examined')),
		isInParts: known.has(firstPartOf(one)),
		creation: creations.find(({ entry }) => known.has(entry)),
	};
}

function isUndecided(lookup: Lookup, known: ReadonlySet<string>): boolean {
	const { isExamined, isInParts, creation } = answersFor(lookup, known);
	return !isExamined && !isInParts && !creation;
}

/** Whether a delivery was created for the order of the reference, or for none, which counts for every one. */
function isSameOrder(
	one: FoundReference,
	{ isAny }: Creation,
	known: ReadonlySet<string>,
): boolean {
	return isAny ?? orderEntries(one).every((entry) => known.has(entry));
}
