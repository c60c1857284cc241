import type { Resource } from '../resource';
import { create } from './create';
import { forget } from './forget';
import { update } from './update';

/** The service's deliveries, which it also calls tasks (service document, sections 4.1 and 4.2). */
export const delivery: Resource = {
	option: { name: 'Delivery', value: 'delivery' },
	operations: [create, forget, update],
	defaultOperation: create.option.value,
};
