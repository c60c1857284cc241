import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod/v4';

import { type Store, maxClaimAttempts, settlingMs } from '../deduplication/ledger';
import { openNodeStore } from '../deduplication/store';
import { realClock, type Clock } from '../common/clock';

/*
 * Repeats are left out in the execution that a call has started, not in the call: of what a node
 * notes while n8n takes a call, 2.41 saves nothing and 1.x loses most when calls come at once.
 */

const ignoreMinutesSchema = z.coerce.number().positive().catch(0);

/**
 * The trigger's items that go on into the workflow: all of them, or, with Skip Repeats, those whose
 * event and content did not come before within the time. A test event always goes on.
 *
 * When n8n's store fails, all go on: an event too many is better than one too few.
 */
export async function dropDuplicateEvents(
	context: IExecuteFunctions,
): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const option = context.getNodeParameter('options.ignoreDuplicatesMinutes', 0, 0);
	const withinMs = ignoreMinutesSchema.parse(option) * 60_000;
	if (withinMs === 0 || context.getMode() === 'manual') return items;
	const store = openNodeStore(context);
	const look = async () =>
		await dropSeen(items, store, context.getExecutionId(), withinMs, realClock);
	try {
		// Of two processes that make a node's first entries at once, one fails, once.
		return await look().catch(look);
	} catch (error) {
		context.logger.warn(
			`Node "${context.getNode().name}" let all events through: Skip Repeats could not look up which came before (${error instanceof Error ? error.message : 'unknown reason'})`,
		);
		return items;
	}
}

/** How many parts the time is cut into: an event counts as seen for the time and up to one part more. */
const timeSlots = 2;

/**
 * Leaves out items with the content of one before them, or of one that another execution has noted
 * within the time.
 *
 * The store knows no times: an event is noted under the present part of the time and, to find
 * earlier ones, under the parts before it. Nor has it a lock: each note carries the mark of its
 * execution, see `settling.ts`. An execution that is run again, since its process was killed, finds
 * its own marks.
 *
 * @param execution what no other execution has
 */
export async function dropSeen<Item extends { json: IDataObject }>(
	items: readonly Item[],
	store: Store,
	execution: string,
	withinMs: number,
	clock: Clock,
): Promise<Item[]> {
	const part = Math.floor((clock.now() * timeSlots) / withinMs);
	const keysOf = (content: string) =>
		Array.from({ length: timeSlots + 1 }, (_, back) => `${withinMs} ${part - back} ${content}`);
	const markOf = (content: string) => `${execution} ${content}`;

	const goingOn = new Map(items.map((item) => [fingerprint(item.json), item]));
	let unsure = [...goingOn.keys()];
	let tookMs = 0;
	for (let attempt = 0; unsure.length > 0 && attempt <= maxClaimAttempts; attempt++) {
		if (attempt > 0) await clock.wait(settlingMs(tookMs));
		unsure = await store.runExclusive(async (entries) => {
			const started = clock.now();
			const fresh = await entries.record(
				unsure.flatMap((content) => [...keysOf(content), markOf(content)]),
			);
			tookMs = clock.now() - started;
			const isNew = (content: string) => keysOf(content).every((key) => fresh.has(key));
			const anothers = unsure.filter((content) => !isNew(content) && fresh.has(markOf(content)));
			for (const content of anothers) goingOn.delete(content);
			// A repeat does not prolong the time.
			const unwanted = anothers.flatMap(keysOf).filter((key) => fresh.has(key));
			if (unwanted.length > 0) await entries.remove(unwanted);
			return unsure.filter(isNew);
		});
	}
	return [...goingOn.values()];
}

function fingerprint(content: IDataObject): string {
	return createHash('sha256')
		.update(JSON.stringify(sortFields(content)))
		.digest('base64url');
}

/** The value with object members in one order, so that equal content has equal text. */
function sortFields(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sortFields);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([one], [other]) => (one < other ? -1 : 1))
			.map(([name, member]) => [name, sortFields(member)]),
	);
}
