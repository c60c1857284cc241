import { createHash, randomUUID } from 'crypto';
import type { IDataObject, IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';
import { z } from 'zod';

import { openLedger, type Claimant, type Ledger } from '../deduplication/ledger';
import { nodeStoreOf } from '../deduplication/store';
import { realClock } from '../shared/clock';

/*
 * Repeats are left out in the execution that a call has started, not in the call: of what a node
 * notes while n8n takes a call, 2.41 saves nothing and 1.x loses most when calls come at once.
 */

const minutesSchema = z.coerce.number().positive().catch(0);

/**
 * The trigger's items that go on into the workflow: all of them, or, with Skip Repeats, those whose
 * event and content did not come before within the time. A test event always goes on.
 *
 * When n8n's store fails, all go on: an event too many is better than one too few.
 */
export async function withoutRepeats(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const items = context.getInputData();
	const option = context.getNodeParameter('options.skipRepeatsMinutes', 0, 0);
	const withinMs = minutesSchema.parse(option) * 60_000;
	if (withinMs === 0 || context.getMode() === 'manual') return items;
	const ledger = openLedger(nodeStoreOf(context), 'event', randomUUID(), realClock);
	const claim = async () =>
		await freshOf(items, ledger, context.getExecutionId(), withinMs, Date.now());
	try {
		// Of two processes that make a node's first entries at once, one fails, once.
		return await claim().catch(claim);
	} catch (error) {
		context.logger.warn(
			`Node "${context.getNode().name}" let all events through: Skip Repeats could not look up which came before (${error instanceof Error ? error.message : 'unknown reason'})`,
		);
		return items;
	}
}

/** How many parts the time is cut into: an event counts as seen for the time and up to one part more. */
const partsOfTime = 2;

/**
 * Leaves out items with the content of one before them, or of one that another execution has
 * claimed within the time. The ledger knows no times: an event is claimed for the present part of
 * the time and, to find earlier ones, for the parts before it.
 *
 * @param execution an execution that is run again, since its process was killed, gets all its items
 * @param now milliseconds since 1970
 */
export async function freshOf<Item extends { json: IDataObject }>(
	items: readonly Item[],
	ledger: Pick<Ledger, 'claim' | 'release'>,
	execution: string,
	withinMs: number,
	now: number,
): Promise<Item[]> {
	const part = Math.floor((now * partsOfTime) / withinMs);
	const parts = Array.from({ length: partsOfTime + 1 }, (_, back) => part - back);
	const byContent = new Map<string, Item>();
	for (const item of items) {
		const content = fingerprint(item.json);
		if (!byContent.has(content)) byContent.set(content, item);
	}
	const keysOf = (content: string) => parts.map((one) => `${withinMs} ${one} ${content}`);

	const run = `execution ${execution}`;
	const claims = await ledger.claim(claimantsOf([run, ...[...byContent.keys()].flatMap(keysOf)]));
	if (claims.get(run) !== 'claimed') return [...items];
	const isOurs = (key: string) => claims.get(key) === 'claimed';
	const [fresh, repeated] = split([...byContent.keys()], (content) =>
		keysOf(content).every(isOurs),
	);
	// A repeat does not prolong the time.
	await ledger.release(claimantsOf(repeated.flatMap(keysOf).filter(isOurs)));
	return fresh.flatMap((content) => byContent.get(content) ?? []);
}

/** The keys as the ledger takes them. */
function claimantsOf(keys: readonly string[]): Claimant[] {
	return keys.map((referenceId) => ({ referenceId }));
}

function split<T>(all: readonly T[], holds: (one: T) => boolean): [T[], T[]] {
	return [all.filter(holds), all.filter((one) => !holds(one))];
}

function fingerprint(content: IDataObject): string {
	return createHash('sha256')
		.update(JSON.stringify(sorted(content)))
		.digest('base64url');
}

/** The value with object members in one order, so that equal content has equal text. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([one], [other]) => (one < other ? -1 : 1))
			.map(([name, member]) => [name, sorted(member)]),
	);
}
