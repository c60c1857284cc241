import type { INodeExecutionData } from 'n8n-workflow';

import type { ItemResult, Problem } from '../../common/result';
import { isBlank } from '../../common/text';
import type { Created, Creation, Outcome } from '../../sending/outcomes';
import { errorItem, fullMessage, outputItem } from '../items';
import type { PreparedItem } from './prepare';

/** The outcome of an input item: skipped or invalid when it was read, or that of its delivery. */
export type ItemOutcome = Outcome | Exclude<ItemResult<never>, { kind: 'delivery' }>;

/** The outcomes by item number. A delivery without a result has none. */
export function outcomesByItem(
	items: readonly PreparedItem[],
	results: ReadonlyArray<{ creation: Creation; outcome: Outcome }>,
): Map<number, ItemOutcome> {
	const outcomes = new Map<number, ItemOutcome>();
	for (const prepared of items)
		if (prepared.kind !== 'delivery') outcomes.set(prepared.item, prepared);
	for (const { creation, outcome } of results) outcomes.set(creation.item, outcome);
	return outcomes;
}

/** The fields of a created delivery's record that every output item has as columns. */
const recordColumns = [
	'id',
	'trackLink',
	'statusDelivery',
	'deliveryDate',
	'price',
	'currencyCode',
	'distance',
] as const;

/** The columns that exist only if an item of the run has a value for them, in order. */
const optionalColumns = ['cashToCollect', 'cashOutstanding', 'cashNotCollectedFor', 'shopifyOrder'];

/**
 * An output item for each input item with an outcome. All have the same fields, the important ones
 * first, and null where a field does not apply: n8n's table shows a missing field as an error.
 *
 * @param toErrorOutput whether n8n moves failed items to an output of their own
 */
export function toOutputItems(
	items: readonly PreparedItem[],
	outcomes: ReadonlyMap<number, ItemOutcome>,
	toErrorOutput: boolean,
): INodeExecutionData[] {
	const rows = items.flatMap((prepared) => {
		const outcome = outcomes.get(prepared.item);
		if (!outcome) return [];
		const common = commonColumns(prepared, outcome);
		return [{ prepared, outcome, common, more: moreColumns(prepared, outcome) }];
	});
	const names = new Set(optionalColumns);
	for (const { common, more } of rows)
		for (const name of Object.keys(more)) if (!(name in common)) names.add(name);
	const columns = [...names].filter((name) => rows.some(({ more }) => more[name] !== undefined));
	return rows.map(({ prepared, outcome, common, more }) => {
		if (toErrorOutput && isFailure(outcome)) return toErrorItem(prepared, outcome);
		const rest = columns.map((name): [string, unknown] => [name, more[name] ?? null]);
		return outputItem({ ...common, ...Object.fromEntries(rest) }, prepared.item);
	});
}

/** The output item for an input item that failed before anything was sent. */
export function toUnsentItem(
	problem: Problem,
	item: number,
	toErrorOutput: boolean,
): INodeExecutionData {
	const prepared: PreparedItem = { item, kind: 'invalid', problem };
	const outcome: ItemOutcome = { kind: 'notSent', problem };
	if (toErrorOutput) return toErrorItem(prepared, outcome);
	return outputItem(commonColumns(prepared, outcome), item);
}

/**
 * The output items with nothing but the outcomes, for an error in {@link toOutputItems}: it must not
 * hide which deliveries were created.
 */
export function toBareItems(
	items: readonly PreparedItem[],
	outcomes: ReadonlyMap<number, ItemOutcome>,
	toErrorOutput: boolean,
): INodeExecutionData[] {
	return items.flatMap((prepared) => {
		const { item, referenceId = null } = prepared;
		const outcome = outcomes.get(item);
		if (!outcome) return [];
		if (toErrorOutput && isFailure(outcome)) return [toErrorItem(prepared, outcome)];
		const id = outcome.kind === 'created' ? outcome.id : null;
		const message = messageOf(outcome);
		return [outputItem({ referenceId, outcome: outcome.kind, message, id }, item)];
	});
}

type Failure = Extract<ItemOutcome, { problem: Problem }>;

function isFailure(outcome: ItemOutcome): outcome is Failure {
	return 'problem' in outcome;
}

function commonColumns({ referenceId }: PreparedItem, outcome: ItemOutcome): object {
	const record: Record<string, unknown> = outcome.kind === 'created' ? outcome.record : {};
	return {
		referenceId: isBlank(record.referenceId) ? (referenceId ?? null) : record.referenceId,
		outcome: outcome.kind,
		message: messageOf(outcome),
		...Object.fromEntries(recordColumns.map((name) => [name, record[name] ?? null])),
		reason: outcome.kind === 'skipped' ? outcome.reason : null,
	};
}

/** The fields that not every item has. */
function moreColumns(
	{ shopifyOrder, cashShare, notCollectedFor, simplify }: PreparedItem,
	outcome: ItemOutcome,
): Record<string, unknown> {
	if (outcome.kind !== 'created') return { shopifyOrder };
	return {
		...(simplify ? {} : outcome.record),
		...cashShare,
		cashNotCollectedFor: notCollectedFor?.join(', '),
		shopifyOrder,
	};
}

function messageOf(outcome: ItemOutcome): string {
	if (isFailure(outcome)) return fullMessage(outcome.problem);
	if (outcome.kind === 'skipped') return outcome.message;
	return isPendingReview(outcome) ? `Created, but pending review: ${reviewAdvice}` : 'Created';
}

/** What to do about a delivery that is pending review. */
export const reviewAdvice =
	'its address was not found. Correct it in the Delivery Service dashboard or with the operation Update.';

/** Whether the service could not find the address of a created delivery. */
export function isPendingReview({ record: { statusDelivery } }: Created): boolean {
	return typeof statusDelivery === 'string' && /pending.?review/i.test(statusDelivery);
}

/** The output item of a failure, in the form that n8n moves to the error output. */
export function toErrorItem(
	{ item, referenceId, shopifyOrder }: PreparedItem,
	{ kind, problem }: Failure,
): INodeExecutionData {
	return errorItem(problem, item, {
		outcome: kind,
		...(referenceId !== undefined && { referenceId }),
		...(shopifyOrder && { shopifyOrder }),
	});
}
