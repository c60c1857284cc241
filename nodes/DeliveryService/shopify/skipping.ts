import { isRefundedOrVoided } from './cashOnDelivery';
import { sign } from './decimal';
import { lacksPersonalData } from './dropoff';
import type { OrderMapping } from './mapping';
import { partSkip, type PartSkipReason } from './partSkipping';
import { pickupMark } from './pickup';
import { fieldName, orderLabel, type Order } from './order';
import type { OrderCandidate } from './recognize';
import { valueAt } from '../common/json';

/** Why a whole order is skipped. */
type OrderSkipReason =
	'cancelled' | 'voided' | 'refunded' | 'notPaid' | 'testOrder' | 'localPickup' | 'nothingToShip';

export type SkipReason = OrderSkipReason | PartSkipReason;

/** Shopify's payment statuses of orders that were paid, including partly refunded ones. */
const paidStatuses = ['paid', 'partially_refunded'];

/** Why an order is skipped, as a keyword and for people. */
export interface Skip {
	reason: SkipReason;
	/** What happened and what to do, starting with the order's name. */
	message: string;
}

/**
 * Decides whether to skip an order, or the fulfillment order of it.
 *
 * @param hasItemsLeft whether units are left to ship; true if that can't be determined
 * @returns why, or undefined if the order is to be sent
 */
export function findSkip(
	order: Order,
	mapping: OrderMapping,
	hasItemsLeft: boolean,
): Skip | undefined {
	const skip = (reason: OrderSkipReason) => ({ reason, message: skipMessage(order, reason) });
	if (order.cancelled_at) return skip('cancelled');
	if (order.test && !mapping.includeTestOrders) return skip('testOrder');
	const ofPart = partSkip(order, mapping);
	if (ofPart) return ofPart;
	if (!hasItemsLeft) return skip('nothingToShip');
	const status = order.financial_status;
	if ((status === 'voided' || status === 'refunded') && !mapping.includeRefundedOrders)
		return skip(status);
	if (isLocalPickup(order, mapping)) return skip('localPickup');
	return mapping.onlyPaidOrders && !isRefundedOrVoided(order) && isUnpaid(order)
		? skip('notPaid')
		: undefined;
}

/** Whether an order is not fully paid; false if it has no payment status. */
function isUnpaid({ financial_status: status, total_outstanding: outstanding }: Order): boolean {
	if (!status) return false;
	return !paidStatuses.includes(status) || (outstanding !== undefined && sign(outstanding) > 0);
}

/**
 * Whether the customer picks up the order. Apps mark pickups, Shopify doesn't: such an order has no
 * shipping address, and either a shipping line with the pickup location or the source "pos". If
 * Shopify removed all personal data, a missing address proves nothing, and skipping the order would
 * lose it.
 */
function isLocalPickup(order: Order, { overrides }: OrderMapping): boolean {
	if (overrides.address) return false;
	const method = order.fulfillmentOrder?.delivery_method?.method_type;
	// The user chose to send pickups.
	if (method === 'pick_up') return false;
	// Shopify knows the method better than the title of a shipping method does, but apps hide pickups.
	if (method !== undefined) return pickupMark({ ...order, shipping_lines: [] }) !== undefined;
	if (pickupMark(order) !== undefined) return true;
	if (order.shipping_address) return false;
	if (order.shipping_lines.length > 0) return !lacksPersonalData(order);
	return order.source_name?.toLowerCase() === 'pos';
}

/** What happened and what to do, starting with the order's name. */
function skipMessage(order: Order, reason: OrderSkipReason): string {
	const subject = orderLabel(order);
	switch (reason) {
		case 'cancelled':
			return `${subject} was canceled. If its delivery already exists, cancel it in the Delivery Service dashboard.`;
		case 'voided':
			return `${subject} has a voided payment. To send such orders anyway, turn on Include Refunded Orders under More Order Options.`;
		case 'refunded':
			return `${subject} was fully refunded. To send such orders anyway, turn on Include Refunded Orders under More Order Options.`;
		case 'notPaid':
			return `${subject} is not fully paid: its payment status is "${order.financial_status}". Because Only Paid Orders is on, it is sent once it comes in again after payment.`;
		case 'testOrder':
			return `${subject} is a test order. To send test orders, turn on Include Test Orders under Order Options.`;
		case 'localPickup': {
			const mark = pickupMark(order);
			if (mark !== undefined && order.shipping_address)
				return `${subject} is marked as a store pickup (${mark}). To deliver it, correct its additional details or its shipping method in Shopify.`;
			const method = order.shipping_lines[0]?.title;
			return `${subject} has no shipping address, so it looks like a store pickup${method ? ` (${method})` : ''}. To deliver it, add an address to the order in Shopify.`;
		}
		case 'nothingToShip':
			return `${subject} has nothing left to ship: its items are fulfilled, refunded, removed or don't need shipping.`;
	}
}

