/** The fields that an order lacks, and without which it may be decided wrongly. */
import { valueAt } from '../common/data';
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
	const lacks = (field: string) => valueAt(order, [field]) === undefined;
	const mayCollect = cod !== 'never';
	const lines = valueAt(order, ['line_items']);
	const hasRefunds =
		!lacks('refunds') ||
		(Array.isArray(lines) &&
			lines.every((line) => valueAt(line, ['current_quantity']) !== undefined));
	const byGateway = cod === 'cashOnDeliveryOrders' && lacks('gateway');
	const byTag = filters.tags.length > 0 || filters.excludeTags.length > 0;
	const byMethod = valueAt(part, ['delivery_method', 'presented_name']) === undefined;
	const { shippingMethods: included, excludeShippingMethods: excluded } = filters;
	const hasMethods = byMethod && (included.length > 0 || excluded?.length !== 0);
	const checks: Array<[field: string, isMissing: boolean, causes?: Skip['code']]> = [
		['cancelled_at', lacks('cancelled_at')],
		['test', lacks('test') && !filters.includeTestOrders],
		['financial_status', lacks('financial_status') && (mayCollect || filters.payment !== 'any')],
		['payment_gateway_names', lacks('payment_gateway_names') && byGateway, 'notPaid'],
		['shipping_lines', lacks('shipping_lines') && hasMethods, 'shippingMethod'],
		['note_attributes', lacks('note_attributes')],
		['created_at', lacks('created_at')],
		['tags', lacks('tags') && byTag, 'tag'],
		// The cash of a fulfillment order depends on the refunded items of the whole order.
		['line_items.current_quantity', part !== undefined && mayCollect && !hasRefunds],
	];
	return checks
		.filter(([, isMissing]) => isMissing)
		.map(([field, , causes]) => ({ field, causes }));
}
