/** The operation Webhook: Create. */
import { outputItem } from '../items';
import type { Operation } from '../resource';
import {
	eventField,
	readUrlAndEvent,
	runForWebhooks,
	urlField,
	webhookOptionsField,
} from './fields';

/** Subscribes a URL to an event (docs/api.md, section 4.3). */
export const createWebhook: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create a webhook',
		description: 'Subscribe a URL to an event',
	},
	fields: [urlField, eventField, webhookOptionsField],
	async run(context) {
		return await runForWebhooks(context, async (input) => {
			const { url, event, action } = readUrlAndEvent(context.getNode(), input);
			await input.webhooks.subscribe({ url, action });
			return [outputItem({ url, event, action }, input.item)];
		});
	},
};
