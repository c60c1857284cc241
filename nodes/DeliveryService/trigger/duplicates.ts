import { createHash } from 'crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod/v4';

import { type Store, maxClaimAttempts, settlingMs } from '../deduplication/ledger';
import { openNodeStore } from '../deduplication/store';
import { realClock, type Clock } from '../common/clock';

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

/**
 * Drops items with the content of an earlier item, or of an item that another execution has recorded
 * within the time.
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
	const slot = Math.floor((clock.now() * timeSlots) / withinMs);
	const slotKeys = (content: string) =>
		Array.from({ length: timeSlots + 1 }, (_, back) => `${withinMs} ${slot - back} ${content}`);
	const markerKey = (content: string) => `${execution} ${content}`;

	const unseen = new Map(items.map((item) => [fingerprint(item.json), item]));
	let unverified = [...unseen.keys()];
	let elapsedMs = 0;
	for (let attempt = 0; unverified.length > 0 && attempt <= maxClaimAttempts; attempt++) {
		if (attempt > 0) await clock.wait(settlingMs(elapsedMs));
		unverified = await store.runExclusive(async (entries) => {
			const started = clock.now();
			const added = await entries.record(
				unverified.flatMap((content) => [...slotKeys(content), markerKey(content)]),
			);
			elapsedMs = clock.now() - started;
			const isNew = (content: string) => slotKeys(content).every((key) => added.has(key));
			const seen = unverified.filter((content) => !isNew(content) && added.has(markerKey(content)));
			for (const content of seen) unseen.delete(content);
			// A duplicate must not extend the time.
			const extending = seen.flatMap(slotKeys).filter((key) => added.has(key));
			if (extending.length > 0) await entries.remove(extending);
			return unverified.filter(isNew);
		});
	}
	return [...unseen.values()];
}

function fingerprint(content: IDataObject): string {
	return createHash('sha256')
		.update(JSON.stringify(sortFields(content)))
		.digest('base64url');
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
