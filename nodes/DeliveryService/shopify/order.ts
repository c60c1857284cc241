import { z } from 'zod/v4';

import { valueAt } from '../common/data';
import { failure, type Result } from '../common/result';
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

/** Why an order can't be read. */
export type ReadProblem =
	| { code: 'missingInQuery'; field: string }
	/** The query returned only some of a list. */
	| { code: 'incompleteList'; list: string }
	| InvalidField
	/** `own`: the order beside it. */
	| {
			code: 'partOfOtherOrder';
			partId: string;
			orderId: string;
			own: { label: string; id: string };
	  };

/** A field that isn't as expected. */
interface InvalidField {
	code: 'invalidField';
	field: string;
	/** What it should be, or that it is missing, as the rest of a sentence. */
	rule: string;
	value: unknown;
	isGraphql: boolean;
	/** Whether it is a field of the fulfillment order. */
	isInPart: boolean;
}

/**
 * Parses an order. Never throws.
 *
 * @param candidate see {@link findOrder}
 * @returns the fields that are used, or what is wrong
 */
export function readOrder(candidate: OrderCandidate): Result<Order, ReadProblem[]> {
	const { rest, graphql, fulfillmentOrder: part } = candidate;
	const isGraphql = graphql !== undefined;
	const [path] = missingGraphqlPaths(candidate);
	const [list] = incompleteOrderLists(graphql);
	const incomplete: ReadProblem[] = [];
	if (path) incomplete.push({ code: 'missingInQuery', field: fieldName({ isGraphql }, path) });
	if (list !== undefined) incomplete.push({ code: 'incompleteList', list });
	if (incomplete.length > 0) return failure(incomplete);
	const parsed = orderSchema.safeParse(rest);
	if (!parsed.success) return failure(invalidFields(candidate, parsed.error, graphqlOrderFields));
	// Copies of each order would take about as long as reading its fulfillment order.
	const order = Object.assign(parsed.data, { isGraphql });
	if (!part) return { ok: true, value: order };
	const parsedPart = fulfillmentOrderSchema.safeParse(part.rest);
	const [listOfPart] = incompleteLists(part.graphql, graphqlFulfillmentOrderFields);
	const ofPart: ReadProblem[] = parsedPart.success
		? []
		: invalidFields(part, parsedPart.error, graphqlFulfillmentOrderFields, true);
	if (listOfPart !== undefined) ofPart.push({ code: 'incompleteList', list: listOfPart });
	if (!parsedPart.success || ofPart.length > 0) return failure(ofPart);
	const { id: partId, order_id: orderId = order.id } = parsedPart.data;
	if (order.id !== undefined && orderId !== undefined && orderId !== order.id)
		return failure([
			{
				code: 'partOfOtherOrder',
				partId,
				orderId,
				own: { label: orderLabel(order), id: order.id },
			},
		]);
	const shipping_address = destinationOf(parsedPart.data, order.shipping_address);
	return {
		ok: true,
		value: Object.assign(order, { shipping_address, fulfillmentOrder: parsedPart.data }),
	};
}

function invalidFields(
	{ rest, graphql }: Omit<OrderCandidate, 'fulfillmentOrder'>,
	{ issues }: z.core.$ZodError,
	fields: GraphqlFields,
	isInPart = false,
): InvalidField[] {
	const isGraphql = graphql !== undefined;
	return issues.map(({ path, message: rule }) => ({
		code: 'invalidField',
		field: fieldName({ isGraphql }, path, fields),
		rule,
		value: valueAt(rest, path),
		isGraphql,
		isInPart,
	}));
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
