import { NodeOperationError } from 'n8n-workflow';

import { openClient } from '../../service/client';
import { eventNameSchema, events } from '../../service/events';
import { webhookUrlSchema } from '../../service/schemas';
import { unwrap } from '../../service/nodeErrors';
import { validate } from '../../service/validation';
import { outputItem, runPerItem } from '../items';
import { parameterReader } from '../../common/parameters';
import type { Operation } from '../resource';
import { companyWebhooks, eventField, webhookOptionsField, urlField } from './fields';

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
		const parameters = parameterReader(context);
		const client = await openClient(context);
		return await runPerItem(context, async (item) => {
			const url = unwrap(
				context.getNode(),
				validate(webhookUrlSchema, parameters.get('url', item), 'URL', {}),
			);
			const event = unwrap(
				context.getNode(),
				validate(eventNameSchema, parameters.get('event', item), 'Event', {}),
			);
			const action = events[event].code;
			const webhooks = companyWebhooks(context.getNode(), parameters, client, item);
			const { isDone, detail } = await webhooks.subscribe({ url, action });
			if (!isDone)
				throw new NodeOperationError(
					context.getNode(),
					'This webhook already exists or conflicts with another one (status 409)',
					{
						description:
							`Check with Webhook > Get Many. If this webhook is blacklisted, run Webhook > Reactivate; if another one is in its place, delete that one first with Webhook > Delete. ${detail}`.trim(),
					},
				);
			return [outputItem({ url, event, action }, item)];
		});
	},
};
