import { valueAt } from '../common/json';
import { isBlank } from '../common/text';
import { connectionItems, gidType } from './graphql';

/** The fulfillment order in an input item, not parsed yet. */
export type FoundFulfillmentOrder =
	| { kind: 'none' }
	| { kind: 'one'; part: unknown }
	/** The item contains the list of an order's fulfillment orders, in this field. */
	| { kind: 'several'; field: string }
	/** The item has a place for a fulfillment order, but there is none. */
	| { kind: 'missing' };

/**
 * Finds the fulfillment order in an input item: beside its order, around it, or in the order's list if
 * it is the only one.
 *
 * @param order the order of the item, if there is one
 */
export function findFulfillmentOrder(item: unknown, order: unknown): FoundFulfillmentOrder {
	const containers = containersOf(item);
	if (!containers.some(({ value }) => value === order)) containers.push({ value: order, path: [] });
	const fields = containers.flatMap(partFields);
	const single = fields.filter(({ key }) => key.endsWith('r'));
	const part = single.map(({ value }) => onlyItem(value)).find((value) => !isBlank(value));
	if (part !== undefined) return { kind: 'one', part };
	const self = containers.find(({ value }) => isFulfillmentOrder(value));
	if (self) return { kind: 'one', part: self.value };
	const lists = fields.filter(({ value }) => !isEmptyList(value));
	const several = lists.find(({ value }) => itemCount(value) > 1);
	if (several) {
		const { path, key, value } = several;
		const items = ['nodes', 'edges'].filter((name) => Array.isArray(valueAt(value, [name])));
		return { kind: 'several', field: [...path, key, ...items.slice(0, 1)].join('.') };
	}
	// Split Out leaves the list without its items behind.
	const [only, ...others] = lists.map(({ value }) => onlyItem(value)).filter(isFulfillmentOrder);
	if (only !== undefined && others.length === 0) return { kind: 'one', part: only };
	return { kind: lists.length + single.length > 0 ? 'missing' : 'none' };
}

/** Whether a value is a fulfillment order, recognized by fields that orders don't have. */
export function isFulfillmentOrder(value: unknown): boolean {
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

interface Container {
	value: unknown;
	path: readonly string[];
}

const steps = ['order', 'data', 'body', 'node'];
const maxContainerDepth = 3;

/** The item and the objects in it that can contain an order. */
function containersOf(value: unknown, path: readonly string[] = []): Container[] {
	if (typeof value !== 'object' || value === null || path.length > maxContainerDepth) return [];
	return [
		{ value, path },
		...steps.flatMap((step) => containersOf(valueAt(value, [step]), [...path, step])),
	];
}

/** Also as n8n's Split Out names it without a destination, e.g. "data.order.fulfillmentOrders.nodes". */
const partKey = /(^|\.)fulfillment(_order|Order)s?(\.(nodes|edges))?$/;

/** The fields of a container with one or several fulfillment orders. */
function partFields({ value, path }: Container) {
	if (typeof value !== 'object' || value === null) return [];
	return Object.keys(value)
		.filter((key) => key.includes('fulfillment') && partKey.test(key))
		.map((key) => ({ key, path, value: valueAt(value, [key]) }));
}

/** The value, or the only one of a list. */
function onlyItem(value: unknown): unknown {
	const items = connectionItems(value);
	if (Array.isArray(items)) return items.length === 1 ? onlyItem(items[0]) : undefined;
	const node = valueAt(value, ['node']);
	return isBlank(node) ? value : node;
}

/** The number of items of a list, or 1. */
function itemCount(value: unknown): number {
	const items = connectionItems(value);
	return Array.isArray(items) ? items.length : 1;
}

function isEmptyList(value: unknown): boolean {
	return isBlank(value) || itemCount(value) === 0;
}
