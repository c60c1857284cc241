import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { sendUpdates, type Update, type UpdateResult } from '../../../sending/updates';
import { openClient } from '../../../service/client';
import * as requests from '../../../service/requests';
import { realClock } from '../../../common/clock';
import { readerOf } from '../../../common/parameterReader';
import { ended, errorItem, itemError, outputItem, valid } from '../../items';
import { readEach } from '../../readEach';
import type { Operation } from '../../resource';
import { updateFields } from './fields';
import { readUpdateOptions } from './options';
import { readUpdate, withoutSharedReferences } from './read';

/** Changes deliveries that exist (service document, section 4.2). */
export const update: Operation = {
	option: {
		name: 'Update',
		value: 'update',
		action: 'Update deliveries',
		description: 'Change recipient, address, packages, tags or payment of deliveries that exist',
	},
	fields: updateFields,
	async run(context) {
		const parameters = readerOf(context);
		const { maximumWaitSeconds, timeoutSeconds } = valid(context, readUpdateOptions(parameters));
		const readings = withoutSharedReferences(
			await readEach(context, (item) => readUpdate(parameters, item)),
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
				await client.send({ ...requests.update(body), timeoutMs: timeoutSeconds * 1000 }),
			clock: realClock,
			random: Math.random,
			signal: context.getExecutionCancelSignal(),
			maximumWaitMs: maximumWaitSeconds * 1000,
		});
		let updated = 0;
		for await (const results of batches) {
			updated += results.filter(({ outcome }) => outcome.kind === 'updated').length;
			if (!context.continueOnFail()) assertUpdated(context, results, updated);
			for (const result of results) outputs[result.item]?.push(toOutput(result));
		}
		return outputs.flat();
	},
};

/** @throws NodeOperationError for the first delivery that was not updated, with the count of those that were */
function assertUpdated(
	context: IExecuteFunctions,
	results: readonly UpdateResult[],
	updated: number,
): void {
	for (const { item, outcome } of results) {
		if (outcome.kind === 'updated') continue;
		const { message, description } = outcome.problem;
		const exist = `Deliveries updated in this run: ${updated}.`;
		throw itemError(
			context.getNode(),
			{ message, description: [ended(description), exist].filter(Boolean).join(' ') },
			item,
		);
	}
}

function toOutput({ item, id, targetKind, outcome }: UpdateResult): INodeExecutionData {
	const name = targetKind === 'deliveryIds' ? { deliveryId: id } : { referenceId: id };
	return outcome.kind === 'updated'
		? outputItem({ ...name, ...outcome.said }, item)
		: errorItem(outcome.problem, item, { outcome: outcome.kind, ...name });
}
