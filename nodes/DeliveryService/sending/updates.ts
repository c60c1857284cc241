import type { Exchange } from '../service/client';
import { limits } from '../service/limits';
import type { DeliveryChanges, TargetKind, UpdateBody } from '../service/schemas';
import { cut } from '../shared/chunk';

/** What an input item asks to change, and for which deliveries. */
export interface Update {
	item: number;
	targetKind: TargetKind;
	ids: string[];
	changes: DeliveryChanges;
	flags: Pick<UpdateBody, 'recalculatePrice' | 'reorderRoute' | 'recalculateCity'>;
}

/** A delivery to update, and the item that asks for it. */
interface Target {
	item: number;
	id: string;
}

/** What came of the request for a target. */
export interface UpdateResult extends Target {
	targetKind: TargetKind;
	exchange: Exchange;
}

/**
 * Updates deliveries (service document, section 4.2). Neighbouring updates with the same kind of
 * target, changes and flags share requests of up to 10 IDs. Requests are sent one after the other
 * in the order of the items, since a later change must win.
 *
 * @yields a result for each target that was sent, in order
 */
export async function* sendUpdates(
	updates: readonly Update[],
	send: (body: UpdateBody) => Promise<Exchange>,
): AsyncGenerator<UpdateResult> {
	for (const run of runsOf(updates)) {
		const { targetKind, changes, flags } = run.update;
		for (const targets of cut(run.targets, limits.deliveriesPerUpdate)) {
			const exchange = await send({
				[targetKind]: targets.map(({ id }) => id),
				deliveryChanges: changes,
				...flags,
			});
			for (const target of targets) yield { ...target, targetKind, exchange };
		}
	}
}

/** Neighbouring updates that differ only in their targets, as one; a repeated target starts anew. */
function runsOf(updates: readonly Update[]): Array<{ update: Update; targets: Target[] }> {
	const runs: Array<{ update: Update; targets: Target[]; key: string; ids: Set<string> }> = [];
	for (const update of updates) {
		const key = JSON.stringify([update.targetKind, update.changes, update.flags]);
		const targets = update.ids.map((id) => ({ item: update.item, id }));
		const last = runs.at(-1);
		if (last?.key !== key || update.ids.some((id) => last.ids.has(id))) {
			runs.push({ update, targets, key, ids: new Set(update.ids) });
			continue;
		}
		last.targets.push(...targets);
		for (const id of update.ids) last.ids.add(id);
	}
	return runs;
}
