import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { Job } from '../../sending/job';
import { problemText } from '../../common/result';
import { joinSentences, listUpTo, pluralize } from '../../common/text';
import { describe, neededFor, skipReason } from '../../messages/outcomes';
import { itemName, maxNamesInHint } from '../../messages/summary';
import type { Delivery } from '../../service/schemas';
import { outputItem } from '../items';
import { toErrorItem, warning } from './output';

/**
 * The output of a dry run, as a packing list: a flat item for each input item, whether it would be
 * sent or not. With Simplify off, the request is last: it would fill a screen per row of n8n's table.
 *
 * @param jobs those without an outcome would be sent
 * @param toErrorOutput whether n8n moves failed items to an output of their own
 * @param isFull whether they show the requests, too
 */
export function toDryRunItems(
	jobs: readonly Job[],
	toErrorOutput: boolean,
	isFull: boolean,
): INodeExecutionData[] {
	return jobs.map((job) => {
		const { item, referenceId = '', delivery, outcome, type = '', companyId = '' } = job;
		if (toErrorOutput && outcome?.kind === 'invalid') return toErrorItem(job, true);
		const { contact, location } = delivery?.dropoff ?? {};
		const { shippingMethods = [], deliveryDay = '', shopifyOrder = '' } = job.order ?? {};
		const packages = delivery?.packages ?? [];
		const weights = packages.flatMap(({ weight }) => weight ?? []);
		const reason = reasonOf(job);
		return outputItem(
			{
				referenceId,
				result: resultText(reason, outcome),
				recipient: contact?.name ?? '',
				address: location ? placeText(location) : '',
				pickup: delivery ? placeText(delivery.pickup.location) : '',
				packages: packages.map(packageText).join(', '),
				cashToCollect: delivery ? (delivery.cod ?? 0) : '',
				shippingMethod: shippingMethods.join(', '),
				weightKg: weights.length > 0 ? totalWeight(weights) : '',
				deliveryType: type,
				deliveryDate: deliveryDay,
				actionNeeded: neededFor(job),
				message: outcome ? `Dry Run: ${problemText(describe(job, outcome, true))}` : '',
				wouldSend: outcome === undefined,
				reason,
				...(isFull && {
					email: contact?.email ?? '',
					phone: contact?.phonenumber ?? '',
					instructions: location?.instructions ?? '',
					companyId,
					shopifyOrder,
					request:
						delivery && !outcome
							? { deliveries: [delivery], companyId: job.companyId, type: job.type }
							: '',
				}),
			},
			item,
		);
	});
}

function resultText(reason: string, outcome: Job['outcome']): string {
	if (outcome === undefined) return 'send';
	return outcome.kind === 'skipped' ? `skip: ${wordsOf(reason)}` : 'error';
}

/** Why an item would not be sent, as a keyword. */
function reasonOf({ outcome }: Job): string {
	if (outcome === undefined) return '';
	if (outcome.kind === 'skipped') return skipReason(outcome);
	if (outcome.kind === 'notSent' && outcome.why.code === 'inParts') return 'sentInParts';
	return outcome.kind === 'notSent' ? outcome.why.code : outcome.kind;
}

function placeText({ address, warehouse }: Delivery['dropoff']['location']): string {
	if (address === undefined) return `Warehouse ${warehouse}`;
	if (typeof address === 'string') return address;
	const { streetName, neighborhood, city, state, zipcode, country } = address;
	return [streetName, neighborhood, city, state, zipcode, country].filter(Boolean).join(', ');
}

function packageText({ qty, name, size }: Delivery['packages'][number]): string {
	return `${qty} × ${name} (${String(size).toUpperCase()})`;
}

/** Without the inaccuracies of binary fractions, e.g. 0.1 + 0.2. */
function totalWeight(amounts: readonly number[]): number {
	return Number(amounts.reduce((total, amount) => total + amount, 0).toFixed(6));
}

/** The hint after a dry run: how many deliveries a run would create, and what it would not send. */
export function dryRunHint(jobs: readonly Job[]): NodeExecutionHint {
	const notSent = jobs.flatMap((job) => {
		const reason = reasonOf(job);
		return reason === '' ? [] : [`${itemName(job)} ${wordsOf(reason)}`];
	});
	const count = jobs.length - notSent.length;
	const noun = jobs.some(({ order }) => order?.shopifyOrder) ? 'order' : 'item';
	const created = count === 0 ? 'no delivery' : pluralize(count, 'delivery', 'deliveries');
	const others =
		notSent.length > 0 &&
		`${pluralize(notSent.length, noun, `${noun}s`)} would not be sent (${listUpTo(maxNamesInHint, notSent)})`;
	const sentence = [`Dry Run: ${created} would be created`, others].filter(Boolean).join(', ');
	const advice = count > 0 && 'Turn off Dry Run to create deliveries.';
	return warning(joinSentences([`${sentence}.`, advice, shippingMethodCounts(jobs)]));
}

/** How many orders have each shipping method, the most frequent first, so that a wrong filter stands out. */
function shippingMethodCounts(jobs: readonly Job[]): string {
	const counts = new Map<string, number>();
	for (const { order } of jobs)
		for (const name of new Set(order?.shippingMethods))
			counts.set(name, (counts.get(name) ?? 0) + 1);
	const sorted = [...counts].sort(([, one], [, other]) => other - one);
	if (sorted.length === 0) return '';
	const names = sorted.map(([name, count]) => `${count} × ${name}`);
	return `Shipping methods: ${listUpTo(maxMethodsInHint, names)}.`;
}

const maxMethodsInHint = 10;

/** A keyword as words: "testOrder" as "test order". */
function wordsOf(reason: string): string {
	if (reason === 'cancelled') return 'canceled';
	return reason.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
