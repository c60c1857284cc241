import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod/v4';

import type { Store } from '../ledger/entries';
import { maxClaimAttempts, settlingMs } from '../ledger/settling';
import { openNodeStore } from '../ledger/store';
import { chunk } from '../common/chunk';
import { realClock, type Clock } from '../common/clock';
import { eventNameSchema, events } from '../service/events';

/*
 * Duplicates are dropped in the execution that a call has started, not during the call: n8n 2.41
 * doesn't save what a node records during a call, and n8n 1.x loses most of it when calls are
 * concurrent.
 */

const ignoreMinutesSchema = z.coerce.number().positive().catch(0);

/**
 * The trigger's items without those whose event arrived before within the time of the option Ignore
 * Duplicates. Returns all items when the option is off, and always those of a test event.
 *
 * Returns all items, too, when n8n's store fails: an extra event is better than a missing one.
 */
export async function dropDuplicateEvents(
	context: IExecuteFunctions,
): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const option = context.getNodeParameter('options.ignoreDuplicatesMinutes', 0, 0);
	const withinMs = ignoreMinutesSchema.parse(option) * 60_000;
	if (withinMs === 0 || context.getMode() === 'manual') return items;
	const store = openNodeStore(context);
	const dropDuplicates = async () =>
		await dropSeen(items, store, context.getExecutionId(), withinMs, realClock);
	try {
		// When two processes create a node's first entries at the same time, one of them fails once.
		return await dropDuplicates().catch(dropDuplicates);
	} catch (error) {
		context.logger.warn(
			`Node "${context.getNode().name}" let all events through: Ignore Duplicates Within (Minutes) could not check for duplicates (${error instanceof Error ? error.message : 'unknown reason'})`,
		);
		return items;
	}
}

/** Time slots per period: an event counts as seen for the period and up to one slot more. */
const timeSlots = 2;

/** An event, by digests. */
interface Arrival {
	content: string;
	/** Its delivery or route; undefined when it names none. */
	subject?: string;
}

/**
 * Drops items with the content of the previous event of the same delivery, if that one is an earlier
 * item, or an item that another execution has recorded within the time. A delivery may return to an
 * earlier status, so an event that comes after a different one passes.
 *
 * The store has no timestamps: an event is recorded in the current time slot and, to find earlier
 * ones, in the slots before it. The store has no locks either: each execution records its own
 * marker, as the claims in `ledger.ts` do. When an execution runs again after a crash, it finds its
 * own markers.
 *
 * @param execution a unique ID of the execution
 */
export async function dropSeen<Item extends { json: IDataObject }>(
	items: readonly Item[],
	store: Store,
	execution: string,
	withinMs: number,
	clock: Clock,
): Promise<Item[]> {
	const passed = new Set<Item>();
	for (const round of roundsOf(items)) {
		const unseen = await unseenArrivals([...round.keys()], store, execution, withinMs, clock);
		for (const [arrival, item] of round) if (unseen.has(arrival)) passed.add(item);
	}
	return items.filter((item) => passed.has(item));
}

/**
 * The items by what arrived: the first of each delivery, then the second, and so on, without
 * repetitions.
 */
function roundsOf<Item extends { json: IDataObject }>(
	items: readonly Item[],
): Array<Map<Arrival, Item>> {
	const rounds: Array<Map<Arrival, Item>> = [];
	const latest = new Map<string, { content: string; round: number }>();
	for (const item of items) {
		const arrival = { content: fingerprint(item.json), subject: subjectOf(item.json) };
		const { content, subject = content } = arrival;
		const previous = latest.get(subject);
		if (previous?.content === content) continue;
		const round = previous ? previous.round + 1 : 0;
		latest.set(subject, { content, round });
		(rounds[round] ??= new Map<Arrival, Item>()).set(arrival, item);
	}
	return rounds;
}

