import { operationError } from '../../common/result';
import { outputItem } from '../items';
import type { Operation } from '../resource';
import {
	eventField,
	readUrlAndEvent,
	runForWebhooks,
	urlField,
	webhookOptionsField,
} from './fields';

/** Subscribes a URL to an event (API document, section 4.3). */
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
			const { isDone, detail } = await input.webhooks.subscribe({ url, action });
			if (isDone) return [outputItem({ url, event, action }, input.item)];
			throw operationError(context.getNode(), {
				message: 'This webhook already exists or conflicts with another one (status 409)',
				description:
					`Check with Webhook > Get Many. If this webhook is blacklisted, run Webhook > Reactivate; if another one is in its place, delete that one first with Webhook > Delete. ${detail}`.trim(),
			});
		});
	},
};
