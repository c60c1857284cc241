import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { sendUpdates, type Update, type UpdateResult } from '../../../sending/updates';
import { isSuccess, openClient } from '../../../service/client';
import { explain, notTheService } from '../../../service/errors';
import * as requests from '../../../service/requests';
import type { Problem, Result } from '../../../service/result';
import { updateAnswerSchema } from '../../../service/schemas';
import { ended, errorItem, itemError, outputItem } from '../../items';
import { readEach } from '../../readEach';
import type { Operation } from '../../resource';
import { updateFields } from './fields';
import { readUpdate } from './read';

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
		const continueOnFail = context.continueOnFail();
		const invalid = new Map<number, Problem>();
		const updates: Update[] = [];
		const readings = await readEach(context, (item) => readUpdate(context, item));
		for (const [item, reading] of readings.entries()) {
			if (reading.ok) updates.push(reading.value);
			else if (continueOnFail) invalid.set(item, reading.problem);
			else throw itemError(context.getNode(), reading.problem, item);
		}
		const outputs = new Map<number, INodeExecutionData[]>();
		for (const [item, problem] of invalid)
			outputs.set(item, [errorItem(problem, item, { outcome: 'invalid' })]);
		if (updates.length > 0) await sendAll(context, updates, outputs);
		return [...context.getInputData().keys()].flatMap((item) => outputs.get(item) ?? []);
	},
};

async function sendAll(
	context: IExecuteFunctions,
	updates: readonly Update[],
	outputs: Map<number, INodeExecutionData[]>,
): Promise<void> {
	const client = await openClient(context);
	let updated = 0;
	for await (const result of sendUpdates(
		updates,
		async (body) => await client.send(requests.update(body)),
	)) {
		const { item } = result;
		const name = nameOf(result);
		const answer = readAnswer(result);
		if (!answer.ok && !context.continueOnFail()) {
			const { message, description } = answer.problem;
			const before = `Deliveries updated before: ${updated}.`;
			throw itemError(
				context.getNode(),
				{ message, description: [ended(description), before].filter(Boolean).join(' ') },
				item,
			);
		}
		const output = answer.ok
			? outputItem({ ...name, ...answer.value }, item)
			: errorItem(answer.problem, item, name);
		if (answer.ok) updated++;
		outputs.set(item, [...(outputs.get(item) ?? []), output]);
	}
}

function nameOf({ targetKind, id }: UpdateResult): object {
	return targetKind === 'deliveryIds' ? { deliveryId: id } : { referenceId: id };
}

function readAnswer({ exchange }: UpdateResult): Result<object> {
	if (exchange.kind === 'noAnswer' || !isSuccess(exchange))
		return { ok: false, problem: explain(exchange, 'delivery IDs or reference IDs') };
	const answer = updateAnswerSchema.safeParse(exchange.body);
	if (!answer.success) return { ok: false, problem: notTheService };
	const { code, message, data } = answer.data;
	return { ok: true, value: { jobId: data?.jobs, code, message } };
}
