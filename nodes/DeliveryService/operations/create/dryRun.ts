/** What a Dry Run shows: a row for each item, whether it would be sent or not, and hints. */
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import {
	dryRunHint,
	dryRunReason,
	dryRunResult,
	dryRunWording,
	errorsFirst,
} from '../../messages/dryRun';
import { addressOf, placeText } from '../../messages/names';
import { attentionHint } from '../../messages/summary';
import { isSettled, type Job } from '../../sending/job';
import type { Delivery } from '../../service/schemas';
import { hasErrorOutput, isTool, outputItem } from '../items';
import { toErrorItem, warning } from './output';

/**
 * Whether someone sees the dry run: in the editor, or as the result of an AI agent's tool. In a
 * published workflow, it was left on by mistake, and nobody would notice that no order is sent.
 */
export function isPreview(context: IExecuteFunctions): boolean {
	return context.getMode() === 'manual' || isTool(context);
}

/**
 * Shows what a run would send.
 *
 * @param jobs those without an outcome would be sent
 */
export function preview(
	context: IExecuteFunctions,
	jobs: readonly Job[],
	isSimple: boolean,
): INodeExecutionData[] {
	const attention = attentionHint(jobs);
	const hints = [dryRunHint(jobs), ...(attention ? [attention] : [])];
	context.addExecutionHints(...hints.map(warning));
	const toErrorOutput = hasErrorOutput(context);
	return errorsFirst(jobs).map((job) =>
		toErrorOutput && isSettled(job) && job.outcome.kind === 'invalid'
			? toErrorItem(job)
			: toRow(job, isSimple),
	);
}

/**
 * The row of an item, as in a packing list. With Simplify on, it has three columns: n8n's table makes each
 * column as narrow as its longest word if there are more, and a row fills half a screen.
 */
function toRow(job: Job, isSimple: boolean): INodeExecutionData {
	const { item, referenceId = '', delivery, outcome, type = '', companyId = '' } = job;
	const { message, needed } = dryRunWording(job);
	const row = { referenceId, result: dryRunResult(job), message };
	if (isSimple) return outputItem(row, item);
	const { contact, location } = delivery?.dropoff ?? {};
	const {
		customer = '',
		shippingMethods = [],
		deliveryDay = '',
		shopifyOrder = '',
	} = job.order ?? {};
	const packages = delivery?.packages ?? [];
	const weights = packages.flatMap(({ weight }) => weight ?? []);
	return outputItem(
		{
			...row,
			recipient: contact?.name ?? customer,
			cashToCollect: delivery ? (delivery.cod ?? 0) : '',
			address: location ? placeText(location) : addressOf(job),
			actionNeeded: needed,
			packages: packages.map(packageText).join(', '),
			pickup: delivery ? placeText(delivery.pickup.location) : '',
			shippingMethod: shippingMethods.join(', '),
			weightKg: weights.length > 0 ? totalWeight(weights) : '',
			deliveryType: type,
			deliveryDate: deliveryDay,
			wouldSend: outcome === undefined,
			reason: dryRunReason(job),
			email: contact?.email ?? '',
			phone: contact?.phonenumber ?? '',
			instructions: location?.instructions ?? '',
			companyId,
			shopifyOrder,
			request:
				delivery && !outcome
					? { deliveries: [delivery], companyId: job.companyId, type: job.type }
					: '',
		},
		item,
	);
}

function packageText({ qty, name, size }: Delivery['packages'][number]): string {
	return `${qty} × ${name} (${String(size).toUpperCase()})`;
}

/** Without the inaccuracies of binary fractions, e.g. 0.1 + 0.2. */
function totalWeight(amounts: readonly number[]): number {
	return Number(amounts.reduce((total, amount) => total + amount, 0).toFixed(6));
}
