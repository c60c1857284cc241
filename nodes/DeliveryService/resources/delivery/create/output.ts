import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { ItemResult } from '../../../common/result';
import type { Report } from '../../../sending/creations';
import type { Creation, Outcome } from '../../../sending/outcomes';
import type { Plan } from '../../../sending/plan';
import { creationRequest as creationRequest } from '../../../service/requests';
import type { OrderFacts } from '../../../shopify/toDelivery';
import { errorItem, outputItem } from '../../items';
import type { PreparedItem } from './prepare';

/** The members of a record that are shown unless the user turns Simplify off. */
const simplifiedFields = [
	'id',
	'referenceId',
	'statusDelivery',
	'trackLink',
	'deliveryDate',
	'price',
	'currencyCode',
	'distance',
] as const;

/** How an input item ended: skipped or invalid when it was read, or by the outcome of its delivery. */
export type ItemOutcome = Outcome | Exclude<ItemResult<never>, { kind: 'delivery' }>;

/** The outcomes of items, by item number. A delivery without a result has none. */
export function outcomesOf(
	items: readonly PreparedItem[],
	results: ReadonlyArray<{ creation: Creation; outcome: Outcome }>,
): Map<number, ItemOutcome> {
	const outcomes = new Map<number, ItemOutcome>();
	for (const prepared of items)
		if (prepared.kind !== 'delivery') outcomes.set(prepared.item, prepared);
	for (const { creation, outcome } of results) outcomes.set(creation.item, outcome);
	return outcomes;
}

/** The output of input items with an outcome: the delivery, why it was skipped, or what went wrong. */
export function toOutputItems(
	items: readonly PreparedItem[],
	outcomes: ReadonlyMap<number, ItemOutcome>,
): INodeExecutionData[] {
	return items.flatMap((prepared) => {
		const outcome = outcomes.get(prepared.item);
		return outcome ? [toOutputItem(prepared, outcome)] : [];
	});
}

function toOutputItem(
	{ item, referenceId, shopifyOrder, notCollectedFor, simplify }: PreparedItem,
	outcome: ItemOutcome,
): INodeExecutionData {
	const order = shopifyOrder !== undefined && { shopifyOrder };
	const named = { ...(referenceId !== undefined && { referenceId }), ...order };
	switch (outcome.kind) {
		case 'created': {
			const record = withReferenceId(outcome.record, referenceId);
			const shown = simplify ? simplifyRecord(record) : record;
			const cash = notCollectedFor && { cashNotCollectedFor: notCollectedFor };
			return outputItem({ ...shown, ...order, ...cash }, item);
		}
		case 'skipped': {
			const { reason, message } = outcome;
			return outputItem({ skipped: true, reason, message, ...named }, item);
		}
		default:
			return errorItem(outcome.problem, item, { outcome: outcome.kind, ...named });
	}
}

/** The output of a dry run: an item for each request, and one for each input item that is in none. */
export function toDryRunItems(items: readonly PreparedItem[], plan: Plan): INodeExecutionData[] {
	const requests = plan.requests.map(({ creations, body }) => {
		const { method, path, json } = creationRequest(body);
		const numbers = creations.map(({ item }) => item);
		return {
			item: Math.min(...numbers),
			output: {
				json: { dryRun: true, request: { method, path, body: { ...json } } },
				pairedItem: numbers.map((item) => ({ item })),
			},
		};
	});
	const outcomes = outcomesOf(items, plan.skipped);
	const others = items.flatMap((prepared) => {
		const outcome = outcomes.get(prepared.item);
		return outcome ? [{ item: prepared.item, output: toOutputItem(prepared, outcome) }] : [];
	});
	return [...requests, ...others]
		.sort((one, other) => one.item - other.item)
		.map(({ output }) => output);
}

/** A record with the reference ID that was sent, where the service gives none back. */
function withReferenceId(
	record: Record<string, unknown>,
	referenceId: string | undefined,
): Record<string, unknown> {
	const isMissing = [undefined, null, ''].some((nothing) => record.referenceId === nothing);
	return isMissing && referenceId !== undefined ? { ...record, referenceId } : record;
}

function simplifyRecord(record: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		simplifiedFields
			.filter((name) => record[name] !== undefined)
			.map((name) => [name, record[name]]),
	);
}

/** What the user should know after a dry run: a forgotten one looks like a run that went well. */
export function dryRunHint({ requests }: Plan): NodeExecutionHint {
	const count = requests.reduce((sum, { creations }) => sum + creations.length, 0);
	return {
		message: `Dry Run is on: nothing was sent. Remove this option to create ${pluralize(count, 'delivery', 'deliveries')}.`,
		type: 'warning',
		location: 'outputPane',
	};
}

