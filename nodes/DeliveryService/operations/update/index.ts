import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { unreachableRetryInEditorMs } from '../../sending/request';
import { nameDelivery } from '../../sending/namedProblems';
import { sendUpdates, type Update, type UpdateResult } from '../../sending/updates';
import { openClient } from '../../service/client';
import * as requests from '../../service/requests';
import { unwrap } from '../../service/nodeErrors';
import { realClock } from '../../common/clock';
import { parameterReader, type ParameterReader } from '../../common/parameters';
import type { Problem } from '../../common/result';
import type { UpdateOutcome } from '../../sending/updateOutcome';
import {
	endSentence,
	errorItem,
	fullMessage,
	hasErrorOutput,
	itemError,
	listNames,
	outputItem,
	mapItems,
	withErrorItems,
} from '../items';
import { overridesMessage, readFixedOverrides } from '../fields/fixedOverrides';
import type { Operation } from '../resource';
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
		const toItem = itemMaker(context, parameters);
		return await withErrorItems(
			context,
			async () => await runUpdates(context, parameters, toItem),
			(problem, item) => toItem({ item, outcome: { kind: 'notSent', problem } }),
		);
	},
};

/** The result of an item; without an ID if the item failed before its updates were known. */
interface ItemUpdate {
	item: number;
	id?: string;
	outcome: UpdateOutcome | { kind: 'invalid'; problem: Problem };
}

type ToItem = (result: ItemUpdate) => INodeExecutionData;

/** Returns a function that makes output items: all have the same fields, as the editor's table needs. */
function itemMaker(context: IExecuteFunctions, parameters: ParameterReader): ToItem {
	const toErrorOutput = hasErrorOutput(context);
	const isByReference = parameters.get('findBy', 0) === 'referenceIds';
	return ({ item, id = null, outcome }) => {
		const target = isByReference ? { referenceId: id } : { deliveryId: id };
		if (outcome.kind === 'updated') {
			const { message = 'Updated', jobId = null, code = null } = outcome.response;
			return outputItem({ ...target, outcome: outcome.kind, message, jobId, code }, item);
		}
		const { kind } = outcome;
		const problem =
			id === null ? outcome.problem : nameDelivery(outcome.problem, nameOf(id, isByReference));
		if (toErrorOutput)
			return errorItem(problem, item, { outcome: kind, ...(id !== null && target) });
		const message = fullMessage(problem);
		return outputItem({ ...target, outcome: kind, message, jobId: null, code: null }, item);
	};
}

function nameOf(id: string, isReference: boolean): string {
	return isReference ? id : `delivery ${id}`;
}

async function runUpdates(
	context: IExecuteFunctions,
	parameters: ParameterReader,
	toItem: ToItem,
): Promise<INodeExecutionData[]> {
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
			outputs[item]?.push(...final.map(toItem));
		} else if (!context.continueOnFail()) throw itemError(context.getNode(), update.problem, item);
		else
			outputs[item]?.push(toItem({ item, outcome: { kind: 'invalid', problem: update.problem } }));
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
		...(context.getMode() === 'manual' && { maxUnreachableMs: unreachableRetryInEditorMs }),
	});
	const updateOf = new Map(updates.map((update) => [update.item, update]));
	for await (const batch of batches) {
		for (const result of batch) {
			results.push(result);
			attempts.add(updateOf.get(result.item), result);
			outputs[result.item]?.push(toItem(result));
		}
		assertAllUpdated(batch);
	}
	assertAllUpdated(earlier);
	addOverridesHint(context, results);
	return outputs.flat();
}

/** Warns about a fixed recipient or address for several deliveries. */
function addOverridesHint(context: IExecuteFunctions, results: readonly UpdateResult[]): void {
	const updated = results.filter(({ outcome }) => outcome.kind === 'updated');
	const count = new Set(updated.map(({ id }) => id)).size;
	const message = overridesMessage(readFixedOverrides(context), count);
	if (count > 1 && message !== undefined)
		context.addExecutionHints({ message, type: 'warning', location: 'outputPane' });
}

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
	const { problem } = first.outcome;
	const { message, description } = nameDelivery(
		problem,
		nameOf(first.id, first.targetKind === 'referenceIds'),
	);
	// Otherwise the name or the item number in the message identifies the delivery.
	const isOneOfSeveral =
		message === problem.message &&
		run.updates.some(({ item, ids }) => item === first.item && ids.length > 1);
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
