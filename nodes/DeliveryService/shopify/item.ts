import { valueAt } from '../common/data';
import { failure, type Result } from '../common/result';
import { isBlank } from '../common/text';
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

/** Why an item contains no order, or it is unclear which part of it to deliver. */
export type ItemProblem =
	| { code: 'partWithoutOrder' | 'noPart' | 'webhookWithoutOrder' }
	/** `list`: the path of its fulfillment orders. */
	| { code: 'severalParts'; list: string }
	/** Shopify's message. */
	| { code: 'graphqlError'; text: string }
	| { code: 'notFound'; field: string; isById: boolean }
	| { code: 'orderList'; field: string }
	| { code: 'noObject'; value: unknown }
	/** Another type of the GraphQL API. */
	| { code: 'otherResource'; type: string }
	| { code: 'otherRecord'; record: 'draftOrder' | 'checkout' | 'ofOrder'; field: string }
	| { code: 'noLines'; name: string | undefined };

/**
 * Finds the order in an input item: the item itself, its "order", the "body" of a Webhook node, or the
 * "data" of a GraphQL response; and a fulfillment order beside or around it. Never throws.
 *
 * @returns the order, not parsed yet, or why the item is none
 */
export function findOrder(item: unknown): Result<OrderCandidate, ItemProblem> {
	const containers = containersOf(item);
	const list = findOrderList(containers);
	const inList = list?.items.length === 1 ? list.items[0] : undefined;
	const beside = containers.map(({ value }) => value).find(isOrder) ?? inList;
	const found = findFulfillmentOrder(containers, beside);
	const { part } = found;
	const order = isOrder(beside) ? beside : valueAt(part, ['order']);
	if (!isOrder(order))
		return failure(
			part === undefined ? notAnOrder(item, containers, list) : { code: 'partWithoutOrder' },
		);
	const problem = otherType(order) ?? found.problem;
	if (problem) return failure(problem);
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
): { part?: unknown; problem?: ItemProblem } {
	const isFound = containers.some(({ value }) => value === order);
	const all = isFound ? containers : [...containers, { value: order, path: [] }];
	const fields = all.flatMap(partFields);
	const single = fields.filter(({ key }) => key.endsWith('r'));
	const part =
		single.find(({ items }) => items.length === 1)?.items[0] ??
		all.map(({ value }) => value).find(isFulfillmentOrder);
	if (part !== undefined) return { part };
	const several = fields.find(({ items }) => items.length > 1);
	if (several) return { problem: { code: 'severalParts', list: several.list } };
	const found = fields.flatMap(({ items }) => items);
	// Split Out leaves the list without its items behind.
	const [only, ...others] = found.filter(isFulfillmentOrder);
	if (only !== undefined && others.length === 0) return { part: only };
	if (found.length + single.length === 0) return {};
	return { problem: { code: 'noPart' } };
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

function notAnOrder(
	item: unknown,
	containers: readonly Container[],
	list: ReturnType<typeof findOrderList>,
): ItemProblem {
	const text = valueAt(item, ['errors', 0, 'message']);
	if (typeof text === 'string') return { code: 'graphqlError', text };
	if (['order', 'node'].some((field) => valueAt(item, ['data', field]) === null))
		return { code: 'notFound', field: 'data.order', isById: true };
	if (list?.items.length === 0) return { code: 'notFound', field: list.field, isById: false };
	const field = list?.field ?? (hasField(item, 'orders') ? 'orders' : undefined);
	if (field !== undefined) return { code: 'orderList', field };
	const value = hasField(item, 'order') ? valueAt(item, ['order']) : item;
	if (typeof value !== 'object' || Array.isArray(value) || isBlank(value))
		return { code: 'noObject', value };
	const body = valueAt(item, ['body']);
	if (hasField(item, 'headers') && body !== undefined && !hasField(body, 'id'))
		return { code: 'webhookWithoutOrder' };
	const [other] = containers.flatMap((container) => otherType(container.value) ?? []);
	if (other) return other;
	const [name] = containers.flatMap(
		({ value }) => optionalText.safeParse(valueAt(value, ['name'])).data ?? [],
	);
	return { code: 'noLines', name };
}

/**
 * Other outputs of the Shopify Trigger that resemble orders, recognized by fields that orders don't
 * have. Drafts also have order_id, which is null until they are completed.
 */
const otherRecords = [
	{ field: 'invoice_url', record: 'draftOrder' },
	{ field: 'abandoned_checkout_url', record: 'checkout' },
	{ field: 'order_id', record: 'ofOrder' },
] as const;

/**
 * The problem with another Shopify record: it must not be delivered in addition to its order, or be
 * reported as an invalid order.
 */
function otherType(value: unknown): ItemProblem | undefined {
	const type = gidType(valueAt(value, ['id']));
	if (type !== undefined && type !== 'Order') return { code: 'otherResource', type };
	// Only orders have a payment status, and a workflow may have added order_id to an order.
	const hasStatus = hasField(value, 'financial_status');
	const found = otherRecords.find(
		({ field }) => valueAt(value, [field]) !== undefined && !(hasStatus && field === 'order_id'),
	);
	return found && { code: 'otherRecord', ...found };
}

/** Whether a value has a field that is not blank. */
function hasField(value: unknown, field: string): boolean {
	return !isBlank(valueAt(value, [field]));
}
