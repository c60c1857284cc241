/** The output items and hints of a run that creates deliveries. */
import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import { problemText } from '../../common/result';
import { endSentence, isBlank, joinSentences } from '../../common/text';
import { failedText } from '../../messages/failures';
import { addressOf } from '../../messages/names';
import { reasonText, skipReason, wordingOf, type Wording } from '../../messages/outcomes';
import { excludeCreatedAdvice, mayBeCreatedAgain, type runHints } from '../../messages/summary';
import { isFailed, type SettledJob } from '../../sending/job';
import { isBeingRepeated, mayRepeat } from '../../sending/repeat';
import { errorItem, outputItem } from '../items';

/** How a run shows its jobs. */
interface OutputFormat {
	/** Whether n8n moves failed items to an output of their own. */
	toErrorOutput: boolean;
	/** Whether Simplify is on: then the items have only the most important fields. */
	isSimple: boolean;
}

/**
 * An output item for each job. All have the same fields, the important ones first, and empty text
 * where a field does not apply: n8n's table shows a missing field and null as errors.
 */
export function toOutputItems(
	jobs: readonly SettledJob[],
	{ toErrorOutput, isSimple }: OutputFormat,
): INodeExecutionData[] {
	// Most problems advise to run the workflow again, which sends all items again.
	const warnsOfRepeat = jobs.some(mayBeCreatedAgain);
	const rows = jobs.map((job) => toRow(job, isSimple, warnsOfRepeat));
	const empty = Object.fromEntries(rows.flatMap(Object.keys).map((name) => [name, '']));
	return jobs.map((job, index) =>
		toErrorOutput && isFailed(job)
			? toErrorItem(job)
			: outputItem({ ...empty, ...rows[index] }, job.item),
	);
}

/** The columns of a job, without those that do not apply. */
function toRow(job: SettledJob, isSimple: boolean, warnsOfRepeat: boolean): object {
	const { outcome, referenceId, order, delivery } = job;
	const wording = wordingOf(job);
	const { problem } = wording;
	const description =
		warnsOfRepeat && outcome.kind === 'notSent'
			? joinSentences([endSentence(problem.description), excludeCreatedAdvice])
			: problem.description;
	const isCreated = outcome.kind === 'created';
	const record: Record<string, unknown> = isCreated ? outcome.record : {};
	const { trackLink, statusDelivery, deliveryDate, price } = record;
	const message = problemText({ ...problem, description });
	const columns: Record<string, unknown> = {
		referenceId: isBlank(record.referenceId) ? referenceId : record.referenceId,
		outcome: outcome.kind,
		message,
		...columnsForOwner(job, message, wording),
		trackLink,
		statusDelivery,
		deliveryDate,
		price,
		id: isCreated ? outcome.id : '',
		reason: skipReason(outcome),
		...(outcome.kind === 'skipped' && { reasonText: reasonText(outcome) }),
	};
	const cash = order?.cashOutstanding !== undefined && {
		cashToCollect: delivery?.cod ?? 0,
		cashOutstanding: order.cashOutstanding,
	};
	const more = !isSimple && { ...record, ...cash, shopifyOrder: order?.shopifyOrder };
	// A field of the record can't replace a column.
	const all: Record<string, unknown> = { ...columns, ...more, ...columns };
	return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, value ?? '']));
}

/** What the owner of the shop needs to know about a delivery: emails and lists consist of it. */
function columnsForOwner(job: SettledJob, message: string, { needed, help }: Wording) {
	const { order } = job;
	const failure = isFailed(job) && failedText(job, message);
	return {
		actionNeeded: joinSentences([failure, needed]),
		customer: order?.customer ?? job.recipient ?? '',
		cash: cashOf(job),
		address: addressOf(job),
		orderUrl: order?.url ?? '',
		help,
	};
}

/** What the driver collects, as far as this run sent it. */
function cashOf({ delivery, outcome }: SettledJob): number | '' {
	if (outcome.kind === 'updated') return outcome.changes.cod ?? '';
	return delivery && outcome.kind !== 'skipped' ? (delivery.cod ?? 0) : '';
}

/**
 * The output item of a failure, in the form that n8n moves to the error output. There, a workflow can let
 * Shopify repeat its call, and nobody needs to act meanwhile.
 */
export function toErrorItem(job: SettledJob): INodeExecutionData {
	const { item, referenceId, order, outcome } = job;
	const wording = wordingOf(job);
	const { problem } = wording;
	const { shopifyOrder } = order ?? {};
	return errorItem(problem, item, {
		outcome: outcome.kind,
		referenceId: referenceId ?? '',
		...columnsForOwner(job, problemText(problem), wording),
		...(isBeingRepeated(job) && { actionNeeded: '', help: '' }),
		repeat: mayRepeat(job),
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
