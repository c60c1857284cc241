/**
 * Reads an order, and the fulfillment order beside it, into the fields that are used: the REST resource,
 * to which orders of the GraphQL API are converted.
 */
import { z } from 'zod/v4';

import { valueAt } from '../common/data';
import { failure, type Result } from '../common/result';
import { ifReadable, object, optionalText } from './fieldSchemas';
import {
	assignedLocation,
	destinationOf,
	fulfillmentOrderSchema,
	type FulfillmentOrder,
} from './fulfillmentOrder';
import { gidNumber, isGraphql, toRest, type QueryProblem } from './graphql';
import type { OrderCandidate } from './item';
import type { Decimal } from './money';
import { orderSchema } from './orderSchema';

/** A parsed order. */
export type Order = z.output<typeof orderSchema> & {
	/** The part of the order to deliver, if it isn't the whole order. */
	fulfillmentOrder?: FulfillmentOrder;
};
export type LineItem = Order['line_items'][number];

/** The fields that identify an order. */
export type OrderIdentifiers = Pick<Order, 'id' | 'name' | 'order_number'> & {
	fulfillmentOrder?: { id?: string } & Pick<FulfillmentOrder, 'assigned_location'>;
};

/** An ID of either API. */
const anyId = z.preprocess(gidNumber, ifReadable(optionalText));

const identifiersSchema = object({
	id: anyId,
	name: ifReadable(optionalText),
	order_number: ifReadable(optionalText),
});

const partIdentifiersSchema = object({
	id: anyId,
	assigned_location: assignedLocation,
});

/** The fields that identify an order, as far as they are readable. */
export function identifiersOf({ order, fulfillmentOrder: part }: OrderCandidate): OrderIdentifiers {
	return {
		...identifiersSchema.safeParse(order).data,
		...(part !== undefined && {
			fulfillmentOrder: partIdentifiersSchema.safeParse(part).data ?? {},
		}),
	};
}

/** Why an order can't be read. */
export type ReadProblem =
	| QueryProblem
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
	const order = parseResource(candidate.order, 'order', orderSchema);
	if (candidate.fulfillmentOrder === undefined) return order;
	const part = parseResource(
		candidate.fulfillmentOrder,
		'fulfillmentOrder',
		fulfillmentOrderSchema,
	);
	if (!order.ok) return part.ok ? order : failure([...order.problem, ...part.problem]);
	if (!part.ok) return part;
	const { id } = order.value;
	const { id: partId, order_id: orderId = id } = part.value;
	if (id !== undefined && orderId !== undefined && orderId !== id) {
		const own = { label: orderLabel(order.value), id };
		return failure([{ code: 'partOfOtherOrder', partId, orderId, own }]);
	}
	const shipping_address = destinationOf(part.value, order.value.shipping_address);
	// A copy of each order would take about as long as reading its fulfillment order.
	const value = Object.assign(order.value, { shipping_address, fulfillmentOrder: part.value });
	return { ok: true, value };
}

/** Parses a resource of either API. */
function parseResource<Schema extends z.ZodType>(
	value: unknown,
	resource: 'order' | 'fulfillmentOrder',
	schema: Schema,
): Result<z.output<Schema>, ReadProblem[]> {
	const rest: Result<unknown, ReadProblem[]> = isGraphql(value)
		? toRest(value, resource)
		: { ok: true, value };
	if (!rest.ok) return rest;
	const parsed = schema.safeParse(rest.value);
	if (parsed.success) return { ok: true, value: parsed.data };
	return failure(
		parsed.error.issues.map(({ path, message: rule }) => ({
			code: 'invalidField',
			field: fieldName(path),
			rule,
			value: valueAt(rest.value, path),
			isInPart: resource === 'fulfillmentOrder',
		})),
	);
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

/** What an order costs, after refunds and edits if it says that; undefined if it has no price. */
export function orderTotal(order: Order): Decimal | undefined {
	return order.current_total_price ?? order.total_price;
}

/** The page of an order in the shop's admin, to which each domain of the shop leads; undefined if unknown. */
export function adminUrl({ id, order_status_url: url = '' }: Order): string | undefined {
	if (id === undefined || !URL.canParse(url)) return undefined;
	return `https://${new URL(url).host}/admin/orders/${encodeURIComponent(id)}`;
}

/** A field's path as in an expression, e.g. line_items[0].price. */
function fieldName(path: readonly PropertyKey[]): string {
	return path
		.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
		.join('')
		.slice(1);
}
