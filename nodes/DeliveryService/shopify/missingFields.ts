/** The fields that an order lacks, and without which it may be decided wrongly. */
import { valueAt } from '../common/data';
import { isBlank } from '../common/text';
import { structure } from './fieldSchemas';
import { isGraphql } from './graphql';
import type { OrderCandidate } from './item';
import type { OrderMapping } from './mapping';
import type { Skip } from './skipping';

/** A field that an order lacks, and without which it may be decided wrongly. */
export interface MissingField {
	field: string;
	/** The reason to skip the order that its absence may cause. Without one, it may be sent wrongly. */
	causes?: Skip['code'];
}

/**
 * Fields that decide whether an order is sent and whether the driver collects cash. Every Shopify
 * order has them, if only as null, false or an empty list, unless the Shopify node limits the fields
 * that it returns. An order of the GraphQL API without them is not read.
 */
export function missingFields(
	{ order, fulfillmentOrder: part }: OrderCandidate,
	{ filters, cod }: OrderMapping,
): MissingField[] {
	if (isGraphql(order)) return [];
	const lacks = (field: string) => isLacking(field, valueAt(order, [field]));
	const mayCollect = cod !== 'never';
	const hasTagFilter = filters.tags.length > 0 || filters.excludeTags.length > 0;
	const { shippingMethods: included, excludeShippingMethods: excluded } = filters;
	const hasMethodFilter = included.length > 0 || excluded?.length !== 0;
	const hasOwnMethod = valueAt(part, ['delivery_method', 'presented_name']) !== undefined;
	const fields: Array<[field: string, isNeeded: boolean, causes?: Skip['code']]> = [
		['cancelled_at', true],
		['test', !filters.includeTestOrders],
		['financial_status', mayCollect || filters.payment !== 'any'],
		['payment_gateway_names', cod === 'cashOnDeliveryOrders' && lacks('gateway'), 'notPaid'],
		['shipping_lines', hasMethodFilter && !hasOwnMethod, 'shippingMethod'],
		['note_attributes', true],
		['created_at', true],
		['tags', hasTagFilter, 'tag'],
	];
	const missing: MissingField[] = fields
		.filter(([field, isNeeded]) => isNeeded && lacks(field))
		.map(([field, , causes]) => ({ field, causes }));
	// The cash of a fulfillment order depends on the refunded items of the whole order.
	const needsRefunds = part !== undefined && mayCollect;
	if (needsRefunds && lacks('refunds') && !hasCurrentQuantities(order))
		missing.push({ field: 'line_items.current_quantity' });
	return missing;
}

/** Lists that count as empty if they can't be read. */
const lists = new Set(['note_attributes', 'shipping_lines']);

/** Whether a field is not there, also if n8n has turned that or an unreadable list into text. */
function isLacking(field: string, given: unknown): boolean {
	const value = structure(given);
	if (typeof value !== 'string') return value === undefined;
	return value.trim() === 'undefined' || (lists.has(field) && !isBlank(value));
}

/** Whether all lines say how many of their units are left after refunds. */
function hasCurrentQuantities(order: unknown): boolean {
	const lines = valueAt(order, ['line_items']);
	if (!Array.isArray(lines)) return false;
	return lines.every((line) => valueAt(line, ['current_quantity']) !== undefined);
}
