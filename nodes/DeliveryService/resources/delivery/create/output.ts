import type { INodeExecutionData, NodeExecutionHint } from 'n8n-workflow';

import type { ItemResult } from '../../../common/result';
import { pluralize } from '../../../common/text';
import type { Report } from '../../../sending/options';
import type { Creation, Outcome } from '../../../sending/outcomes';
import type { Plan } from '../../../sending/plan';
import { creationRequest } from '../../../service/requests';
import { errorItem, outputItem } from '../../items';
import type { PreparedItem } from './prepare';

/** The fields of a record in the simplified output. */
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

/** An output item for each input item with an outcome: the delivery, why it was skipped, or the error. */
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
	{ item, referenceId, shopifyOrder, notCollectedFor, cashShare, simplify }: PreparedItem,
	outcome: ItemOutcome,
): INodeExecutionData {
	const order = shopifyOrder !== undefined && { shopifyOrder };
	const names = { ...(referenceId !== undefined && { referenceId }), ...order };
	switch (outcome.kind) {
		case 'created': {
			const record = withReferenceId(outcome.record, referenceId);
			const output = simplify ? simplifyRecord(record) : record;
			const cash = notCollectedFor && { cashNotCollectedFor: notCollectedFor };
			return outputItem({ ...output, ...order, ...cash, ...cashShare }, item);
		}
		case 'skipped': {
			const { reason, message } = outcome;
			return outputItem({ skipped: true, reason, message, ...names }, item);
		}
		default:
			return errorItem(outcome.problem, item, { outcome: outcome.kind, ...names });
	}
}

/**
 * The output items with nothing but the outcomes, for an error in the other functions of this file: it
 * must not hide which deliveries were created.
 */
export function toBareItems(
	items: readonly PreparedItem[],
	outcomes: ReadonlyMap<number, ItemOutcome>,
): INodeExecutionData[] {
	return items.flatMap(({ item, referenceId }) => {
		const outcome = outcomes.get(item);
		if (!outcome) return [];
		const { kind } = outcome;
		if (kind === 'created') return [outputItem({ id: outcome.id, referenceId }, item)];
		if (kind !== 'skipped')
			return [errorItem(outcome.problem, item, { outcome: kind, referenceId })];
		const { reason, message } = outcome;
		return [outputItem({ skipped: true, reason, message, referenceId }, item)];
	});
}

/** The output of a dry run: an item for each request and for each input item that is in no request. */
export function toDryRunItems(items: readonly PreparedItem[], plan: Plan): INodeExecutionData[] {
	const requests = plan.requests.map(({ creations, body }) => {
		const { method, path, json } = creationRequest(body);
		const itemNumbers = creations.map(({ item }) => item);
		return {
			item: Math.min(...itemNumbers),
			output: {
				json: { dryRun: true, request: { method, path, body: { ...json } } },
				pairedItem: itemNumbers.map((item) => ({ item })),
			},
		};
	});
	const outcomes = outcomesByItem(items, plan.skipped);
	const others = items.flatMap((prepared) => {
		const outcome = outcomes.get(prepared.item);
		return outcome ? [{ item: prepared.item, output: toOutputItem(prepared, outcome) }] : [];
	});
	return [...requests, ...others]
		.sort((one, other) => one.item - other.item)
		.map(({ output }) => output);
}

/** The record with the reference ID that was sent, if the service returns none. */
function withReferenceId(
	record: Record<string, unknown>,
	referenceId: string | undefined,
): Record<string, unknown> {
	const isMissing = [undefined, null, ''].some((blank) => record.referenceId === blank);
	return isMissing && referenceId !== undefined ? { ...record, referenceId } : record;
}

function simplifyRecord(record: Record<string, unknown>): Record<string, unknown> {
	return Object.fromEntries(
		simplifiedFields
			.filter((name) => record[name] !== undefined)
			.map((name) => [name, record[name]]),
	);
}

