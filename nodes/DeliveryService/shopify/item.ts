import { valueAt } from '../common/data';
import { failure, type Result } from '../common/result';
import { describeValue, isBlank, truncate } from '../common/text';
import {
	connectionItems,
	gidType,
	graphqlFulfillmentOrderFields,
	graphqlOrderFields,
	isGraphqlOrder,
	toRest,
} from './graphql';
import { optionalText } from './orderSchema';

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
 * Finds the order in an input item: the item itself, its "order", the "body" of a Webhook node, or the
 * "data" of a GraphQL response; and a fulfillment order beside or around it. Never throws.
 *
 * @returns the order, not parsed yet, or why the item is none, written for a shop owner
 */
export function findOrder(item: unknown): Result<OrderCandidate> {
	const containers = containersOf(item);
	const list = findOrderList(containers);
	const inList = list?.items.length === 1 ? list.items[0] : undefined;
	const beside = containers.map(({ value }) => value).find(isOrder) ?? inList;
	const found = findFulfillmentOrder(containers, beside);
	const { part } = found;
	const order = isOrder(beside) ? beside : valueAt(part, ['order']);
	if (!isOrder(order)) {
		const message =
			part === undefined
				? notAnOrderMessage(item, containers, list)
				: 'This is a fulfillment order without its order. Put the order beside it, in the field "order".';
		return failure({ message });
	}
	const message = otherTypeMessage(order) ?? found.message;
	if (message) return failure({ message });
	const value: OrderCandidate = isGraphqlOrder(order)
		? { rest: toRest(order, graphqlOrderFields), graphql: order }
		: { rest: order };
	if (part !== undefined) value.fulfillmentOrder = partResource(part);
	return { ok: true, value };
}

function partResource(part: unknown): ShopifyResource {
	const isGraphql =
		gidType(valueAt(part, ['id'])) !== undefined || valueAt(part, ['lineItems']) !== undefined;
	return isGraphql
		? { rest: toRest(part, graphqlFulfillmentOrderFields), graphql: part }
		: { rest: part };
}

/** An object that can contain an order, and where it is in the item. */
interface Container {
	value: unknown;
	path: readonly string[];
}

const steps = ['order', 'data', 'body', 'node'];
const maxContainerDepth = 3;

/** The item and the objects in it that can be or contain an order; the outer ones first. */
function containersOf(value: unknown, path: readonly string[] = []): Container[] {
	if (typeof value !== 'object' || value === null || path.length > maxContainerDepth) return [];
	return [
		{ value, path },
		...steps.flatMap((step) => containersOf(valueAt(value, [step]), [...path, step])),
	];
}

/** The orders of a GraphQL response, and the field to split out. */
function findOrderList(
	containers: readonly Container[],
): { items: unknown[]; field: string } | undefined {
	for (const { value, path } of containers) {
		const connection = valueAt(value, ['orders']);
		const items = connectionItems(connection);
		if (!Array.isArray(items) || Array.isArray(connection)) continue;
		const name = Array.isArray(valueAt(connection, ['nodes'])) ? 'nodes' : 'edges';
		return { items, field: [...path, 'orders', name].join('.') };
	}
	return undefined;
}

function isOrder(value: unknown): boolean {
	if (isFulfillmentOrder(value)) return false;
	return hasField(value, 'line_items') || isGraphqlOrder(value);
}

/** Whether a value is a fulfillment order, recognized by fields that orders don't have. */
function isFulfillmentOrder(value: unknown): boolean {
	if (gidType(valueAt(value, ['id'])) === 'FulfillmentOrder') return true;
	const has = (field: string) => valueAt(value, [field]) !== undefined;
	return (
		(has('line_items') || has('lineItems')) &&
		(has('order_id') || has('orderId')) &&
		['assigned_location', 'assignedLocation', 'delivery_method', 'deliveryMethod'].some(
			(field) => typeof (valueAt(value, [field]) ?? undefined) === 'object',
		)
	);
}

/**
 * Finds the fulfillment order beside the order, around it, or as the only one of its list.
 *
 * @returns the fulfillment order, not parsed yet, or why it is unclear; neither for a whole order
 */
function findFulfillmentOrder(
	containers: readonly Container[],
	order: unknown,
): { part?: unknown; message?: string } {
	const isFound = containers.some(({ value }) => value === order);
	const all = isFound ? containers : [...containers, { value: order, path: [] }];
	const fields = all.flatMap(partFields);
	const single = fields.filter(({ key }) => key.endsWith('r'));
	const part =
		single.find(({ items }) => items.length === 1)?.items[0] ??
		all.map(({ value }) => value).find(isFulfillmentOrder);
	if (part !== undefined) return { part };
	const several = fields.find(({ items }) => items.length > 1);
	if (several)
		return {
			message: `This order has several fulfillment orders. Add a Split Out node before this node: Fields to Split Out "${several.list}", Include "All Other Fields", Destination Field Name "fulfillmentOrder".`,
		};
	const found = fields.flatMap(({ items }) => items);
	// Split Out leaves the list without its items behind.
	const [only, ...others] = found.filter(isFulfillmentOrder);
	if (only !== undefined && others.length === 0) return { part: only };
	if (found.length + single.length === 0) return {};
	return {
		message:
			'This order has a field for its fulfillment order, but there is none in it. Check the Split Out node before this node: its Destination Field Name should be "fulfillmentOrder".',
	};
}