/** What the user should know after a run, shown on the node. */
export function hintsOf(
	outcomes: readonly ItemOutcome[],
	{ requests, waited, ledgerFailed }: Omit<Report, 'results'>,
): NodeExecutionHint[] {
	const count = (...kinds: Array<ItemOutcome['kind']>) =>
		outcomes.filter(({ kind }) => kinds.includes(kind)).length;
	const created = count('created');
	const skipped = count('skipped');
	const unknown = count('unknown');
	const notCreated = count('invalid', 'rejected', 'notSent');
	const pendingReview = outcomes.filter(
		(outcome) => outcome.kind === 'created' && isPendingReview(outcome.record.statusDelivery),
	).length;
	const [forLimit, forService] = [waited.forLimitMs, waited.forServiceMs].map((ms) =>
		Math.round(ms / 1000),
	);
	const hints: NodeExecutionHint[] = [
		{
			message: [
				requests > 0
					? `Created ${pluralize(created, 'delivery', 'deliveries')} in ${pluralize(requests, 'request', 'requests')}.`
					: 'Nothing was sent.',
				skipped > 0
					? `Skipped ${pluralize(skipped, 'item', 'items')}: the field "message" says why.`
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
	const warn = (message: string) =>
		hints.push({ message, type: 'warning', location: 'outputPane' });
	if (pendingReview > 0)
		warn(
			`${pluralize(pendingReview, 'delivery is', 'deliveries are')} pending review: the address could not be located. Correct it in the dashboard of the Delivery Service or with the operation Update. Address components make this rarer, and coordinates avoid it.`,
		);
	if (notCreated > 0)
		warn(
			`${pluralize(notCreated, 'delivery was', 'deliveries were')} not created: the field "error" says why.`,
		);
	if (unknown > 0)
		warn(
			`Whether ${pluralize(unknown, 'delivery was', 'deliveries were')} created is unknown. Look them up in the dashboard of the Delivery Service before you send them again.`,
		);
	if (ledgerFailed)
		warn(
			'n8n could not note which deliveries were created. In the next run they come out as unknown instead of being sent again.',
		);
	return hints;
}

const maxNamesInHint = 5;

/** What the user should know about the orders of deliveries that were created, or will be. */
export function orderHints(items: readonly OrderFacts[]): NodeExecutionHint[] {
	return [missingFieldsHint(items), cashHint(items)]
		.filter((message) => message !== undefined)
		.map((message) => ({ message, type: 'warning', location: 'outputPane' }));
}

/** A canceled order that does not say so is delivered, and nobody would notice in time. */
function missingFieldsHint(items: readonly OrderFacts[]): string | undefined {
	const missing = items.flatMap(({ missingFields }) => (missingFields ? [missingFields] : []));
	if (missing.length === 0) return undefined;
	const assumed = new Map(missing.flat().map((one) => [one.field, one.assumed]));
	const fields = [...assumed.keys()].map((field) => `"${field}"`).join(', ');
	return `${pluralize(missing.length, 'order', 'orders')} came without ${fields}, which Shopify gives every order. Taken as: ${[...assumed.values()].join(', ')}. If the Shopify node limits the fields that it returns, add these.`;
}

/**
 * Money may be outstanding of which the driver collects nothing. No list of names for cash on delivery
 * is complete, and a driver who does not ask for money is noticed late.
 */
function cashHint(items: readonly OrderFacts[]): string | undefined {
	const methods = items.flatMap(({ notCollectedFor }) =>
		notCollectedFor ? [notCollectedFor] : [],
	);
	if (methods.length === 0) return undefined;
	const names = [...new Set(methods.flat())];
	const shown = names.slice(0, maxNamesInHint).map((name) => `"${name}"`);
	const others = names.length - shown.length;
	const paidBy =
		names.length > 0
			? `paid by ${shown.join(', ')}${others > 0 ? ` and ${others} more` : ''}. If one of these is cash on delivery, add it to the order option Cash on Delivery Methods`
			: 'without a payment method. If they are to be paid at the door, set the order option Cash on Delivery to Always';
	return `The driver collects nothing for ${pluralize(methods.length, 'order', 'orders')} with money outstanding, ${paidBy}, and correct deliveries that exist already with the operation Update.`;
}

function isPendingReview(status: unknown): boolean {
	return typeof status === 'string' && /pending.?review/i.test(status);
}

function pluralize(count: number, one: string, several: string): string {
	return `${count} ${count === 1 ? one : several}`;
}
