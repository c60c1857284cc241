import type { Resource } from '../resource';
import { createDelivery } from './create';
import { allowResending } from './allowResending';
import { confirmBaseUrl } from './confirmBaseUrl';
import { updateDelivery } from './update';

/** The service's deliveries, also called tasks (API document, sections 4.1 and 4.2). */
export const deliveryResource: Resource = {
	option: { name: 'Delivery', value: 'delivery' },
	operations: [createDelivery, allowResending, confirmBaseUrl, updateDelivery],
	defaultOperation: createDelivery.option.value,
};
