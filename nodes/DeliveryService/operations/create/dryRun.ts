/** The rows of a dry run: what each item would send. */
import type { INodeExecutionData } from 'n8n-workflow';

import { dryRunReason, dryRunResult, dryRunWording, errorsFirst } from '../../messages/dryRun';
import { addressOf, placeText } from '../../messages/names';
import type { Job } from '../../sending/job';
import type { Delivery } from '../../service/schemas';
import { outputItem } from '../items';
import { toErrorItem, type OutputFormat } from './output';

/**
 * The output of a dry run, as a packing list: a flat item for each input item, whether it would be
 * sent or not. Errors come first. With Simplify on, a row has three columns: n8n's table makes each
 * column as narrow as its longest word if there are more, and a row fills half a screen.
 *
 * @param jobs those without an outcome would be sent
 */
export function toDryRunItems(
	jobs: readonly Job[],
	{ toErrorOutput, isSimple }: Omit<OutputFormat, 'isRemembered'>,
): INodeExecutionData[] {
	return errorsFirst(jobs).map((job) => {
		const { item, referenceId = '', delivery, outcome, type = '', companyId = '' } = job;
		if (toErrorOutput && outcome?.kind === 'invalid') return toErrorItem(job, true);
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
	});
}

function packageText({ qty, name, size }: Delivery['packages'][number]): string {
	return `${qty} × ${name} (${String(size).toUpperCase()})`;
}

/** Without the inaccuracies of binary fractions, e.g. 0.1 + 0.2. */
function totalWeight(amounts: readonly number[]): number {
	return Number(amounts.reduce((total, amount) => total + amount, 0).toFixed(6));
}
