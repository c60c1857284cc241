import type { NodeExecutionHint } from 'n8n-workflow';

import type { Job } from '../../sending/job';
import { pluralize } from '../../common/text';
import { assumptionOf } from '../../messages/orders';
import {
	countAndNames,
	itemName,
	listUpTo,
	maxNamesInHint,
	type runHints,
} from '../../messages/summary';
import { overridesMessage } from '../fields/fixedOverrides';

/** The hints after a run, in the form that n8n shows. */
export function hintsOf({ info, warnings }: ReturnType<typeof runHints>): NodeExecutionHint[] {
	return [{ message: info, type: 'info', location: 'outputPane' }, ...warnings.map(warning)];
}

/**
 * The hints about the orders of created deliveries, or in a dry run of those to be created.
 *
 * @param overrides what replaces the recipient of every order, see {@link readFixedOverrides}
 */
export function orderHints(
	jobs: readonly Job[],
	overrides: readonly string[],
): NodeExecutionHint[] {
	const orders = new Set(jobs.map(({ item, order }) => order?.shopifyOrder?.id ?? item));
	return [
		orders.size > 1 ? overridesMessage(overrides, jobs.length) : undefined,
		missingFieldsMessage(jobs),
		cashMessage(jobs),
	]
		.filter((message) => message !== undefined)
		.map(warning);
}

/** Without these fields a canceled order is delivered, and no one would notice in time. */
function missingFieldsMessage(jobs: readonly Job[]): string | undefined {
	const missing = jobs.flatMap(({ order }) => (order?.missingFields ? [order.missingFields] : []));
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
function cashMessage(jobs: readonly Job[]): string | undefined {
	const unpaid = jobs.filter(({ order }) => order?.notCollectedFor !== undefined);
	if (unpaid.length === 0) return undefined;
	const methods = [...new Set(unpaid.flatMap(({ order }) => order?.notCollectedFor ?? []))];
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
			? `${condition}, add it to Cash on Delivery Methods under Order Options`
			: 'There is no payment method: if cash is due on delivery, set Cash on Delivery under Order Options to Whenever Something Is Unpaid';
	const orders = countAndNames(unpaid.map(itemName), 'orders');
	const subject = unpaid.length === 1 ? `${orders} is` : `${orders} are`;
	return `${subject} not fully paid, but no cash will be collected. ${advice}, and run Update for existing deliveries.`;
}

export function warning(message: string): NodeExecutionHint {
	return { message, type: 'warning', location: 'outputPane' };
}
