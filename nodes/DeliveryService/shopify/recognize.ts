import { valueAt } from '../common/json';
import type { Result } from '../common/result';
import { isBlank, truncate } from '../common/text';
import {
	findFulfillmentOrder,
	isFulfillmentOrder,
	type FoundFulfillmentOrder,
} from './fulfillmentOrderItem';
import { connectionItems, gidType, graphqlOrderFields, isGraphqlOrder, toRest } from './graphql';
import { graphqlFulfillmentOrderFields } from './graphqlFulfillmentOrder';

/** A Shopify resource that is not parsed yet. */
interface ShopifyResource {
	/** In the format of the REST API. */
	rest: unknown;
	/** The unchanged resource, if it is from the GraphQL API. */
	graphql?: unknown;
}

/** An order that is not parsed yet. */
export interface OrderCandidate extends ShopifyResource {
	/** The part of the order to deliver, if it isn't the whole order. */
	fulfillmentOrder?: ShopifyResource;
}

/**
 * Finds the order in an input item: the item itself, or its "order", the "body" of a Webhook node, or
 * the "data" of a GraphQL response; and a fulfillment order beside or around it. Never throws.
 *
 * @returns the order, not parsed yet, or why the item is none, written for a shop owner
 */
export function findOrder(value: unknown): Result<OrderCandidate> {
	const beside = unwrapOrder(value);
	const found = findFulfillmentOrder(value, beside);
	const part = found.kind === 'one' ? found.part : undefined;
	const around = valueAt(part, ['order']);
	const order = isOrder(beside) || isBlank(around) ? beside : around;
	const message =
		part !== undefined && !isOrder(order)
			? partWithoutOrderMessage
			: (notAnOrderMessage(order, value) ?? partMessage(found));
	if (message) return { ok: false, problem: { message } };
	return {
		ok: true,
		value: {
			...(isGraphqlOrder(order)
				? { rest: toRest(order, graphqlOrderFields), graphql: order }
				: { rest: order }),
			...(part !== undefined && { fulfillmentOrder: partResource(part) }),
		},
	};
}

function partResource(part: unknown): ShopifyResource {
	const isGraphql =
		gidType(valueAt(part, ['id'])) !== undefined || valueAt(part, ['lineItems']) !== undefined;
	return isGraphql
		? { rest: toRest(part, graphqlFulfillmentOrderFields), graphql: part }
		: { rest: part };
}

const partWithoutOrderMessage =
	'This is a fulfillment order without its order. Put the order beside it, in the field "order".';

/** The message for an order whose fulfillment orders are not split out as they should be. */
function partMessage(found: FoundFulfillmentOrder): string | undefined {
	switch (found.kind) {
		case 'several':
			return `This order has several fulfillment orders. Add a Split Out node before this node: Fields to Split Out "${found.field}", Include "All Other Fields", Destination Field Name "fulfillmentOrder".`;
		case 'missing':
			return 'This order has a field for its fulfillment order, but there is none in it. Check the Split Out node before this node: its Destination Field Name should be "fulfillmentOrder".';
		default:
			return undefined;
	}
}

/** Where an order can be, if the value isn't one itself. */
const wrappers = [['order'], ['data', 'order'], ['node'], ['data', 'node']] as const;

function unwrapOrder(value: unknown): unknown {
	const order = unwrapResponse(value);
	if (order !== value) return order;
	const bodyOrder = unwrapResponse(valueAt(value, ['body']));
	return isOrder(bodyOrder) && !isOrder(value) ? bodyOrder : value;
}

function unwrapResponse(value: unknown): unknown {
	if (isOrder(value)) return value;
	const path = wrappers.find((steps) => !isBlank(valueAt(value, steps)));
	if (path) return valueAt(value, path);
	const { items } = orderList(value) ?? {};
	return items?.length === 1 ? items[0] : value;
}

function isOrder(value: unknown): boolean {
	if (isFulfillmentOrder(value)) return false;
	return hasField(value, 'line_items') || isGraphqlOrder(value);
}

