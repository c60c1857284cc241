import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { Outcome, Report } from '../../../sending/creations';
import type { Plan } from '../../../sending/plan';
import { creation as creationRequest } from '../../../service/requests';
import { errorItem, outputItem } from '../../items';
import type { Prepared } from './prepare';

/** The members of a record that are shown unless the user turns Simplify off. */
const simplifiedMembers = [
	'id',
	'referenceId',
	'statusDelivery',
	'trackLink',
	'deliveryDate',
	'price',
	'currencyCode',
	'distance',
] as const;

const skipMessages = {
	alreadyCreated: 'This workflow has created a delivery with this reference ID before',
	sameReferenceInInput: 'An item before this one has the same reference ID',
} as const;

/** The output of an input item: the delivery, why it was skipped, or what went wrong. */
export function toOutput(
	{ item, reading }: Prepared,
	outcomes: ReadonlyMap<number, Outcome>,
): INodeExecutionData {
	if (reading.kind === 'invalid') {
		const { problem, referenceId } = reading;
		return errorItem(problem, item, { outcome: 'invalid', ...(referenceId && { referenceId }) });
	}
	if (reading.kind === 'skipped') return skipped(item, reading);
	const { referenceId } = reading.creation.delivery;
	const outcome = outcomes.get(item);
	switch (outcome?.kind) {
		case 'created':
			return outputItem(reading.simplify ? simplified(outcome.record) : outcome.record, item);
		case 'skipped':
			return skipped(item, { ...outcome, message: skipMessages[outcome.reason], referenceId });
		default:
			return errorItem(outcome?.problem ?? { message: 'This delivery was not sent' }, item, {
				outcome: outcome?.fate ?? 'notSent',
				referenceId,
			});
	}
}

/** The output of a dry run: an item for each request, and one for each input item that is in none. */
export function toDryOutput(items: readonly Prepared[], plan: Plan): INodeExecutionData[] {
	const requests = new Map(plan.requests.map((request) => [request.items[0], request]));
	return items.flatMap((prepared) => {
		const { item, reading } = prepared;
		const request = requests.get(item);
		if (request) {
			const { method, path, json } = creationRequest(request.body);
			return {
				json: { dryRun: true, request: { method, path, body: { ...json } } },
				pairedItem: request.items.map((index) => ({ item: index })),
			};
		}
		if (reading.kind !== 'ready') return toOutput(prepared, new Map());
		const held = plan.held.get(item);
		if (held === undefined) return [];
		if (held === 'unknown')
			return skipped(item, {
				reason: held,
				message: 'It was sent before, and whether it was created is unknown',
				referenceId: reading.creation.delivery.referenceId,
			});
		return toOutput(prepared, new Map([[item, { kind: 'skipped', reason: held }]]));
	});
}

function skipped(
	item: number,
	{ reason, message, referenceId }: { reason: string; message: string; referenceId?: string },
): INodeExecutionData {
	return outputItem({ skipped: true, reason, message, ...(referenceId && { referenceId }) }, item);
}

function simplified(record: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		simplifiedMembers
			.filter((name) => record[name] !== undefined)
			.map((name) => [name, record[name]]),
	);
}

/** What the user should know after a dry run: a forgotten one looks like a run that went well. */
export function dryHint({ requests }: Plan): NodeExecutionHint {
	const count = requests.reduce((sum, { items }) => sum + items.length, 0);
	return {
		message: `Dry Run is on: nothing was sent. Remove this option to create ${counted(count, 'delivery', 'deliveries')}.`,
		type: 'warning',
		location: 'outputPane',
	};
}

/** What the user should know after a run, shown on the node. */
export function hintsOf(
	items: readonly Prepared[],
	{ outcomes, requests, waited, ledgerFailed }: Report,
): NodeExecutionHint[] {
	const all = [...outcomes.values()];
	const skippedCount =
		items.filter(({ reading }) => reading.kind === 'skipped').length +
		all.filter(({ kind }) => kind === 'skipped').length;
	const created = all.filter((outcome) => outcome.kind === 'created');
	const pendingReview = created.filter(({ record }) => isPendingReview(record.statusDelivery));
	const failed = all.filter((outcome) => outcome.kind === 'failed');
	const unknown = failed.filter(({ fate }) => fate === 'unknown');
	const notCreatedCount =
		items.filter(({ reading }) => reading.kind === 'invalid').length +
		failed.length -
		unknown.length;
	const [forLimit, forService] = [waited.forLimitMs, waited.forServiceMs].map((ms) =>
		Math.round(ms / 1000),
	);
	const hints: NodeExecutionHint[] = [
		{
			message: [
				requests > 0
					? `Created ${counted(created.length, 'delivery', 'deliveries')} in ${counted(requests, 'request', 'requests')}.`
					: 'Nothing was sent.',
				skippedCount > 0
					? `Skipped ${counted(skippedCount, 'item', 'items')}: the field "message" says why.`
					: '',
				forLimit ? `Waited ${forLimit} s because the service takes 100 requests a minute.` : '',
				forService ? `Waited ${forService} s until the service took requests again.` : '',
			]
				.filter(Boolean)
				.join(' '),
			type: 'info',
			location: 'outputPane',
		},
	];
	if (pendingReview.length > 0)
		hints.push({
			message: `${counted(pendingReview.length, 'delivery is', 'deliveries are')} pending review: the address could not be located. Correct it on the dashboard of the Delivery Service or with the operation Update. Address components make this rarer, and coordinates avoid it.`,
			type: 'warning',
			location: 'outputPane',
		});
	if (notCreatedCount > 0)
		hints.push({
			message: `${counted(notCreatedCount, 'delivery was', 'deliveries were')} not created: the field "error" says why.`,
			type: 'warning',
			location: 'outputPane',
		});
	if (unknown.length > 0)
		hints.push({
			message: `Whether ${counted(unknown.length, 'delivery was', 'deliveries were')} created is unknown. Look them up on the Delivery Service before you send them again.`,
			type: 'warning',
			location: 'outputPane',
		});
	if (ledgerFailed)
		hints.push({
			message:
				'n8n could not note which deliveries were created. In the next run they come out as unknown instead of being sent again.',
			type: 'warning',
			location: 'outputPane',
		});
	return hints;
}

function isPendingReview(status: unknown): boolean {
	return typeof status === 'string' && /pending.?review/i.test(status);
}

function counted(count: number, one: string, several: string): string {
	return `${count} ${count === 1 ? one : several}`;
}