/** A field that an order lacks. */
export interface MissingField {
	/** The name of the field in the API that the order is from. */
	field: string;
	/** What the order is treated as instead, e.g. "not canceled". */
	assumed: string;
}

/**
 * Fields that decide whether an order is sent and whether the driver collects cash. Every Shopify
 * order has them, if only as null, false or an empty list, unless the Shopify node limits the
 * fields that it returns.
 */
const expectedFields: ReadonlyArray<
	MissingField & {
		/** An older field with the same information. */
		legacyField?: string;
		isRelevant: (mapping: OrderMapping) => boolean;
	}
> = [
	{ field: 'cancelled_at', assumed: 'not canceled', isRelevant: () => true },
	{
		field: 'test',
		assumed: 'not a test order',
		isRelevant: (mapping) => !mapping.includeTestOrders,
	},
	{
		field: 'financial_status',
		assumed: 'not refunded',
		isRelevant: (mapping) => !mapping.includeRefundedOrders,
	},
	{
		field: 'payment_gateway_names',
		legacyField: 'gateway',
		assumed: 'not cash on delivery',
		isRelevant: (mapping) => mapping.cod === 'cashOnDeliveryOrders',
	},
];

/**
 * Finds the expected fields that an order lacks.
 *
 * @param candidate the order before it is parsed
 * @param mapping decides which fields are relevant
 * @returns the missing fields, or undefined if there are none
 */
export function missingFields(
	{ rest, graphql, fulfillmentOrder }: OrderCandidate,
	mapping: OrderMapping,
): MissingField[] | undefined {
	const has = (field: string) => valueAt(rest, [field]) !== undefined;
	const missing = expectedFields.filter(
		({ field, legacyField, isRelevant }) =>
			isRelevant(mapping) && !has(field) && !(legacyField !== undefined && has(legacyField)),
	);
	const isGraphql = graphql !== undefined;
	const named = missing.map(({ field, assumed }) => ({
		field: fieldName({ isGraphql }, [field]),
		assumed,
	}));
	// A shop with one currency seems to need no query for the customer's.
	if (isGraphql && mapping.cod !== 'never' && !has('presentment_currency'))
		named.push({
			field: fieldName({ isGraphql }, ['presentment_currency']),
			assumed: "the customer pays in the shop's currency",
		});
	// The cash of a fulfillment order depends on the refunded items of the whole order.
	if (fulfillmentOrder && mapping.cod !== 'never' && !has('refunds') && !hasCurrentQuantities(rest))
		named.push({
			field: fieldName({ isGraphql }, ['line_items', 'current_quantity']),
			assumed: 'no item was refunded',
		});
	const part = fulfillmentOrder?.graphql;
	if (
		(isGraphql && hasUnknownPage(graphql, 'lineItems')) ||
		(part !== undefined && hasUnknownPage(part, 'lineItems'))
	)
		named.push({ field: 'lineItems.pageInfo.hasNextPage', assumed: 'all items are included' });
	if (part !== undefined && isGraphql && hasUnknownPage(graphql, 'fulfillmentOrders'))
		named.push({
			field: 'fulfillmentOrders.pageInfo.hasNextPage',
			assumed: 'there are no other fulfillment orders',
		});
	return named.length > 0 ? named : undefined;
}

function hasCurrentQuantities(order: unknown): boolean {
	const lines = valueAt(order, ['line_items']);
	return (
		Array.isArray(lines) && lines.every((line) => valueAt(line, ['current_quantity']) !== undefined)
	);
}

/** Whether a list of the object is a page of a connection that doesn't say if it is the last one. */
function hasUnknownPage(object: unknown, field: string): boolean {
	const list = valueAt(object, [field]);
	if (list === undefined || Array.isArray(list)) return false;
	return valueAt(list, ['pageInfo', 'hasNextPage']) === undefined;
}
