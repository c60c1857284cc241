import { FulfillmentOrders } from '../playground/shopify/fulfillmentOrders';
import type { Order } from '../playground/shopify/shapes';

/**
 * Returns the item of a workflow that sends fulfillment orders: the order and its only fulfillment
 * order, which has all lines. An order with nothing to ship has none and is returned alone.
 *
 * @param order the order
 * @param number distinguishes the fulfillment order from those of other orders
 */
export function withFulfillmentOrder(order: Order, number: number): object {
	const shipping = new FulfillmentOrders();
	shipping.add(order, number, [{}]);
	const [fulfillmentOrder] = shipping.list(order);
	return fulfillmentOrder === undefined ? order : { order, fulfillmentOrder };
}
