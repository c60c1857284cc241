import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { sendUpdates, type Update, type UpdateResult } from '../../../sending/updates';
import { openClient } from '../../../service/client';
import * as requests from '../../../service/requests';
import { unwrap } from '../../../service/nodeErrors';
import { realClock } from '../../../common/clock';
import { parameterReader } from '../../../common/parameters';
import { endSentence, errorItem, itemError, listNames, outputItem, mapItems } from '../../items';
import type { Operation } from '../../resource';
import { updateFields } from './fields';
import { readUpdateOptions } from './options';
import { readUpdate, rejectSharedReferences } from './readUpdate';

/** Changes deliveries that exist (service document, section 4.2). */
export const updateDelivery: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update deliveries',
		description: 'Change recipient, address, packages, tags or payment of deliveries that exist',
	},
	fields: updateFields,
	async run(context) {
		const parameters = parameterReader(context);
		const { maxRetrySeconds, timeoutSeconds } = unwrap(
			context.getNode(),
			readUpdateOptions(parameters),
		);
		const readings = rejectSharedReferences(
			await mapItems(context, (item) => readUpdate(parameters, item)),
		);
		const outputs = readings.map((): INodeExecutionData[] => []);
		const updates: Update[] = [];
		for (const [item, reading] of readings.entries()) {
			if (reading.ok) updates.push(reading.value);
			else if (!context.continueOnFail()) throw itemError(context.getNode(), reading.problem, item);
			else outputs[item]?.push(errorItem(reading.problem, item, { outcome: 'invalid' }));
		}
		if (updates.length === 0) return outputs.flat();

		const client = await openClient(context);
		const batches = sendUpdates(updates, {
			send: async (body) =>
				await client.send({ ...requests.updateRequest(body), timeoutMs: timeoutSeconds * 1000 }),
			clock: realClock,
			random: Math.random,
			signal: context.getExecutionCancelSignal(),
			maxRetryMs: maxRetrySeconds * 1000,
		});
		const told: UpdateResult[] = [];
		for await (const results of batches) {
			told.push(...results);
			if (!context.continueOnFail()) assertUpdated(context, results, { updates, told });
			for (const result of results) outputs[result.item]?.push(toUpdateItem(result));
		}
		return outputs.flat();
	},
};

/**
 * @param results of one request
 * @param run all updates, and what became of them so far
 * @throws NodeOperationError for the first delivery that was not updated. Its details list all
 *   deliveries under what became of them, since n8n keeps nothing else of a node that fails.
 */
function assertUpdated(
	context: IExecuteFunctions,
	results: readonly UpdateResult[],
	{ updates, told }: { updates: readonly Update[]; told: readonly UpdateResult[] },
): void {
	const first = results.find(({ outcome }) => outcome.kind !== 'updated');
	if (first === undefined || first.outcome.kind === 'updated') return;
	const lists = groupUpdatesByOutcome(updates, told);
	const { message, description } = first.outcome.problem;
	// Else the number of the item tells which one it is.
	const isOneOfSeveral = updates.some(({ item, ids }) => item === first.item && ids.length > 1);
	const kindOfId = first.targetKind === 'deliveryIds' ? 'delivery' : 'reference';
	const error = itemError(
		context.getNode(),
		{
			message: isOneOfSeveral ? `${message} (${kindOfId} ID ${first.id})` : message,
			description: [
				endSentence(description),
				idsSentence('Refused', lists.rejected),
				idsSentence('Perhaps updated', lists.unknown),
				idsSentence('Not sent', lists.notSent),
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

/** The deliveries of a run under what became of them; those of which nothing is told were not sent. */
function groupUpdatesByOutcome(
	updates: readonly Update[],
	told: readonly UpdateResult[],
): UpdatesByOutcome {
	const lists: UpdatesByOutcome = { updated: [], rejected: [], unknown: [], notSent: [] };
	for (const { item, id, outcome } of told) lists[outcome.kind].push({ item, id });
	const targets = updates.flatMap(({ item, ids }) => ids.map((id) => ({ item, id })));
	lists.notSent.push(...targets.slice(told.length));
	return lists;
}

function idsSentence(title: string, entries: ReadonlyArray<{ id: string }>): string {
	return listNames(
		title,
		entries.map(({ id }) => id),
	);
}

function toUpdateItem({ item, id, targetKind, outcome }: UpdateResult): INodeExecutionData {
	const name = targetKind === 'deliveryIds' ? { deliveryId: id } : { referenceId: id };
	return outcome.kind === 'updated'
		? outputItem({ ...name, ...outcome.response }, item)
		: errorItem(outcome.problem, item, { outcome: outcome.kind, ...name });
}
