import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import { pluralize } from '../../common/text';
import { creationBody } from '../../sending/batches';
import type { SkippedCreation } from '../../sending/unsent';
import type { Delivery } from '../../service/schemas';
import { fullMessage, outputItem } from '../items';
import { itemName, listUpTo, maxNamesInHint, warning } from './hints';
import { outcomesByItem, toErrorItem, type ItemOutcome } from './output';
import { toCreations, type PreparedItem } from './prepare';

/** Why an item would not be sent, as a keyword and for people. */
interface NotSent {
	reason: string;
	message: string;
}

/** What a dry run shows of an item. */
interface PlannedItem {
	prepared: PreparedItem;
	/** Undefined for an item that would be sent. */
	notSent?: NotSent;
}

/** The items of a dry run, in order, and why some of them would not be sent. */
export function plannedItems(
	items: readonly PreparedItem[],
	unsent: readonly SkippedCreation[],
): PlannedItem[] {
	const outcomes = outcomesByItem(items, unsent);
	return items.map((prepared) => {
		const outcome = outcomes.get(prepared.item);
		return { prepared, ...(outcome && { notSent: notSentBecause(outcome) }) };
	});
}

function notSentBecause(outcome: ItemOutcome): NotSent | undefined {
	switch (outcome.kind) {
		case 'created':
			return undefined;
		case 'skipped': {
			const message = outcome.message.replace(' was skipped: ', ' would be skipped: ');
			return { reason: outcome.reason, message: `Dry Run: ${message}` };
		}
		default:
			return { reason: outcome.kind, message: `Dry Run: ${fullMessage(outcome.problem)}` };
	}
}

/**
 * The output of a dry run, as a packing list: a flat item for each input item, whether it would be
 * sent or not. With Simplify off, the request is last: it would fill a screen per row of n8n's table.
 *
 * @param toErrorOutput whether n8n moves failed items to an output of their own
 */
export function toDryRunItems(
	planned: readonly PlannedItem[],
	toErrorOutput: boolean,
): INodeExecutionData[] {
	const hasOrders = planned.some(({ prepared }) => prepared.shopifyOrder !== undefined);
	const hasRequests = planned.some(({ prepared }) => prepared.simplify === false);
	return planned.map(({ prepared, notSent }) => {
		const { item, referenceId = null, shopifyOrder = null } = prepared;
		if (toErrorOutput && prepared.kind === 'invalid') return toErrorItem(prepared, prepared);
		const [creation] = toCreations([prepared]);
		return outputItem(
			{
				referenceId,
				wouldSend: notSent === undefined,
				reason: notSent?.reason ?? null,
				...packingColumns(creation?.delivery),
				message: notSent?.message ?? null,
				deliveryType: creation?.type ?? null,
				companyId: creation?.companyId ?? null,
				...(hasOrders && { shopifyOrder }),
				...(hasRequests && {
					request: creation && notSent === undefined ? creationBody([creation]) : null,
				}),
			},
			item,
		);
	});
}

function packingColumns(delivery: Delivery | undefined): object {
	const { contact, location } = delivery?.dropoff ?? {};
	const packages = delivery?.packages ?? [];
	const weights = packages.flatMap(({ weight }) => weight ?? []);
	return {
		recipient: contact?.name ?? null,
		email: contact?.email ?? null,
		phone: contact?.phonenumber ?? null,
		address: location ? placeText(location) : null,
		packages: packages.map(packageText).join(', ') || null,
		weightKg: weights.length > 0 ? totalWeight(weights) : null,
		cashToCollect: delivery ? (delivery.cod ?? 0) : null,
		instructions: location?.instructions ?? null,
	};
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

/** The hint after a dry run: how many deliveries a run would create, and what it would skip. */
export function dryRunHint(planned: readonly PlannedItem[]): NodeExecutionHint {
	const skipped = planned.flatMap(({ prepared, notSent }) =>
		notSent ? [`${itemName(prepared)} ${reasonText(notSent.reason)}`] : [],
	);
	const count = planned.length - skipped.length;
	const isOrder = ({ prepared }: PlannedItem) => prepared.shopifyOrder !== undefined;
	const noun = planned.some(isOrder) ? 'order' : 'item';
	const created = count === 0 ? 'no delivery' : pluralize(count, 'delivery', 'deliveries');
	const others =
		skipped.length > 0 &&
		`${pluralize(skipped.length, noun, `${noun}s`)} skipped (${listUpTo(maxNamesInHint, skipped)})`;
	const sentence = [`Dry Run: ${created} would be created`, others].filter(Boolean).join(', ');
	return warning(
		count > 0
			? `${sentence}. Turn off Dry Run to create ${count === 1 ? 'it' : 'them'}.`
			: `${sentence}.`,
	);
}

/** A keyword as words: "testOrder" as "test order". */
function reasonText(reason: string): string {
	if (reason === 'cancelled') return 'canceled';
	return reason.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