/** The orders of a GraphQL response, and the field to split out. */
function orderList(value: unknown): { items: unknown[]; field: string } | undefined {
	const paths = [['data', 'orders'], ['orders']];
	for (const path of paths) {
		const connection = valueAt(value, path);
		const items = connectionItems(connection);
		if (!Array.isArray(items) || Array.isArray(connection)) continue;
		const name = Array.isArray(valueAt(connection, ['nodes'])) ? 'nodes' : 'edges';
		return { items, field: [...path, name].join('.') };
	}
	return undefined;
}

const howToGetAnOrder =
	"Connect a Shopify node, or set the field Order to an order in the format of Shopify's REST or GraphQL API.";

/**
 * Other outputs of the Shopify Trigger that resemble orders, recognized by fields that orders don't
 * have. Drafts also have order_id, which is null until they are completed.
 */
const otherShopifyTypes = [
	['invoice_url', 'a draft order'],
	['abandoned_checkout_url', 'a checkout that the customer may still abandon'],
	['order_id', 'a record that belongs to an order, such as a fulfillment or a refund'],
	['invoiceUrl', 'a draft order'],
	['abandonedCheckoutUrl', 'a checkout that the customer may still abandon'],
] as const;

function notAnOrderMessage(order: unknown, item: unknown): string | undefined {
	const otherTypeMessage = otherShopifyTypeMessage(order);
	if (isOrder(order)) return otherTypeMessage;
	const responseMessage = graphqlResponseMessage(item);
	if (responseMessage) return responseMessage;
	if (typeof order !== 'object' || Array.isArray(order) || isBlank(order))
		return `This is not a Shopify order: expected an object, but the value is ${describeValue(order)}. ${howToGetAnOrder}`;
	if (hasField(order, 'orders'))
		return 'This is a list of Shopify orders, not a single order. Add a Split Out node for the field "orders" before this node, so that each order becomes a separate item.';
	return (
		otherTypeMessage ??
		`This is not a Shopify order: it has no "line_items". ${howToGetAnOrder} If the Shopify node limits the fields that it returns, add line_items.`
	);
}

/** The message for a response of the GraphQL API that contains no order, or several. */
function graphqlResponseMessage(item: unknown): string | undefined {
	const error = valueAt(item, ['errors', 0, 'message']);
	if (typeof error === 'string')
		return `Shopify's GraphQL API returned an error instead of an order: ${truncate(error, maxErrorLength)}`;
	if (['order', 'node'].some((field) => valueAt(item, ['data', field]) === null))
		return 'Shopify\'s GraphQL API found no order: "data.order" is empty. Check the ID in the query, and whether the app may read orders.';
	const list = orderList(item);
	if (!list) return undefined;
	return list.items.length === 0
		? `Shopify's GraphQL API found no order: "${list.field}" is empty. Check the filter of the query, and whether the app may read orders.`
		: `This is a list of Shopify orders, not a single order. Add a Split Out node for the field "${list.field}" before this node, so that each order becomes a separate item.`;
}

const maxErrorLength = 200;

/**
 * The message for another Shopify record: it must not be delivered in addition to its order, or be
 * reported as an invalid order.
 */
function otherShopifyTypeMessage(value: unknown): string | undefined {
	const type = gidType(valueAt(value, ['id']));
	if (type !== undefined && type !== 'Order')
		return `This is not a Shopify order, but a record of the type ${type}. Let the GraphQL query return orders.`;
	// Only orders have a payment status, and a workflow may have added order_id to an order.
	const hasStatus = hasField(value, 'financial_status');
	const found = otherShopifyTypes.find(
		([field]) => valueAt(value, [field]) !== undefined && !(hasStatus && field === 'order_id'),
	);
	if (!found) return undefined;
	const [field, label] = found;
	return `This is not a Shopify order, but ${label}: it has "${field}", which orders don't have. In the Shopify Trigger, set Trigger On to Order Created or Order Paid.`;
}

/** Whether a value has a field that is not blank. */
export function hasField(value: unknown, field: string): boolean {
	return !isBlank(valueAt(value, [field]));
}

const maxShownLength = 40;

/** Describes the value so that the user recognizes it. */
export function describeValue(value: unknown): string {
	if (isBlank(value)) return 'empty';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (typeof value !== 'string') return `a ${typeof value}`;
	return `the text "${truncate(value, maxShownLength)}"`;
}
