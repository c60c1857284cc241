import { z } from 'zod/v4';

import { valueAt } from '../common/json';
import type { Result } from '../common/result';
import { isBlank } from '../common/text';
import {
	destinationOf,
	fulfillmentOrderSchema,
	type FulfillmentOrder,
	type FulfillmentOrderIdentifiers,
} from './fulfillmentOrder';
import { graphqlOrderFields, graphqlPath, incompleteLists, type GraphqlFields } from './graphql';
import { graphqlFulfillmentOrderFields } from './graphqlFulfillmentOrder';
import { orderSchema } from './orderSchema';
import { problemFrom } from './problems';
import { ifReadable, object, optionalAmount, optionalText } from './readers';
import { describeValue, hasField, type OrderCandidate } from './recognize';

/** A parsed order. */
export type Order = z.output<typeof orderSchema> &
	ApiOfOrder & {
		/** The part of the order to deliver, if it isn't the whole order. */
		fulfillmentOrder?: FulfillmentOrder;
	};
export type LineItem = Order['line_items'][number];

/** Where an order is from: messages name fields as this API does. */
interface ApiOfOrder {
	isGraphql?: boolean;
}

/** The fields that identify an order. */
export type OrderIdentifiers = Pick<Order, 'id' | 'name' | 'order_number'> &
	ApiOfOrder & { fulfillmentOrder?: FulfillmentOrderIdentifiers };

const identifiersSchema = object({
	id: ifReadable(optionalText),
	name: ifReadable(optionalText),
	order_number: ifReadable(optionalText),
});

const partIdentifiersSchema = fulfillmentOrderSchema
	.pick({ assigned_location: true })
	.extend({ id: ifReadable(optionalText) });

/**
 * Reads the identifiers of an order whose other fields may be invalid.
 *
 * @returns the readable identifiers; none if the value is not an order
 */
export function readOrderIdentifiers({
	rest,
	graphql,
	fulfillmentOrder: part,
}: OrderCandidate): OrderIdentifiers {
	const identifiers = identifiersSchema.safeParse(rest).data;
	const fulfillmentOrder = part && (partIdentifiersSchema.safeParse(part.rest).data ?? {});
	return { ...identifiers, isGraphql: graphql !== undefined, fulfillmentOrder };
}

/**
 * Parses an order. Never throws.
 *
 * @param candidate see {@link findOrder}
 * @returns the fields that are used, or what is wrong, written for a shop owner
 */
export function readOrder(candidate: OrderCandidate): Result<Order> {
	const isGraphql = candidate.graphql !== undefined;
	const incomplete = incompleteGraphql(candidate);
	if (incomplete.length > 0) return { ok: false, problem: problemFrom(incomplete) };
	const parsed = orderSchema.safeParse(candidate.rest);
	if (!parsed.success) return unreadableOrder(candidate, parsed.error.issues);
	const total = requiredTotal(parsed.data, candidate.rest).safeParse(candidate.rest);
	if (!total.success) return unreadableOrder(candidate, total.error.issues);
	// Copies of each order would take about as long as reading its fulfillment order.
	const order = Object.assign(parsed.data, { isGraphql });
	if (!candidate.fulfillmentOrder) return { ok: true, value: order };
	const part = readFulfillmentOrder(candidate, candidate.fulfillmentOrder, order.id);
	if (!part.ok) return part;
	const shipping_address = destinationOf(part.value, order.shipping_address);
	return {
		ok: true,
		value: Object.assign(order, { shipping_address, fulfillmentOrder: part.value }),
	};
}

function readFulfillmentOrder(
	candidate: OrderCandidate,
	{ rest, graphql }: Pick<OrderCandidate, 'rest' | 'graphql'>,
	givenOrderId: string | undefined,
): Result<FulfillmentOrder> {
	const fields = graphqlFulfillmentOrderFields;
	const parsed = fulfillmentOrderSchema.safeParse(rest);
	const [page] = incompleteLists(graphql, fields);
	const isOfOrder = ({ order_id: id }: FulfillmentOrder) =>
		id === undefined || givenOrderId === undefined || id === givenOrderId;
	if (parsed.success && !page && isOfOrder(parsed.data)) return { ok: true, value: parsed.data };

	const order = readOrderIdentifiers(candidate);
	const api = { isGraphql: graphql !== undefined };
	const partField = (path: readonly PropertyKey[]) =>
		path.length > 0
			? `"${fieldName(api, path, fields)}" of its fulfillment order`
			: 'its fulfillment order';
	const problems = [
		...(parsed.error?.issues ?? []).map(
			(issue) => `${orderLabel(order)}: ${partField(issue.path)} ${issueText(issue, rest, api)}`,
		),
		...(page ? [incompleteMessage(order, page)] : []),
	];
	if (!parsed.success || problems.length > 0) return { ok: false, problem: problemFrom(problems) };
	const { id, order_id: orderId } = parsed.data;
	const message = `Fulfillment order ${id} belongs to another order (ID ${orderId}) than ${orderLabel({ ...order, fulfillmentOrder: undefined })} (ID ${order.id}). Combine each order with its own fulfillment orders, by the order ID.`;
	return { ok: false, problem: { message } };
}

