/** Update: from input items through requests to output items. */
import type { IExecuteFunctions, INode, INodeExecutionData } from 'n8n-workflow';

import { realClock } from '../../common/clock';
import { parameterReader, type ParameterReader } from '../../common/parameters';
import { problemText, type Problem } from '../../common/result';
import { runProblem, updateProblem } from '../../messages/updates';
import {
	sendUpdates,
	type FailedUpdate,
	type Update,
	type UpdateResult,
	type UpdatingOptions,
} from '../../sending/updates';
import { openClient, updateRequest, type ServiceClient } from '../../service/client';
import { shownText } from '../../service/response';
import {
	assertNoRetryOnFail,
	errorItem,
	hasErrorOutput,
	itemError,
	mapItems,
	outputItem,
	withErrorItems,
} from '../items';
import type { Operation } from '../resource';
import { updateFields } from './fields';
import { readUpdate, rejectSharedReferences, type ReadUpdate } from './readUpdate';

/** Updates existing deliveries (docs/api.md, section 4.2). */
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
		const toItem = itemMaker(context, parameters);
		return await withErrorItems(
			context,
			async () => await runUpdates(context, parameters, toItem),
			(problem) =>
				context.getInputData().map((_, item) => toItem.failure(item, 'notSent', problem)),
		);
	},
};

/** Makes the output items: all have the same fields, as the editor's table needs. */
function itemMaker(context: IExecuteFunctions, parameters: ParameterReader) {
	const toErrorOutput = hasErrorOutput(context);
	const isFromOrder = parameters.get('changesFrom', 0) === 'shopifyOrder';
	const isByDeliveryId = !isFromOrder && parameters.get('findBy', 0) === 'deliveryIds';
	const idField = isByDeliveryId ? 'deliveryId' : 'referenceId';
	const neededColumn = (needed = '') => (isFromOrder ? { actionNeeded: needed } : {});
	const failure = (
		item: number,
		outcome: FailedUpdate['outcome']['kind'] | 'invalid',
		problem: Problem,
		id?: string,
	) => {
		const details = { outcome, ...(id !== undefined && { [idField]: id }) };
		if (toErrorOutput) return errorItem(problem, item, details);
		const message = problemText(problem);
		return outputItem(
			{ [idField]: '', ...details, message, ...neededColumn(message), jobId: '', code: '' },
			item,
		);
	};
	const result = ({ update, id, outcome }: UpdateResult<ReadUpdate>) => {
		const { item, targetKind, needed } = update;
		if (outcome.kind !== 'updated')
			return failure(item, outcome.kind, updateProblem({ id, targetKind, outcome }), id);
		const { jobId, code = '', message: text = '' } = outcome.response;
		const message = shownText(text, 500) || 'Updated';
		return outputItem(
			{ [idField]: id, outcome: outcome.kind, message, ...neededColumn(needed), jobId, code },
			item,
		);
	};
	return { failure, result };
}

async function runUpdates(
	context: IExecuteFunctions,
	parameters: ParameterReader,
	toItem: ReturnType<typeof itemMaker>,
): Promise<INodeExecutionData[]> {
	assertNoRetryOnFail(context);
	const node = context.getNode();
	const read = await mapItems(context, (item) => readUpdate(parameters, item));
	const readUpdates = rejectSharedReferences(read);
	const outputs = readUpdates.map((): INodeExecutionData[] => []);
	const updates: ReadUpdate[] = [];
	for (const [item, update] of readUpdates.entries())
		if (update.ok) updates.push(update.value);
		else if (!context.continueOnFail()) throw itemError(node, update.problem, item);
		else outputs[item]?.push(toItem.failure(item, 'invalid', update.problem));
	if (updates.length === 0) return outputs.flat();

	const client = await openClient(context);
	const results: UpdateResult[] = [];
	for await (const batch of sendUpdates(updates, updatingOptions(context, client))) {
		results.push(...batch);
		for (const result of batch) outputs[result.update.item]?.push(toItem.result(result));
		if (!context.continueOnFail()) assertUpdated(node, batch, updates, results);
	}
	return outputs.flat();
}

/** How a run sends updates. */
export function updatingOptions(
	context: IExecuteFunctions,
	client: ServiceClient,
): UpdatingOptions {
	return {
		send: async (body) => await client.send(updateRequest(body)),
		clock: realClock,
		random: Math.random,
		signal: context.getExecutionCancelSignal(),
		isInEditor: context.getMode() === 'manual',
	};
}

/** @throws NodeOperationError for the first delivery of a request that was not updated */
function assertUpdated(
	node: INode,
	batch: readonly UpdateResult[],
	updates: readonly Update[],
	results: readonly UpdateResult[],
): void {
	for (const { update, id, outcome } of batch) {
		if (outcome.kind === 'updated') continue;
		const { item, targetKind } = update;
		const failed = updateProblem({ id, targetKind, outcome });
		const { problem, lists } = runProblem(updates, results, failed);
		const error = itemError(node, problem, item);
		error.context.data = lists;
		throw error;
	}
}
