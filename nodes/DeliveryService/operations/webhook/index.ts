import type { Resource } from '../resource';
import { createWebhook } from './create';
import { deleteWebhook } from './delete';
import { getManyWebhooks } from './getMany';
import { reactivateWebhooks } from './reactivate';

/** The service's subscriptions of URLs to events (API document, sections 4.3 to 4.5). */
export const webhookResource: Resource = {
	option: { name: 'Webhook', value: 'webhook' },
	operations: [createWebhook, deleteWebhook, getManyWebhooks, reactivateWebhooks],
	defaultOperation: getManyWebhooks.option.value,
};
