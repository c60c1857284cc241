import type { Resource } from '../resource';
import { create } from './create';
import { remove } from './delete';
import { getAll } from './getAll';
import { repair } from './repair';

/** The service's subscriptions of URLs to events (service document, sections 4.3 to 4.5). */
export const webhook: Resource = {
	option: { name: 'Webhook', value: 'webhook' },
	operations: [create, remove, getAll, repair],
	defaultOperation: getAll.option.value,
};