async function unseenArrivals(
	arrivals: readonly Arrival[],
	store: Store,
	execution: string,
	withinMs: number,
	clock: Clock,
): Promise<ReadonlySet<Arrival>> {
	const slot = Math.floor((clock.now() * timeSlots) / withinMs);
	const slotKeys = ({ content }: Arrival) =>
		Array.from({ length: timeSlots + 1 }, (_, back) => `${withinMs} ${slot - back} ${content}`);
	const markerKey = ({ content }: Arrival) => `${execution} ${content}`;
	const ownKeys = (arrival: Arrival) => [
		...slotKeys(arrival),
		...latestKeys(arrival),
		markerKey(arrival),
	];

	const unseen = new Set(arrivals);
	const changed = new Set<Arrival>();
	let unverified = arrivals;
	let elapsedMs = 0;
	for (let attempt = 0; unverified.length > 0 && attempt <= maxClaimAttempts; attempt++) {
		if (attempt > 0) await clock.wait(settlingMs(elapsedMs));
		unverified = await store.runExclusive(async (entries) => {
			const started = clock.now();
			const subjects = unverified.flatMap(({ subject }) => subject ?? []);
			const added = await entries.record([...subjects, ...unverified.flatMap(ownKeys)]);
			elapsedMs = clock.now() - started;
			const isRecorded = (key: string) => !added.has(key);
			const isNew = (arrival: Arrival) => added.has(markerKey(arrival));
			const seen = unverified.filter(
				(arrival) =>
					isNew(arrival) &&
					slotKeys(arrival).some(isRecorded) &&
					latestKeys(arrival).every(isRecorded),
			);
			for (const arrival of seen) unseen.delete(arrival);
			const passing = unverified.filter((arrival) => unseen.has(arrival));
			for (const arrival of passing) {
				const { subject } = arrival;
				const mayHaveChanged = subject !== undefined && isRecorded(subject);
				if (mayHaveChanged && (isNew(arrival) || attempt === 0)) changed.add(arrival);
			}
			const obsolete = [
				// A duplicate must not extend the time.
				...seen.flatMap(slotKeys).filter((key) => added.has(key)),
				...passing.filter((arrival) => changed.has(arrival)).flatMap(earlierKeys),
			];
			for (const some of chunk(obsolete, maxRemoved)) await entries.remove(some);
			return passing.filter(isNew);
		});
	}
	return unseen;
}

/** How many entries to remove at once: n8n is blocked while it searches for them. */
const maxRemoved = 200;

/*
 * Which event of a delivery was the latest. The store can't be searched for a delivery's events, but
 * it can forget entries whose names are known: so the latest event is recorded digit by digit, and
 * all other values of these digits are forgotten.
 */

const hexDigits = [...'0123456789abcdef'];

/** How many digits of the content's digest identify it among the events of one delivery. */
const digitCount = 4;

function latestKeys({ content, subject }: Arrival): string[] {
	return digitKeys(subject, (digit, position) => digit === content[position]);
}

/** What is recorded for other events of the same delivery. */
function earlierKeys({ content, subject }: Arrival): string[] {
	return digitKeys(subject, (digit, position) => digit !== content[position]);
}

function digitKeys(
	subject: string | undefined,
	accepts: (digit: string, position: number) => boolean,
): string[] {
	if (subject === undefined) return [];
	return Array.from({ length: digitCount }, (_, position) =>
		hexDigits
			.filter((digit) => accepts(digit, position))
			.map((digit) => `${subject} ${position} ${digit}`),
	).flat();
}

const namedEventSchema = z.object({ event: eventNameSchema });

/** The digest of the delivery or route that an event is about. */
function subjectOf(content: IDataObject): string | undefined {
	const { data } = namedEventSchema.safeParse(content);
	const id = data && content[events[data.event].identifier];
	return typeof id === 'string' ? fingerprint({ ...data, id }) : undefined;
}

function fingerprint(content: IDataObject): string {
	return createHash('sha256')
		.update(JSON.stringify(sortFields(content)))
		.digest('hex');
}

/** The value with its objects' fields sorted, so that equal content has equal JSON. */
function sortFields(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sortFields);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([one], [other]) => (one < other ? -1 : 1))
			.map(([name, field]) => [name, sortFields(field)]),
	);
}
