/**
 * Remembers what a delivery was sent as, so that a change of its order is noticed once, also a change
 * back. Two digests are numbered for each delivery: 0 when it was created, and one more for each change
 * that was reported or accepted. Only the highest number counts.
 *
 * A number is claimed before its change is reported, and its digests are recorded afterwards. A number
 * without digests is another execution's, or that execution crashed: then its change is repeated.
 */
import type { Access } from './access';
import { entryOf, type Reference } from './entries';

/** What a driver acts on, as digests. */
export interface SentAs {
	/** The amount owed; undefined without cash on delivery: then it is not compared. */
	cash?: string;
	/** All else; undefined if it is not compared any more. */
	rest?: string;
	/** What `rest` is after a hold: if a person overrides a hold, its end is no change. */
	released?: string;
	/** What `rest` is while the delivery is to wait, and while it is to be stopped for another reason. */
	held?: string;
	stopped?: string;
}

/** The version of the digests, a whole number: raise it when equal orders get other digests. */
const digestVersion = 1;

/** How a delivery was created with digests: their version, and whether one is of its cash. */
export interface CreatedAs {
	version: number;
	hasCash: boolean;
}

/** What differs from what the delivery was sent as. Nothing if only the version of the digests does. */
export interface Change {
	readonly cash: boolean;
	readonly rest: boolean;
	/** The entry that another execution has claimed, which reports this change now, or crashed. */
	readonly claimedElsewhere?: string;
	/** Whether the delivery was to wait or to be stopped before it. */
	readonly before?: 'held' | 'stopped';
	/** Its number, from 1. */
	readonly number: number;
}

/** The same, with the entries of its report. */
export interface FoundChange extends Change {
	/** To record before it is reported, and afterwards. */
	readonly claimEntry: string;
	readonly recorded: readonly string[];
}

const versions = Array.from({ length: digestVersion }, (_, index) => index + 1);

/** All ways in which a delivery may have been created with digests, the usual one first. */
export function createdWays(sentAs: SentAs | undefined): CreatedAs[] {
	const usual = sentAs?.cash !== undefined;
	return versions
		.toReversed()
		.flatMap((version) => [usual, !usual].map((hasCash) => ({ version, hasCash })));
}

/** The entry that a delivery was created with digests. */
export function createdEntry(own: Reference, { version, hasCash }: CreatedAs): string {
	return entryOf(own, 'created', version, hasCash ? 'cash' : 'noCash');
}

/** The entries of the digests with a number. */
function digestEntries(own: Reference, number: number, { cash, rest }: SentAs): string[] {
	const ofCash = cash === undefined ? [] : [entryOf(own, 'sentCash', number, digestVersion, cash)];
	const ofRest = rest === undefined ? [] : [entryOf(own, 'sentRest', number, digestVersion, rest)];
	return [...ofCash, ...ofRest];
}

/** The entries of the digests with which a delivery was created. */
export function firstDigests(own: Reference, sentAs: SentAs): string[] {
	return [...digestEntries(own, 0, sentAs), ...digestEntries(own, 0, { rest: sentAs.released })];
}

/** The entries to ask for when a delivery is looked up: whether it has changed since number 0. */
export function firstQuestions(own: Reference, sentAs: SentAs | undefined): string[] {
	return sentAs ? [...digestEntries(own, 0, sentAs), entryOf(own, 'change', 1)] : [];
}

/** A delivery that was created with digests, and what it would be sent as now. */
export interface Comparison {
	own: Reference;
	sentAs: SentAs;
	createdAs: CreatedAs;
}

/**
 * Compares deliveries with what they were last sent as.
 *
 * @param known the answers to {@link firstQuestions}
 * @returns how the orders have changed since then; undefined for one that is unchanged
 */
export async function readChanges(
	access: Access,
	deliveries: readonly Comparison[],
	known: ReadonlySet<string>,
): Promise<ReadonlyMap<Reference, FoundChange | undefined>> {
	const all = new Set(known);
	const last = new Map(deliveries.map(({ own }) => [own, 0]));
	let pending = deliveries;
	for (let number = 1; pending.length > 0; number++) {
		pending = pending.filter(({ own }) => all.has(entryOf(own, 'change', number)));
		for (const { own } of pending) last.set(own, number);
		const questions = pending.flatMap((one) => [
			...versions.map((version) => entryOf(one.own, 'told', number, version)),
			...digestEntries(one.own, number, comparedDigests(one)),
			...digestEntries(one.own, number, { rest: one.sentAs.held }),
			...digestEntries(one.own, number, { rest: one.sentAs.stopped }),
			entryOf(one.own, 'change', number + 1),
		]);
		for (const entry of await access.ask(questions)) all.add(entry);
	}
	return new Map(deliveries.map((one) => [one.own, changeOf(one, last.get(one.own) ?? 0, all)]));
}

/** An amount that is no longer owed is a change of a delivery that was sent with cash. */
function comparedDigests({ sentAs: { cash = '', rest }, createdAs: { hasCash } }: Comparison) {
	return { cash: hasCash ? cash : undefined, rest };
}

/** A number whose change was reported or accepted, and the version of its digests. */
interface Told {
	number: number;
	version: number;
}

/** The last such number up to this one. Later ones are other executions', or these have crashed. */
function lastTold(
	{ own, createdAs }: Comparison,
	number: number,
	known: ReadonlySet<string>,
): Told {
	for (let at = number; at > 0; at--) {
		const version = versions.find((each) => known.has(entryOf(own, 'told', at, each)));
		if (version !== undefined) return { number: at, version };
	}
	return { number: 0, version: createdAs.version };
}

/**
 * Compares a delivery with what it was last told as. While it was to be stopped, nobody was told about its
 * cash, so that is compared with the number before.
 *
 * @param number that of the last change that was claimed
 */
function changeOf(
	one: Comparison,
	number: number,
	known: ReadonlySet<string>,
): FoundChange | undefined {
	const { own, sentAs, createdAs } = one;
	const digests = comparedDigests(one);
	const { cash, rest } = digests;
	const { held, stopped } = sentAs;
	const told = lastTold(one, number, known);
	const isTold = (at: number, some: SentAs) =>
		digestEntries(own, at, some).every((entry) => known.has(entry));
	/** The last number with which it was in none of these states. */
	const lastWithout = (...states: Array<string | undefined>) => {
		let at = told.number;
		while (states.some((state) => state !== undefined && isTold(at, { rest: state }))) at -= 1;
		return at;
	};
	const beforeStop = lastWithout(held, stopped);
	const wasStopped = rest !== undefined && beforeStop < told.number;
	const next = number + 1;
	const found = {
		before: wasStopped ? (isTold(told.number, { rest: held }) ? 'held' : 'stopped') : undefined,
		number: next,
		claimEntry: entryOf(own, 'change', next),
		recorded: [entryOf(own, 'told', next, digestVersion), ...digestEntries(own, next, digests)],
	} as const;
	if (told.number < number) {
		const claimedElsewhere = entryOf(own, 'change', number);
		return { ...found, cash: createdAs.hasCash, rest: rest !== undefined, claimedElsewhere };
	}
	if (told.version !== digestVersion) return { ...found, cash: false, rest: false };
	const isStopped = rest !== undefined && rest === stopped;
	const isCashTold = isStopped || isTold(lastWithout(stopped), { cash });
	const isRestTold = isTold(told.number, { rest });
	if (isCashTold && isRestTold) return undefined;
	// A release alone changes nothing that a driver acts on.
	const isRelease = isTold(beforeStop, { rest });
	return { ...found, cash: !isCashTold, rest: !isRestTold && !isRelease };
}