/** The hint after a dry run, which otherwise looks like a real run. */
export function dryRunHint({ requests }: Plan): NodeExecutionHint {
	const count = requests.reduce((sum, { creations }) => sum + creations.length, 0);
	return warning(
		count === 0
			? 'Dry Run is on: nothing was sent, and nothing would be.'
			: `Dry Run is on: nothing was sent. Remove this option to create ${pluralize(count, 'delivery', 'deliveries')}.`,
	);
}

/** The hints after a run: its numbers, then a warning for each kind of problem. */
export function runHints(
	items: readonly PreparedItem[],
	outcomes: ReadonlyMap<number, ItemOutcome>,
	{ requests, waited, ledgerFailed, reducedSize }: Omit<Report, 'results'>,
): NodeExecutionHint[] {
	const namesWhere = (matches: (outcome: ItemOutcome) => boolean) =>
		items.flatMap((prepared) => {
			const outcome = outcomes.get(prepared.item);
			return outcome && matches(outcome) ? [itemName(prepared)] : [];
		});
	const created = namesWhere(({ kind }) => kind === 'created').length;
	const skipped = namesWhere(({ kind }) => kind === 'skipped').length;
	const unknown = namesWhere(({ kind }) => kind === 'unknown');
	const notCreated = namesWhere(({ kind }) => ['invalid', 'rejected', 'notSent'].includes(kind));
	const pendingReview = namesWhere(
		(outcome) => outcome.kind === 'created' && isPendingReview(outcome.record.statusDelivery),
	);
	const [forLimit, forService] = [waited.forLimitMs, waited.forServiceMs].map((ms) =>
		Math.round(ms / 1000),
	);
	const sentences = [
		requests > 0 ? `Created ${pluralize(created, 'delivery', 'deliveries')}.` : 'Nothing was sent.',
		skipped > 0 && `Skipped ${pluralize(skipped, 'item', 'items')}: see the "message" field.`,
		reducedSize !== undefined &&
			`The Delivery Service rejected a batch, so the rest was sent ${reducedSize === 1 ? 'individually' : `in batches of up to ${reducedSize}`}.`,
		forLimit && `Waited ${forLimit} s for the rate limit (100 requests per minute).`,
		forService && `Waited ${forService} s because the service was busy.`,
	];
	const warnings = [
		pendingReview.length > 0 && pendingReviewMessage(pendingReview),
		notCreated.length > 0 &&
			`${pluralize(notCreated.length, 'delivery was', 'deliveries were')} not created: see the "error" field.`,
		unknown.length > 0 && unknownMessage(unknown),
		ledgerFailed &&
			'n8n could not save which deliveries were created. The next run reports them as unknown instead of sending them again.',
	];
	return [
		{ message: sentences.filter(Boolean).join(' '), type: 'info', location: 'outputPane' },
		...warnings.filter((message) => message !== false).map(warning),
	];
}

function pendingReviewMessage(names: readonly string[]): string {
	const deliveries = countAndNames(names, 'deliveries');
	return names.length === 1
		? `${deliveries} is pending review: its address was not found. Correct it in the Delivery Service dashboard or with the operation Update.`
		: `${deliveries} are pending review: their addresses were not found. Correct them in the Delivery Service dashboard or with the operation Update.`;
}

function unknownMessage(names: readonly string[]): string {
	const deliveries = countAndNames(names, 'deliveries');
	return names.length === 1
		? `It is unknown whether ${deliveries} was created. Check the Delivery Service dashboard before you send it again.`
		: `It is unknown whether ${deliveries} were created. Check the Delivery Service dashboard before you send them again.`;
}

/** The hints about the orders of created deliveries, or in a dry run of those to be created. */
export function orderHints(items: readonly PreparedItem[]): NodeExecutionHint[] {
	return [missingFieldsMessage(items), cashMessage(items), unlistedLocationsMessage(items)]
		.filter((message) => message !== undefined)
		.map(warning);
}

