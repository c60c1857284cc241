/** The output items and hints of a run that creates deliveries. */
import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import { problemText } from '../../common/result';
import { endSentence, isBlank } from '../../common/text';
import { describe, neededFor, skipReason } from '../../messages/outcomes';
import { excludeCreatedAdvice, mayExist, type runHints } from '../../messages/summary';
import type { Job, Outcome } from '../../sending/job';
import { errorItem, outputItem } from '../items';

/**
 * An output item for each job. All have the same fields, the important ones first, and empty text
 * where a field does not apply: n8n's table shows a missing field and null as errors. With Simplify,
 * these are the first ten.
 *
 * @param isRemembered whether running the workflow again skips created deliveries
 * @param toErrorOutput whether n8n moves failed items to an output of their own
 * @param isFull whether they have all fields, not only the first ten
 */
export function toOutputItems(
	jobs: readonly Job[],
	isRemembered: boolean,
	toErrorOutput: boolean,
	isFull: boolean,
): INodeExecutionData[] {
	// Most problems advise to run the workflow again, which sends all items again.
	const warnsOfRepeat = !isRemembered && jobs.some(mayExist);
	const rows = jobs.map((job) => toRow(job, isFull, isRemembered, warnsOfRepeat));
	const empty = Object.fromEntries(rows.flatMap(Object.keys).map((name) => [name, '']));
	return jobs.map((job, index) =>
		toErrorOutput && isFailure(job)
			? toErrorItem(job, isRemembered)
			: outputItem({ ...empty, ...rows[index] }, job.item),
	);
}

const notProcessed: Outcome = {
	kind: 'notSent',
	why: { code: 'halted', halt: { code: 'stopped' } },
};

function isFailure({ outcome = notProcessed }: Job): boolean {
	return outcome.kind !== 'created' && outcome.kind !== 'skipped';
}

/** The columns of a job, without those that do not apply. */
function toRow(job: Job, isFull: boolean, isRemembered: boolean, warnsOfRepeat: boolean): object {
	const { outcome = notProcessed, referenceId, order, delivery } = job;
	const problem = describe(job, outcome, isRemembered);
	const advice =
		warnsOfRepeat && outcome.kind === 'notSent'
			? `${endSentence(problem.description)} ${excludeCreatedAdvice}`.trim()
			: problem.description;
	const isCreated = outcome.kind === 'created';
	const record: Record<string, unknown> = isCreated ? outcome.record : {};
	const { trackLink, statusDelivery, deliveryDate, price } = record;
	const columns: Record<string, unknown> = {
		referenceId: isBlank(record.referenceId) ? referenceId : record.referenceId,
		outcome: outcome.kind,
		message: problemText({ ...problem, description: advice }),
		actionNeeded: neededFor(job),
		...{ trackLink, statusDelivery, deliveryDate, price },
		id: isCreated ? outcome.id : '',
		reason: outcome.kind === 'skipped' ? skipReason(outcome) : '',
	};
	const cash = order?.cashOutstanding !== undefined && {
		cashToCollect: delivery?.cod ?? 0,
		cashOutstanding: order.cashOutstanding,
	};
	const more = isFull && { ...record, ...cash, shopifyOrder: order?.shopifyOrder };
	// A field of the record can't replace a column.
	const all: Record<string, unknown> = { ...columns, ...more, ...columns };
	return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? '']));
}

/** The output item of a failure, in the form that n8n moves to the error output. */
export function toErrorItem(job: Job, isRemembered: boolean): INodeExecutionData {
	const { item, referenceId, order, outcome = notProcessed } = job;
	const { shopifyOrder } = order ?? {};
	return errorItem(describe(job, outcome, isRemembered), item, {
		outcome: outcome.kind,
		...(referenceId !== undefined && { referenceId }),
		...(mayExist(job) && { actionNeeded: neededFor(job) }),
		...(shopifyOrder && { shopifyOrder }),
	});
}

/** The hints after a run, in the form that n8n shows. */
export function hintsOf({ info, warnings }: ReturnType<typeof runHints>): NodeExecutionHint[] {
	return [{ message: info, type: 'info', location: 'outputPane' }, ...warnings.map(warning)];
}

export function warning(message: string): NodeExecutionHint {
	return { message, type: 'warning', location: 'outputPane' };
}
