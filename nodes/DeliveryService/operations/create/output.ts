import type { INodeExecutionData } from 'n8n-workflow';

import { problemText } from '../../common/result';
import { endSentence, isBlank } from '../../common/text';
import { actionNeeded } from '../../messages/orders';
import { describe, isPendingReview, reviewAdvice, skipReason } from '../../messages/outcomes';
import { excludeCreatedAdvice, mayExist } from '../../messages/summary';
import type { Job, Outcome } from '../../sending/job';
import { errorItem, outputItem } from '../items';

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
const optionalColumns = [
	...['cashToCollect', 'cashOutstanding', 'cashNotCollectedFor', 'actionNeeded', 'shopifyOrder'],
];

/**
 * An output item for each job. All have the same fields, the important ones first, and null where a
 * field does not apply: n8n's table shows a missing field as an error.
 *
 * @param isRemembered whether running the workflow again skips created deliveries
 * @param toErrorOutput whether n8n moves failed items to an output of their own
 */
export function toOutputItems(
	jobs: readonly Job[],
	isRemembered: boolean,
	toErrorOutput: boolean,
): INodeExecutionData[] {
	// Most problems advise to run the workflow again, which sends all items again.
	const warnsOfResending = !isRemembered && jobs.some(mayExist);
	const rows = jobs.map((job) => toRow(job, isRemembered, warnsOfResending));
	const names = new Set(optionalColumns);
	for (const { common, more } of rows)
		for (const name of Object.keys(more)) if (!(name in common)) names.add(name);
	const columns = [...names].filter((name) => rows.some(({ more }) => more[name] !== undefined));
	return rows.map(({ job, outcome, common, more }) => {
		if (toErrorOutput && isFailure(outcome)) return toErrorItem(job, isRemembered);
		const rest = columns.map((name): [string, unknown] => [name, more[name] ?? null]);
		return outputItem({ ...common, ...Object.fromEntries(rest) }, job.item);
	});
}

/** The output item of one job. */
export function toOutputItem(job: Job, toErrorOutput: boolean): INodeExecutionData {
	const [item] = toOutputItems([job], true, toErrorOutput);
	return item ?? outputItem({}, job.item);
}

const notProcessed: Outcome = {
	kind: 'notSent',
	why: { code: 'halted', halt: { code: 'stopped' } },
};

function isFailure({ kind }: Outcome): boolean {
	return kind !== 'created' && kind !== 'skipped';
}

/** The columns of a job: those that every item has, and those that not every item has. */
function toRow(job: Job, isRemembered: boolean, warnsOfResending: boolean) {
	const { outcome = notProcessed, referenceId, order, simplify } = job;
	const problem = describe(job, outcome, isRemembered);
	const advice =
		warnsOfResending && outcome.kind === 'notSent'
			? `${endSentence(problem.description)} ${excludeCreatedAdvice}`.trim()
			: problem.description;
	const record: Record<string, unknown> = outcome.kind === 'created' ? outcome.record : {};
	const common: object = {
		referenceId: isBlank(record.referenceId) ? (referenceId ?? null) : record.referenceId,
		outcome: outcome.kind,
		message: problemText({ ...problem, description: advice }),
		...Object.fromEntries(recordColumns.map((name) => [name, record[name] ?? null])),
		...(outcome.kind === 'created' && { id: outcome.id }),
		reason: outcome.kind === 'skipped' ? skipReason(outcome) : null,
	};
	const { shopifyOrder, cashShare, notCollectedFor, actions } = order ?? {};
	const review =
		outcome.kind === 'created' && isPendingReview(outcome) && `Pending review: ${reviewAdvice}`;
	const needed = [review, actionNeeded(actions)].filter(Boolean).join(' ') || undefined;
	const more: Record<string, unknown> =
		outcome.kind === 'created'
			? {
					...(simplify ? {} : record),
					...cashShare,
					cashNotCollectedFor: notCollectedFor?.join(', '),
					actionNeeded: needed,
					shopifyOrder,
				}
			: { actionNeeded: needed, shopifyOrder };
	return { job, outcome, common, more };
}

/** The output item of a failure, in the form that n8n moves to the error output. */
export function toErrorItem(job: Job, isRemembered: boolean): INodeExecutionData {
	const { item, referenceId, order, outcome = notProcessed } = job;
	const { shopifyOrder } = order ?? {};
	return errorItem(describe(job, outcome, isRemembered), item, {
		outcome: outcome.kind,
		...(referenceId !== undefined && { referenceId }),
		...(shopifyOrder && { shopifyOrder }),
	});
}
