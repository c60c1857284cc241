import type { NodeExecutionHint } from 'n8n-workflow';

import { pluralize } from '../../common/text';
import type { Report } from '../../sending/options';
import { isPendingReview, reviewAdvice, type ItemOutcome } from './output';
import { assumptionOf } from '../../messages/orders';
import { overridesMessage } from '../fields/fixedOverrides';
import type { PreparedItem } from './prepare';

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
		(outcome) => outcome.kind === 'created' && isPendingReview(outcome),
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
			`${pluralize(notCreated.length, 'delivery was', 'deliveries were')} not created: see the "message" field.`,
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
		? `${deliveries} is pending review: ${reviewAdvice}`
		: `${deliveries} are pending review: their addresses were not found. Correct them in the Delivery Service dashboard or with the operation Update.`;
}

function unknownMessage(names: readonly string[]): string {
	const deliveries = countAndNames(names, 'deliveries');
	return names.length === 1
		? `It is unknown whether ${deliveries} was created. Check the Delivery Service dashboard before you send it again.`
		: `It is unknown whether ${deliveries} were created. Check the Delivery Service dashboard before you send them again.`;
}

/**
 * The hints about the orders of created deliveries, or in a dry run of those to be created.
 *
 * @param overrides what replaces the recipient of every order, see {@link readFixedOverrides}
 */
export function orderHints(
	items: readonly PreparedItem[],
	overrides: readonly string[],
): NodeExecutionHint[] {
	const orders = new Set(items.map(({ item, shopifyOrder }) => shopifyOrder?.id ?? item));
	return [
		orders.size > 1 ? overridesMessage(overrides, items.length) : undefined,
		missingFieldsMessage(items),
		cashMessage(items),
		unlistedLocationsMessage(items),
	]
		.filter((message) => message !== undefined)
		.map(warning);
}

/** Without these fields a canceled order is delivered, and no one would notice in time. */
function missingFieldsMessage(items: readonly PreparedItem[]): string | undefined {
	const missing = items.flatMap(({ missingFields }) => (missingFields ? [missingFields] : []));
	if (missing.length === 0) return undefined;
	const assumptions = new Map(
		missing.flat().map((entry) => [entry.shownField, assumptionOf(entry)]),
	);
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
			? `${condition}, add it to Cash on Delivery Methods under More Order Options`
			: 'There is no payment method: if cash is due on delivery, set Cash on Delivery under Order Options to Whenever Something Is Unpaid';
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

export function warning(message: string): NodeExecutionHint {
	return { message, type: 'warning', location: 'outputPane' };
}

/** How many names a hint lists. */
export const maxNamesInHint = 5;

/** The name of an item in a list: its reference ID if it has one. */
export function itemName({ item, referenceId }: PreparedItem): string {
	return referenceId ?? `item ${item}`;
}

/** A single name alone; several with their number: `2 orders (#1001, #1002)`. */
function countAndNames(names: readonly string[], plural: string): string {
	const [first, ...others] = names;
	if (first !== undefined && others.length === 0) return first;
	return `${names.length} ${plural} (${listUpTo(maxNamesInHint, names)})`;
}

/** Comma-separated names; those beyond the maximum are only counted. */
export function listUpTo(max: number, names: readonly string[]): string {
	const more = names.length - max;
	return `${names.slice(0, max).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
