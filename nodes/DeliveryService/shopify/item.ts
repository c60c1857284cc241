/**
 * Finds the order in an input item. n8n's nodes and the examples put it in one of six places:
 *
 * | Place             | By                                                                          |
 * | ----------------- | --------------------------------------------------------------------------- |
 * | the item itself   | Shopify, Shopify Trigger, Split Out                                         |
 * | `order`           | HTTP Request to the REST API, Edit Fields                                   |
 * | `data.order`      | GraphQL, HTTP Request to the GraphQL API                                    |
 * | `body`            | Webhook                                                                     |
 * | `body.order`      | HTTP Request to the REST API with the option to include the response headers |
 * | `body.data.order` | the same to the GraphQL API                                                 |
 *
 * A fulfillment order is in the field `fulfillmentOrder` of the item. If one seems to be anywhere else,
 * that is an error: the whole order must not be sent in its place.
 */
import { valueAt } from '../common/data';
import { failure, type Result } from '../common/result';
import { isBlank } from '../common/text';
import { optionalText } from './fieldSchemas';
import { gidType } from './graphql';

/** The paths in the order in which they are tried. */
const places = [
	[],
	['order'],
	['data', 'order'],
	['body'],
	['body', 'order'],
	['body', 'data', 'order'],
] as const;

/** An order that is not parsed yet, of the REST or the GraphQL API. */
export interface OrderCandidate {
	order: unknown;
	/** The part of the order to deliver, if it isn't the whole order. */
	fulfillmentOrder?: unknown;
}

/** Why an item contains no order, or it is unclear which part of it to deliver. */
export type ItemProblem =
	| { code: 'partWithoutOrder' | 'noPart' | 'webhookWithoutOrder' }
	/** `field`: the path of its fulfillment orders. */
	| { code: 'partList'; field: string }
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
 * Finds the order in an input item, and a fulfillment order beside it; see above. Never throws.
 *
 * @returns the order, not parsed yet, or why the item is none
 */
export function findOrder(item: unknown): Result<OrderCandidate, ItemProblem> {
	for (const path of places) {
		const value = valueAt(item, path);
		if (isFulfillmentOrder(value)) return failure({ code: 'partWithoutOrder' });
		if (!isOrder(value)) continue;
		const problem = otherType(value);
		if (problem) return failure(problem);
		const part = findFulfillmentOrder(item, path);
		return part.ok ? { ok: true, value: { order: value, fulfillmentOrder: part.value } } : part;
	}
	return failure(notAnOrder(item));
}

function isOrder(value: unknown): boolean {
	return hasField(value, 'line_items') || gidType(valueAt(value, ['id'])) === 'Order';
}

/** Whether a value is a fulfillment order, recognized by fields that orders don't have. */
function isFulfillmentOrder(value: unknown): boolean {
	if (gidType(valueAt(value, ['id'])) === 'FulfillmentOrder') return true;
	return (
		hasField(value, 'line_items') &&
		hasField(value, 'order_id') &&
		(hasField(value, 'assigned_location_id') ||
			['assigned_location', 'delivery_method'].some((field) => isObject(valueAt(value, [field]))))
	);
}

/**
 * Finds the fulfillment order of an item.
 *
 * @param orderPath where the order is
 * @returns the fulfillment order, undefined for a whole order, or why it is unclear
 */
function findFulfillmentOrder(
	item: unknown,
	orderPath: readonly string[],
): Result<unknown, ItemProblem> {
	const part = valueAt(item, ['fulfillmentOrder']);
	if (isObject(part) && !Array.isArray(part)) return { ok: true, value: part };
	for (let depth = 0; depth <= orderPath.length; depth++) {
		const path = orderPath.slice(0, depth);
		for (const { key, value } of partFields(valueAt(item, path))) {
			const problem = partProblem([...path, key].join('.'), key, value);
			if (problem) return failure(problem);
		}
	}
	return { ok: true, value: undefined };
}

/** Why a field that is named like fulfillment orders can't be ignored; undefined if it can. */
function partProblem(field: string, key: string, value: unknown): ItemProblem | undefined {
	const nodes = valueAt(value, ['nodes']);
	if (Array.isArray(nodes) && nodes.length > 0)
		return { code: 'partList', field: `${field}.nodes` };
	if (Array.isArray(value) && value.length > 0) return { code: 'partList', field };
	const isEmpty = Array.isArray(nodes) || Array.isArray(value) || isBlank(value);
	// The examples put the fulfillment order there, so it was expected.
	return !isEmpty || key === 'fulfillmentOrder' ? { code: 'noPart' } : undefined;
}

/** Also as n8n's Split Out names it without a destination, e.g. "data.order.fulfillmentOrders.nodes". */
const partKey = /(^|\.)fulfillment(_order|Order)s?(\.nodes)?$/;

/** The fields of a container that are named like fulfillment orders. */
function partFields(container: unknown): Array<{ key: string; value: unknown }> {
	if (!isObject(container)) return [];
	return Object.entries(container)
		.filter(([key]) => key.includes('fulfillment') && partKey.test(key))
		.map(([key, value]: [string, unknown]) => ({ key, value }));
}

function notAnOrder(item: unknown): ItemProblem {
	const text = valueAt(item, ['errors', 0, 'message']);
	if (typeof text === 'string') return { code: 'graphqlError', text };
	if (valueAt(item, ['data', 'order']) === null)
		return { code: 'notFound', field: 'data.order', isById: true };
	for (const field of ['data.orders.nodes', 'data.orders.edges', 'orders']) {
		const list = valueAt(item, field.split('.'));
		if (!Array.isArray(list)) continue;
		return list.length > 0 || field === 'orders'
			? { code: 'orderList', field }
			: { code: 'notFound', field, isById: false };
	}
	if (partFields(item).length > 0) return { code: 'partWithoutOrder' };
	const field = findOrderList(item);
	if (field !== undefined) return { code: 'orderList', field };
	const value = hasField(item, 'order') ? valueAt(item, ['order']) : item;
	if (!isObject(value) || Array.isArray(value)) return { code: 'noObject', value };
	const body = valueAt(item, ['body']);
	// HTTP Request returns the headers of a response beside its status.
	const isWebhook = hasField(item, 'headers') && !hasField(item, 'statusCode');
	if (isWebhook && body !== undefined && !hasField(body, 'id'))
		return { code: 'webhookWithoutOrder' };
	const found = places.map((path) => valueAt(item, path));
	const [other] = found.flatMap((one) => otherType(one) ?? []);
	if (other) return other;
	const [name] = found.flatMap((one) => optionalText.safeParse(valueAt(one, ['name'])).data ?? []);
	return { code: 'noLines', name };
}

/** The path of a list of orders, e.g. "data.orders.nodes", "body.orders", or "data" by n8n's Aggregate node. */
function findOrderList(value: unknown, levels = 4): string | undefined {
	if (!isObject(value) || Array.isArray(value) || levels === 0) return undefined;
	const fields: Array<[string, unknown]> = Object.entries(value);
	for (const [key, field] of fields) {
		const first = Array.isArray(field)
			? (valueAt(field, [0, 'node']) ?? valueAt(field, [0]))
			: field;
		if (Array.isArray(field) && isOrder(first) && !isFulfillmentOrder(first) && !otherType(first))
			return key;
		const path = findOrderList(field, levels - 1);
		if (path !== undefined) return `${key}.${path}`;
	}
	return undefined;
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

function isObject(value: unknown): value is object {
	return typeof value === 'object' && value !== null;
}
