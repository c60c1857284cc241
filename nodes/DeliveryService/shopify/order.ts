import { z } from 'zod/v4';

import { valueAt } from '../common/data';
import { failure, type Problem, type Result } from '../common/result';
import { describeValue, isBlank } from '../common/text';
import { destinationOf, fulfillmentOrderSchema, type FulfillmentOrder } from './fulfillmentOrder';
import {
	graphqlFulfillmentOrderFields,
	graphqlOrderFields,
	graphqlPath,
	incompleteLists,
	type GraphqlFields,
} from './graphql';
import type { OrderCandidate } from './item';
import { ifReadable, object, optionalText, orderSchema } from './orderSchema';

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
	ApiOfOrder & { fulfillmentOrder?: { id?: string } & Pick<FulfillmentOrder, 'assigned_location'> };

const identifiersSchema = object({
	id: ifReadable(optionalText),
	name: ifReadable(optionalText),
	order_number: ifReadable(optionalText),
});

const partIdentifiersSchema = fulfillmentOrderSchema
	.pick({ assigned_location: true })
	.extend({ id: ifReadable(optionalText) });

/** The fields that identify an order, as far as they are readable. */
export function identifiersOf(candidate: OrderCandidate): OrderIdentifiers {
	const { rest, graphql, fulfillmentOrder: part } = candidate;
	return {
		...identifiersSchema.safeParse(rest).data,
		isGraphql: graphql !== undefined,
		fulfillmentOrder: part && (partIdentifiersSchema.safeParse(part.rest).data ?? {}),
	};
}

/**
 * Parses an order. Never throws.
 *
 * @param candidate see {@link findOrder}
 * @returns the fields that are used, or what is wrong, written for a shop owner
 */
export function readOrder(candidate: OrderCandidate): Result<Order> {
	const { rest, graphql, fulfillmentOrder: part } = candidate;
	const names = identifiersOf(candidate);
	const label = orderLabel(names);
	const fail = (...messages: Array<string | undefined>) => failure(problemFrom(messages));
	const [path] = missingGraphqlPaths(candidate);
	const [page] = incompleteOrderLists(graphql);
	if (path ?? page)
		return fail(
			path && `${label} has no "${fieldName(names, path)}". Add it to the GraphQL query.`,
			page && incompleteMessage(names, page),
		);
	const parsed = orderSchema.safeParse(rest);
	if (!parsed.success)
		return fail(
			...parsed.error.issues.map(
				(issue) => `${label}'s "${fieldName(names, issue.path)}" ${issueText(issue, rest, names)}`,
			),
		);
	// Copies of each order would take about as long as reading its fulfillment order.
	const order = Object.assign(parsed.data, { isGraphql: graphql !== undefined });
	if (!part) return { ok: true, value: order };
	const parsedPart = fulfillmentOrderSchema.safeParse(part.rest);
	const [pageOfPart] = incompleteLists(part.graphql, graphqlFulfillmentOrderFields);
	if (!parsedPart.success || pageOfPart)
		return fail(
			...(parsedPart.error?.issues ?? []).map((issue) => partMessage(names, part, issue)),
			pageOfPart && incompleteMessage(names, pageOfPart),
		);
	const { id, order_id: orderId = order.id } = parsedPart.data;
	if (order.id !== undefined && orderId !== order.id)
		return fail(
			`Fulfillment order ${id} belongs to another order (ID ${orderId}) than ${orderLabel(order)} (ID ${order.id}). Combine each order with its own fulfillment orders, by the order ID.`,
		);
	const shipping_address = destinationOf(parsedPart.data, order.shipping_address);
	return {
		ok: true,
		value: Object.assign(order, { shipping_address, fulfillmentOrder: parsedPart.data }),
	};
}

function partMessage(
	order: OrderIdentifiers,
	{ rest, graphql }: NonNullable<OrderCandidate['fulfillmentOrder']>,
	issue: z.core.$ZodIssue,
): string {
	const api = { isGraphql: graphql !== undefined };
	const field = fieldName(api, issue.path, graphqlFulfillmentOrderFields);
	const place = field ? `"${field}" of its fulfillment order` : 'its fulfillment order';
	return `${orderLabel(order)}: ${place} ${issueText(issue, rest, api)}`;
}

/**
 * A field that a GraphQL query left out and nothing can stand in for. In REST, a missing shipping
 * address means that there is none.
 */
function missingGraphqlPaths({ rest, graphql, fulfillmentOrder: part }: OrderCandidate) {
	if (graphql === undefined) return [];
	const lines = z
		.array(z.unknown())
		.catch([])
		.parse(valueAt(rest, ['line_items']));
	// A fulfillment order has its own quantities.
	const lineField = part ? 'id' : 'fulfillable_quantity';
	const required = [
		['line_items'],
		['shipping_address'],
		...lines.map((_, index) => ['line_items', index, lineField]),
	];
	return required.filter((path) => valueAt(rest, path) === undefined);
}

function incompleteOrderLists(graphql: unknown): string[] {
	const lists = incompleteLists(graphql, graphqlOrderFields);
	// Remains in the order when the fulfillment orders are split out.
	const isPage = valueAt(graphql, ['fulfillmentOrders', 'pageInfo', 'hasNextPage']) === true;
	return isPage ? [...lists, 'fulfillmentOrders'] : lists;
}

function incompleteMessage(order: OrderIdentifiers, page: string): string {
	return `${orderLabel(order)} has more "${page}" than the GraphQL query returned. Raise "first" of ${page} in the query, up to 250.`;
}

/** Combines messages into one problem: the first becomes its message, the others its description. */
export function problemFrom(messages: ReadonlyArray<string | false | undefined>): Problem {
	const texts = messages.filter((one) => typeof one === 'string');
	const [message = 'This is not a Shopify order', ...others] = texts;
	return { message, ...(others.length > 0 && { description: others.join(' ') }) };
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