/** Without these fields a canceled order is delivered, and no one would notice in time. */
function missingFieldsMessage(items: readonly PreparedItem[]): string | undefined {
	const missing = items.flatMap(({ missingFields }) => (missingFields ? [missingFields] : []));
	if (missing.length === 0) return undefined;
	const assumptions = new Map(missing.flat().map(({ field, assumed }) => [field, assumed]));
	const fields = [...assumptions.keys()].map((field) => `"${field}"`).join(', ');
	const them = assumptions.size === 1 ? 'it' : 'them';
	return `Shopify did not return ${fields} for ${pluralize(missing.length, 'order', 'orders')} (assumed: ${[...assumptions.values()].join(', ')}). If Fields is set in the Shopify node, add ${them} there; if you use GraphQL, add ${them} to the query.`;
}

/**
 * Warns about outstanding money that the driver does not collect. No list of cash on delivery methods
 * is complete, and a driver who doesn't ask for money is noticed late.
 */
function cashMessage(items: readonly PreparedItem[]): string | undefined {
	const unpaid = items.filter(({ notCollectedFor }) => notCollectedFor !== undefined);
	if (unpaid.length === 0) return undefined;
	const methods = [...new Set(unpaid.flatMap(({ notCollectedFor = [] }) => notCollectedFor))];
	const list = listUpTo(
		maxNamesInHint,
		methods.map((name) => `"${name}"`),
	);
	const condition =
		methods.length > 1
			? `If one of the payment methods ${list} is cash on delivery`
			: `If the payment method ${list} is cash on delivery`;
	const advice =
		methods.length > 0
			? `${condition}, add it to the order option Cash on Delivery Methods`
			: 'There is no payment method: if cash is due on delivery, set the order option Cash on Delivery to Whenever Something Is Unpaid';
	const orders = countAndNames(unpaid.map(itemName), 'orders');
	const subject = unpaid.length === 1 ? `${orders} is` : `${orders} are`;
	return `${subject} not fully paid, but no cash will be collected. ${advice}, and run Update for existing deliveries.`;
}

/**
 * Names the locations whose orders used the pickup fields. A shop with one location and no table needs
 * no row.
 */
function unlistedLocationsMessage(items: readonly PreparedItem[]): string | undefined {
	const unlisted = items.filter(({ unlistedLocation }) => unlistedLocation !== undefined);
	const locations = unlisted.flatMap(({ unlistedLocation }) => unlistedLocation ?? []);
	const names = [...new Set(locations.map(({ name }) => name))];
	const needsRow = names.length > 1 || locations.some(({ isTableEmpty }) => !isTableEmpty);
	if (!needsRow) return undefined;
	const [are, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
	return `${countAndNames(names, 'locations')} ${are} not in Pickup by Location, so the pickup fields were used for ${countAndNames(unlisted.map(itemName), 'deliveries')}. Add ${them} if the driver should go elsewhere.`;
}

function isPendingReview(status: unknown): boolean {
	return typeof status === 'string' && /pending.?review/i.test(status);
}

function warning(message: string): NodeExecutionHint {
	return { message, type: 'warning', location: 'outputPane' };
}

const maxNamesInHint = 5;

function itemName({ item, referenceId }: PreparedItem): string {
	return referenceId ?? `item ${item}`;
}

/** A single name alone; several with their number: `2 orders (#1001, #1002)`. */
function countAndNames(names: readonly string[], plural: string): string {
	const [first, ...others] = names;
	if (first !== undefined && others.length === 0) return first;
	return `${names.length} ${plural} (${listUpTo(maxNamesInHint, names)})`;
}

/** Comma-separated names; those beyond the maximum are only counted. */
function listUpTo(max: number, names: readonly string[]): string {
	const more = names.length - max;
	return `${names.slice(0, max).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
