import { valueAt } from '../common/json';
import { isRefundedOrVoided } from './cash';
import type { DeliveryMethod, FulfillmentOrder } from './fulfillmentOrder';
import type { OrderCandidate } from './item';
import type { OrderMapping } from './mapping';
import { sign } from './money';
import { fieldName, type Order } from './order';
import { pickupMark } from './pickup';
import { lacksPersonalData } from './recipient';

/** Why an order, or the fulfillment order of it, is skipped. */
export type Skip =
	| { reason: 'cancelled' | 'testOrder' | 'voided' | 'refunded' | 'nothingToShip' }
	| { reason: 'notPaid'; status: string }
	| { reason: 'localPickup'; pickup: Pickup }
	| { reason: 'deliveryMethod'; method: DeliveryMethod }
	| { reason: 'onHold'; holds: string[] }
	| { reason: 'scheduled'; fulfillAt: string | undefined }
	| { reason: 'closed' | 'incomplete' };

/** What shows that the customer picks up the order. */
type Pickup =
	| { shownBy: 'fulfillmentOrder' }
	| { shownBy: 'mark'; mark: string }
	| { shownBy: 'missingAddress'; method: string | undefined };

/** Shopify's payment statuses of orders that were paid, including partly refunded ones. */
const paidStatuses = ['paid', 'partially_refunded'];

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
	const { financial_status: status, fulfillmentOrder: part } = order;
	if (order.cancelled_at) return { reason: 'cancelled' };
	if (order.test && !mapping.includeTestOrders) return { reason: 'testOrder' };
	const ofPart = part && (findMethodSkip(part, mapping) ?? findStatusSkip(part));
	if (ofPart) return ofPart;
	if (!hasItemsLeft) return { reason: 'nothingToShip' };
	if ((status === 'voided' || status === 'refunded') && !mapping.includeRefundedOrders)
		return { reason: status };
	const pickup = findPickup(order, mapping);
	if (pickup) return { reason: 'localPickup', pickup };
	const isUnpaid =
		status !== undefined &&
		!isRefundedOrVoided(order) &&
		(!paidStatuses.includes(status) ||
			(order.total_outstanding !== undefined && sign(order.total_outstanding) > 0));
	return mapping.onlyPaidOrders && isUnpaid ? { reason: 'notPaid', status } : undefined;
}

/** Checked before the status: a pickup is never sent, whatever happens to it. */
function findMethodSkip(
	{ delivery_method }: FulfillmentOrder,
	{ deliveryMethods }: OrderMapping,
): Skip | undefined {
	const method = delivery_method?.method_type;
	if (method === undefined || deliveryMethods.includes(method)) return undefined;
	return method === 'pick_up'
		? { reason: 'localPickup', pickup: { shownBy: 'fulfillmentOrder' } }
		: { reason: 'deliveryMethod', method };
}

function findStatusSkip({
	status,
	fulfillment_holds: holds,
	fulfill_at: fulfillAt,
}: FulfillmentOrder): Skip | undefined {
	switch (status) {
		case 'open':
		case 'in_progress':
			return undefined;
		case 'on_hold': {
			const reasons = holds.map(({ reason, reason_notes: notes }) =>
				[reason?.replaceAll('_', ' '), notes].filter(Boolean).join(': '),
			);
			return { reason: 'onHold', holds: [...new Set(reasons.filter(Boolean))] };
		}
		case 'scheduled':
			return { reason: status, fulfillAt };
		default:
			return { reason: status };
	}
}

/**
 * Finds out whether the customer picks up the order. Apps mark pickups, Shopify doesn't: such an order
 * has no shipping address, and either a shipping line with the pickup location or the source "pos". If
 * Shopify removed all personal data, a missing address proves nothing, and skipping the order would
 * lose it.
 */
function findPickup(order: Order, { overrides }: OrderMapping): Pickup | undefined {
	if (overrides.address) return undefined;
	const method = order.fulfillmentOrder?.delivery_method?.method_type;
	// The user chose to send pickups.
	if (method === 'pick_up') return undefined;
	// Shopify knows the method better than the title of a shipping method does, but apps hide pickups.
	const mark = pickupMark(method === undefined ? order : { ...order, shipping_lines: [] });
	if (mark !== undefined && order.shipping_address) return { shownBy: 'mark', mark };
	const [line] = order.shipping_lines;
	const isLocal = line ? !lacksPersonalData(order) : order.source_name?.toLowerCase() === 'pos';
	const isWithoutAddress = method === undefined && !order.shipping_address && isLocal;
	return mark !== undefined || isWithoutAddress
		? { shownBy: 'missingAddress', method: line?.title }
		: undefined;
}

/** A field that an order lacks, by its name in REST, and by that in the API that the order is from. */
export interface MissingField {
	field: string;
	shownField: string;
}

/**
 * Fields that decide whether an order is sent and whether the driver collects cash. Every Shopify
 * order has them, if only as null, false or an empty list, unless the Shopify node limits the fields
 * that it returns.
 *
 * @param candidate the order before it is parsed
 * @param mapping decides which fields are relevant
 * @returns the missing fields, or undefined if there are none
 */
export function missingFields(
	{ rest, graphql, fulfillmentOrder: part }: OrderCandidate,
	mapping: OrderMapping,
): MissingField[] | undefined {
	const lacks = (field: string) => valueAt(rest, [field]) === undefined;
	const isGraphql = graphql !== undefined;
	const mayCollect = mapping.cod !== 'never';
	const lines = valueAt(rest, ['line_items']);
	const hasRefunds =
		!lacks('refunds') ||
		(Array.isArray(lines) &&
			lines.every((line) => valueAt(line, ['current_quantity']) !== undefined));
	const isPageUnknown = (object: unknown, list: string) => {
		const connection = valueAt(object, [list]);
		if (connection === undefined || Array.isArray(connection)) return false;
		return valueAt(connection, ['pageInfo', 'hasNextPage']) === undefined;
	};
	const checks: Array<[field: string, isMissing: boolean]> = [
		['cancelled_at', lacks('cancelled_at')],
		['test', lacks('test') && !mapping.includeTestOrders],
		['financial_status', lacks('financial_status') && !mapping.includeRefundedOrders],
		[
			'payment_gateway_names',
			lacks('payment_gateway_names') && lacks('gateway') && mapping.cod === 'cashOnDeliveryOrders',
		],
		// A shop with one currency seems to need no query for the customer's.
		['presentment_currency', isGraphql && mayCollect && lacks('presentment_currency')],
		// The cash of a fulfillment order depends on the refunded items of the whole order.
		['line_items.current_quantity', part !== undefined && mayCollect && !hasRefunds],
		[
			'lineItems.pageInfo.hasNextPage',
			(isGraphql && isPageUnknown(graphql, 'lineItems')) ||
				isPageUnknown(part?.graphql, 'lineItems'),
		],
		[
			'fulfillmentOrders.pageInfo.hasNextPage',
			part?.graphql !== undefined && isGraphql && isPageUnknown(graphql, 'fulfillmentOrders'),
		],
	];
	const missing = checks.flatMap(([field, isMissing]) =>
		isMissing ? [{ field, shownField: fieldName({ isGraphql }, field.split('.')) }] : [],
	);
	return missing.length > 0 ? missing : undefined;
}
