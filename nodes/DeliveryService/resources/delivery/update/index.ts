import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { sendUpdates, type Update, type UpdateResult } from '../../../sending/updates';
import { openClient } from '../../../service/client';
import * as requests from '../../../service/requests';
import { unwrap } from '../../../service/nodeErrors';
import { realClock } from '../../../common/clock';
import { parameterReader } from '../../../common/parameters';
import { endSentence, errorItem, itemError, listNames, outputItem, mapItems } from '../../items';
import type { Operation } from '../../resource';
import { updateAttemptsOf } from './attempts';
import { updateFields } from './fields';
import { readUpdateOptions } from './options';
import { readUpdate, rejectSharedReferences } from './readUpdate';

/** Updates existing deliveries (API document, section 4.2). */
export const updateDelivery: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update deliveries',
		description: 'Update the recipient, address, packages, tags or payment of existing deliveries',
	},
	fields: updateFields,
	async run(context) {
		const parameters = parameterReader(context);
		const { maxRetrySeconds, timeoutSeconds } = unwrap(
			context.getNode(),
			readUpdateOptions(parameters),
		);
		const readUpdates = rejectSharedReferences(
			await mapItems(context, (item) => readUpdate(parameters, item)),
		);
		const outputs = readUpdates.map((): INodeExecutionData[] => []);
		const attempts = updateAttemptsOf(context);
		const updates: Update[] = [];
		const results: UpdateResult[] = [];
		for (const [item, update] of readUpdates.entries()) {
			if (update.ok) {
				const { update: rest, final } = attempts.withoutFinal(update.value);
				if (rest.ids.length > 0) updates.push(rest);
				results.push(...final);
				outputs[item]?.push(...final.map(toUpdateItem));
			} else if (!context.continueOnFail())
				throw itemError(context.getNode(), update.problem, item);
			else outputs[item]?.push(errorItem(update.problem, item, { outcome: 'invalid' }));
		}
		const earlier = [...results];
		const assertAllUpdated = (batch: readonly UpdateResult[]) => {
			if (!context.continueOnFail()) assertUpdated(context, batch, { updates, earlier, results });
		};
		if (updates.length === 0) {
			assertAllUpdated(earlier);
			return outputs.flat();
		}

		const client = await openClient(context);
		const batches = sendUpdates(updates, {
			send: async (body) =>
				await client.send({ ...requests.updateRequest(body), timeoutMs: timeoutSeconds * 1000 }),
			clock: realClock,
			random: Math.random,
			signal: context.getExecutionCancelSignal(),
			maxRetryMs: maxRetrySeconds * 1000,
		});
		const updateOf = new Map(updates.map((update) => [update.item, update]));
		for await (const batch of batches) {
			for (const result of batch) {
				results.push(result);
				attempts.add(updateOf.get(result.item), result);
				outputs[result.item]?.push(toUpdateItem(result));
			}
			assertAllUpdated(batch);
		}
		assertAllUpdated(earlier);
		return outputs.flat();
	},
};

interface UpdateRunSoFar {
	/** The updates of this attempt. */
	updates: readonly Update[];
	/** The results of earlier attempts. */
	earlier: readonly UpdateResult[];
	/** All results so far, the earlier ones first. */
	results: readonly UpdateResult[];
}

/**
 * @param batch the results of one request
 * @param run the updates to send, the results of earlier attempts, and all results so far
 * @throws NodeOperationError for the first delivery that was not updated. Its details list all
 *   deliveries by outcome, since n8n keeps no other output of a failed node.
 */
function assertUpdated(
	context: IExecuteFunctions,
	batch: readonly UpdateResult[],
	run: UpdateRunSoFar,
): void {
	const first = batch.find(({ outcome }) => outcome.kind !== 'updated');
	if (first === undefined || first.outcome.kind === 'updated') return;
	const lists = groupUpdatesByOutcome(run);
	const { message, description } = first.outcome.problem;
	// Otherwise the item number in the message identifies the delivery.
	const isOneOfSeveral = run.updates.some(({ item, ids }) => item === first.item && ids.length > 1);
	const kindOfId = first.targetKind === 'deliveryIds' ? 'delivery' : 'reference';
	const error = itemError(
		context.getNode(),
		{
			message: isOneOfSeveral ? `${message} (${kindOfId} ID ${first.id})` : message,
			description: [
				endSentence(description),
				listIds('Rejected', lists.rejected),
				listIds('Possibly updated', lists.unknown),
				listIds('Not sent', lists.notSent),
				`Deliveries updated in this run: ${lists.updated.length}.`,
			]
				.filter(Boolean)
				.join(' '),
		},
		first.item,
	);
	error.context.data = lists;
	throw error;
}

type UpdatesByOutcome = Record<
	UpdateResult['outcome']['kind'],
	Array<{ item: number; id: string }>
>;

/** The deliveries of a run by outcome; those without a result were not sent. */
function groupUpdatesByOutcome({ updates, earlier, results }: UpdateRunSoFar): UpdatesByOutcome {
	const lists: UpdatesByOutcome = { updated: [], rejected: [], unknown: [], notSent: [] };
	for (const { item, id, outcome } of results) lists[outcome.kind].push({ item, id });
	const targets = updates.flatMap(({ item, ids }) => ids.map((id) => ({ item, id })));
	lists.notSent.push(...targets.slice(results.length - earlier.length));
	return lists;
}

function listIds(title: string, deliveries: ReadonlyArray<{ id: string }>): string {
	return listNames(
		title,
		deliveries.map(({ id }) => id),
	);
}

function toUpdateItem({ item, id, targetKind, outcome }: UpdateResult): INodeExecutionData {
	const target = targetKind === 'deliveryIds' ? { deliveryId: id } : { referenceId: id };
	return outcome.kind === 'updated'
		? outputItem({ ...target, ...outcome.response }, item)
		: errorItem(outcome.problem, item, { outcome: outcome.kind, ...target });
}
