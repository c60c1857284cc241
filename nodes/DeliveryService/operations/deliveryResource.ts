import type { Resource } from './resource';
import { createDelivery, createFromOrders } from './create';
import { allowResending } from './allowResending';
import { updateDelivery } from './update';

/** The service's deliveries, also called tasks (API document, sections 4.1 and 4.2). */
export const deliveryResource: Resource = {
	option: { name: 'Delivery', value: 'delivery' },
	operations: [createFromOrders, createDelivery, allowResending, updateDelivery],
	defaultOperation: createFromOrders.option.value,
};
