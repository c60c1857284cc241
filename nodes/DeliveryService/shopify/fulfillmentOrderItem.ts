import { valueAt } from '../common/json';
import { isBlank } from '../common/text';
import { connectionItems, gidType } from './graphql';

/*
 * Where a fulfillment order can be in an input item: beside its order, around it, or in the order's
 * list if it is the only one.
 */

/** The fields of a fulfillment order beside its order, and where they can be. */
const fields = ['fulfillmentOrder', 'fulfillment_order'] as const;
const besidePaths = [[], ['data'], ['body']] as const;

/** Where a fulfillment order with its order can be. */
const ownPaths = [[], ['node'], ['data', 'node'], ['body']] as const;

/** Where the list of an order's fulfillment orders can be. */
const listPaths = [[], ['order'], ['data', 'order'], ['node'], ['data', 'node'], ['body']].flatMap(
	(path) => [
		[...path, 'fulfillmentOrders'],
		[...path, 'fulfillment_orders'],
	],
);

/**
 * Finds the fulfillment order of an input item.
 *
 * @returns the fulfillment order, not parsed yet, or undefined if there is none or there are several
 */
export function findFulfillmentOrder(item: unknown): unknown {
	for (const container of besidePaths)
		for (const field of fields) {
			const part = valueAt(item, [...container, field]);
			if (isBlank(part)) continue;
			const node = valueAt(part, ['node']);
			const parts = connectionItems(part);
			if (!Array.isArray(parts)) return isBlank(node) ? part : node;
			if (parts.length === 1) return parts[0];
		}
	const wrapper = ownPaths.find((path) => isFulfillmentOrder(valueAt(item, path)));
	if (wrapper) return valueAt(item, wrapper);
	const [list, ...others] = partLists(item);
	return list?.parts.length === 1 && others.length === 0 ? list.parts[0] : undefined;
}

/** Whether a value is a fulfillment order, recognized by fields that orders don't have. */
export function isFulfillmentOrder(value: unknown): boolean {
	if (gidType(valueAt(value, ['id'])) === 'FulfillmentOrder') return true;
	const has = (field: string) => valueAt(value, [field]) !== undefined;
	return (
		has('line_items') && has('order_id') && (has('delivery_method') || has('assigned_location'))
	);
}

/** The field with several fulfillment orders of an order, or undefined if there is none. */
export function severalPartsField(item: unknown): string | undefined {
	return partLists(item)[0]?.field;
}

interface PartList {
	parts: readonly unknown[];
	field: string;
}

/** The lists of fulfillment orders that are not empty. */
function partLists(item: unknown): PartList[] {
	const paths = [...listPaths, ...fields.map((field) => [field])];
	return paths.flatMap((path) => {
		const value = valueAt(item, path);
		const parts = connectionItems(value);
		if (!Array.isArray(parts) || parts.length === 0) return [];
		const list = Array.isArray(value)
			? []
			: [isBlank(valueAt(value, ['nodes'])) ? 'edges' : 'nodes'];
		return [{ parts, field: [...path, ...list].join('.') }];
	});
}