/**
 * What a GraphQL query left out and nothing can stand in for. In REST, a missing shipping address
 * means that there is none.
 */
function incompleteGraphql(candidate: OrderCandidate): string[] {
	const { rest, graphql } = candidate;
	if (graphql === undefined) return [];
	const order = readOrderIdentifiers(candidate);
	const subject = orderLabel(order);
	const lines = z
		.array(z.unknown())
		.catch([])
		.parse(valueAt(rest, ['line_items']));
	const required = [
		['line_items'],
		['shipping_address'],
		// A fulfillment order has its own quantities.
		...lines.map((_, index) => [
			'line_items',
			index,
			candidate.fulfillmentOrder ? 'id' : 'fulfillable_quantity',
		]),
	];
	const missing = required.find((path) => valueAt(rest, path) === undefined);
	const [page] = [
		...incompleteLists(graphql, graphqlOrderFields),
		// Remains in the order when the fulfillment orders are split out.
		...(valueAt(graphql, ['fulfillmentOrders', 'pageInfo', 'hasNextPage']) === true
			? ['fulfillmentOrders']
			: []),
	];
	return [
		...(missing
			? [`${subject} has no "${fieldName(order, missing)}". Add it to the GraphQL query.`]
			: []),
		...(page ? [incompleteMessage(order, page)] : []),
	];
}

function incompleteMessage(order: OrderIdentifiers, page: string): string {
	return `${orderLabel(order)} has more "${page}" than the GraphQL query returned. Raise "first" of ${page} in the query, up to 250.`;
}

const noTotal = object({});
const currentTotal = object({ current_total_price: optionalAmount });
const originalTotal = object({ total_price: optionalAmount });

/**
 * The total that determines the unpaid amount of an order without total_outstanding. It must be
 * readable: an invalid current total is never replaced by the original one from before the order
 * was edited.
 */
function requiredTotal(
	{ total_outstanding, financial_status }: z.output<typeof orderSchema>,
	order: unknown,
) {
	if (total_outstanding) return noTotal;
	if (financial_status !== 'pending' && financial_status !== 'authorized') return noTotal;
	return hasField(order, 'current_total_price') ? currentTotal : originalTotal;
}

function unreadableOrder(
	candidate: OrderCandidate,
	issues: readonly z.core.$ZodIssue[],
): Result<Order> {
	const identifiers = readOrderIdentifiers(candidate);
	const sentences = issues.map(
		(issue) =>
			`${orderLabel(identifiers)}'s "${fieldName(identifiers, issue.path)}" ${issueText(issue, candidate.rest, identifiers)}`,
	);
	return { ok: false, problem: problemFrom(sentences) };
}

/** The name that the shop owner knows the order by, if there is one. */
export function orderTitle(order: OrderIdentifiers): string | undefined {
	return order.name ?? order.order_number ?? order.id;
}

/** The subject of a message about the order or its part, e.g. "Order #1001 (Harbor Warehouse)". */
export function orderLabel(order: OrderIdentifiers): string {
	const title = orderTitle(order);
	const part = order.fulfillmentOrder;
	const place = part?.assigned_location?.name ?? (part?.id && `fulfillment order ${part.id}`);
	return `${title ? `Order ${title}` : 'The order'}${place ? ` (${place})` : ''}`;
}

/** A field's path as in the API that the order is from and in expressions, e.g. line_items[0].price. */
export function fieldName(
	{ isGraphql }: ApiOfOrder,
	path: readonly PropertyKey[],
	fields: GraphqlFields = graphqlOrderFields,
): string {
	return (isGraphql ? graphqlPath(path, fields) : path)
		.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
		.join('')
		.slice(1);
}

/** The advice to request a missing field, without a period. */
export function howToRequest({ isGraphql }: ApiOfOrder, field: string): string {
	return isGraphql
		? `Add ${field} to the GraphQL query`
		: `Make sure the Shopify node returns ${field}`;
}

/** What is wrong with a field, as the rest of a sentence, and what to do if a query lacks it. */
function issueText(
	{ path, message }: z.core.$ZodIssue,
	rest: unknown,
	{ isGraphql }: ApiOfOrder,
): string {
	const value = valueAt(rest, path);
	if (value === undefined && isGraphql) return `${message}. Add it to the GraphQL query.`;
	return isBlank(value) ? `${message}.` : `${message}, but is ${describeValue(value)}.`;
}
