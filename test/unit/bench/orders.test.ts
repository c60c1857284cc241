import { withFulfillmentOrder } from '../../../bench/orders';
import { orderMappingSchema } from '../../../nodes/DeliveryService/shopify/mapping';
import { orderToDelivery } from '../../../nodes/DeliveryService/shopify/toDelivery';
import { samples } from '../../../playground/shopify/samples';
import type { Order } from '../../../playground/shopify/shapes';

const sample = (name: string): Order => {
	const order = samples.find((candidate) => candidate.name === name);
	if (order === undefined) throw new Error(`There is no sample order ${name}`);
	return order;
};

test('the only fulfillment order has all lines of its order and its own ID', () => {
	const order = sample('#1002');
	const line = (index: number, quantity: number): unknown => {
		const { id } = order.line_items[index] ?? {};
		const quantities = { quantity, fulfillable_quantity: quantity };
		return expect.objectContaining({ line_item_id: id, ...quantities });
	};
	const open: Record<string, unknown> = {
		...{ order_id: order.id, status: 'open', fulfill_at: null, fulfillment_holds: [] },
		line_items: [line(0, 4), line(1, 1)],
	};
	const first = withFulfillmentOrder(order, 1);
	expect(first).toMatchObject({ order, fulfillmentOrder: open });
	expect(withFulfillmentOrder(order, 1)).toEqual(first);
	expect(withFulfillmentOrder(order, 2)).not.toEqual(first);
});

test('an order with nothing to ship stays alone', () => {
	const order = sample('#1012');
	expect(withFulfillmentOrder(order, 1)).toBe(order);
});

test('as many sample orders become deliveries with a fulfillment order as alone', () => {
	const mapping = orderMappingSchema.parse({});
	const kinds = samples.map((order) => orderToDelivery(order, mapping).kind);
	expect(kinds).toContain('delivery');
	const items = samples.map((order, index) => withFulfillmentOrder(order, index));
	expect(items.map((item) => orderToDelivery(item, mapping).kind)).toEqual(kinds);
});
