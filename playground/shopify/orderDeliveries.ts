import type { StoredDelivery } from '../service/shapes';
import type { FulfillmentOrder, Order } from './shapes';

/** A delivery of an order, or why an order or a part of it has none. */
export interface OrderDelivery {
	/** The name of the location that ships this part, if the order has several parts. */
	readonly location: string | null;
	/** The status of the delivery, or why there is none. */
	readonly text: string;
	/** The ID of the delivery, or null if there is none. */
	readonly deliveryId: string | null;
}

/**
 * Finds the deliveries of an order by their reference IDs: the order's name, alone or followed by the
 * ID of a fulfillment order. For what has no delivery, it says why if the shop or n8n knows it.
 *
 * @param reasons what n8n says about fulfillment orders, by their ID
 */
export function orderDeliveries(
	order: Order,
	fulfillmentOrders: readonly FulfillmentOrder[],
	deliveries: readonly StoredDelivery[],
	reasons: ReadonlyMap<string, string> = new Map(),
): OrderDelivery[] {
	const isSplit = fulfillmentOrders.length > 1;
	const locationOf = (part: FulfillmentOrder | undefined) =>
		isSplit && part ? part.assigned_location.name : null;
	const own = deliveries.filter(
		({ record: { referenceId } }) =>
			referenceId === order.name || referenceId?.startsWith(`${order.name}-`),
	);
	const partOf = ({ record }: StoredDelivery) =>
		fulfillmentOrders.find(({ id }) => record.referenceId === `${order.name}-${id}`);
	const found = own.map((delivery) => ({
		location: locationOf(partOf(delivery)),
		text: delivery.record.statusDelivery,
		deliveryId: delivery.record.id,
	}));
	const isWhole = own.some(({ record }) => record.referenceId === order.name);
	if (isWhole || (found.length > 0 && !isSplit)) return found;
	const delivered = own.map(partOf);
	const missing = isSplit
		? fulfillmentOrders.filter((part) => !delivered.includes(part))
		: [fulfillmentOrders[0]];
	return [
		...found,
		...missing.map((part) => ({
			location: locationOf(part),
			text: whyNone(order, part, reasons.get(String(part?.id))),
			deliveryId: null,
		})),
	];
}

const methodReasons: Readonly<Record<string, string>> = {
	pick_up: 'store pickup',
	pickup_point: 'pickup point',
	retail: 'sold in the store',
	none: 'nothing to ship',
};

/** Why an order, or one of its fulfillment orders, has no delivery. */
function whyNone(order: Order, part: FulfillmentOrder | undefined, inN8n = ''): string {
	const reason = orderReason(order) ?? (part && partReason(part)) ?? inN8n;
	return reason === '' ? 'No delivery yet' : `No delivery (${reason})`;
}

function orderReason(order: Order): string | undefined {
	if (order.cancelled_at !== null) return 'canceled';
	if (order.test === true) return 'test order';
	if (order.fulfillment_status === 'fulfilled') return 'already fulfilled';
	const toShip = order.line_items.filter(
		(item) => item.fulfillable_quantity > 0 && item.requires_shipping !== false,
	);
	return toShip.length === 0 ? 'nothing to ship' : undefined;
}

function partReason(part: FulfillmentOrder): string | undefined {
	const method = methodReasons[part.delivery_method.method_type];
	if (method !== undefined) return method;
	switch (part.status) {
		case 'on_hold':
			return 'on hold';
		case 'scheduled':
			return `scheduled for ${part.fulfill_at?.slice(0, 10) ?? 'later'}`;
		case 'closed':
			return 'already fulfilled';
		case 'cancelled':
			return 'canceled';
		default:
			return undefined;
	}
}