/** Also as n8n's Split Out names it without a destination, e.g. "data.order.fulfillmentOrders.nodes". */
const partKey = /(^|\.)fulfillment(_order|Order)s?(\.(nodes|edges))?$/;

/** The fields of a container with fulfillment orders: these, and the path of their list. */
function partFields({ value: container, path }: Container) {
	if (typeof container !== 'object' || container === null) return [];
	return Object.entries(container)
		.filter(([key]) => key.includes('fulfillment') && partKey.test(key))
		.map(([key, value]: [string, unknown]) => {
			const lists = ['nodes', 'edges'].filter((name) => Array.isArray(valueAt(value, [name])));
			return { key, list: [...path, key, ...lists.slice(0, 1)].join('.'), items: itemsOf(value) };
		});
}

/** The items of a list or a connection, or the value itself, if they are not blank. */
function itemsOf(value: unknown): unknown[] {
	const items = connectionItems(value);
	if (Array.isArray(items)) return items.flatMap(itemsOf);
	const item = valueAt(value, ['node']) ?? value;
	return isBlank(item) ? [] : [item];
}

const howToGetAnOrder =
	"Connect a Shopify node, or set the field Order to an order in the format of Shopify's REST or GraphQL API.";

function notAnOrderMessage(
	item: unknown,
	containers: readonly Container[],
	list: ReturnType<typeof findOrderList>,
): string {
	const error = valueAt(item, ['errors', 0, 'message']);
	if (typeof error === 'string')
		return `Shopify's GraphQL API returned an error instead of an order: ${truncate(error, 200)}`;
	if (['order', 'node'].some((field) => valueAt(item, ['data', field]) === null))
		return 'Shopify\'s GraphQL API found no order: "data.order" is empty. Check the ID in the query, and whether the app may read orders.';
	if (list?.items.length === 0)
		return `Shopify's GraphQL API found no order: "${list.field}" is empty. Check the filter of the query, and whether the app may read orders.`;
	const field = list?.field ?? (hasField(item, 'orders') ? 'orders' : undefined);
	if (field !== undefined)
		return `This is a list of Shopify orders, not a single order. Add a Split Out node for the field "${field}" before this node, so that each order becomes a separate item.`;
	const value = hasField(item, 'order') ? valueAt(item, ['order']) : item;
	if (typeof value !== 'object' || Array.isArray(value) || isBlank(value))
		return `This is not a Shopify order: expected an object, but the value is ${describeValue(value)}. ${howToGetAnOrder}`;
	const body = valueAt(item, ['body']);
	if (hasField(item, 'headers') && body !== undefined && !hasField(body, 'id'))
		return 'This webhook call has no order in its body. Create the webhook in Shopify in JSON, for Order creation or Order payment; if Raw Body is on in the Webhook node, add an Extract From File node.';
	const [otherType] = containers.flatMap((container) => otherTypeMessage(container.value) ?? []);
	if (otherType !== undefined) return otherType;
	const [name] = containers.flatMap(
		({ value }) => optionalText.safeParse(valueAt(value, ['name'])).data ?? [],
	);
	return name === undefined
		? `This is not a Shopify order: it has no "line_items". ${howToGetAnOrder} If the Shopify node limits the fields that it returns, add line_items.`
		: `Order ${name} has no "line_items", so it is unclear what to send. If the Shopify node limits the fields that it returns, add line_items.`;
}

/**
 * Other outputs of the Shopify Trigger that resemble orders, recognized by fields that orders don't
 * have. Drafts also have order_id, which is null until they are completed.
 */
const otherTypes = [
	['invoice_url', 'a draft order'],
	['abandoned_checkout_url', 'a checkout that the customer may still abandon'],
	['order_id', 'a record that belongs to an order, such as a fulfillment or a refund'],
] as const;

/**
 * The message for another Shopify record: it must not be delivered in addition to its order, or be
 * reported as an invalid order.
 */
function otherTypeMessage(value: unknown): string | undefined {
	const type = gidType(valueAt(value, ['id']));
	if (type !== undefined && type !== 'Order')
		return `This is a Shopify ${type}, not an order. Query orders instead.`;
	// Only orders have a payment status, and a workflow may have added order_id to an order.
	const hasStatus = hasField(value, 'financial_status');
	const has = ([field]: (typeof otherTypes)[number]) =>
		valueAt(value, [field]) !== undefined && !(hasStatus && field === 'order_id');
	const [field, label] = otherTypes.find(has) ?? [];
	if (field === undefined) return undefined;
	return `This is not a Shopify order, but ${label}: it has "${field}", which orders don't have. In the Shopify Trigger, set Trigger On to Order Created or Order Paid.`;
}

/** Whether a value has a field that is not blank. */
function hasField(value: unknown, field: string): boolean {
	return !isBlank(valueAt(value, [field]));
}
