import { NodeOperationError } from 'n8n-workflow';

import { openClient } from '../../service/client';
import { eventNameSchema, events } from '../../service/events';
import { webhookUrlSchema } from '../../service/schemas';
import { check } from '../../service/validation';
import { eachItem } from '../eachItem';
import { outputItem, valid } from '../items';
import type { Operation } from '../resource';
import { companyWebhooks, eventField, optionsField, urlField } from './fields';

/** Subscribes a URL to an event (service document, section 4.3). */
export const create: Operation = {
	option: {
		name: 'Create',
		value: 'create',
		action: 'Create webhook',
		description: 'Have the Delivery Service call a URL when an event happens',
	},
	fields: [urlField, eventField, optionsField],
	async run(context) {
		const client = await openClient(context);
		return await eachItem(context, async (item) => {
			const url = valid(
				context,
				check(webhookUrlSchema, context.getNodeParameter('url', item), 'URL', {}),
			);
			const event = valid(
				context,
				check(eventNameSchema, context.getNodeParameter('event', item), 'Event', {}),
			);
			const action = events[event].code;
			const isNew = await companyWebhooks(context, client, item).subscribe({ url, action });
			if (!isNew)
				throw new NodeOperationError(
					context.getNode(),
					'The Delivery Service has this webhook already (status 409)',
					{
						description:
							'Look with Webhook > Get Many. If it is blacklisted, use Webhook > Repair; else there is nothing to do.',
					},
				);
			return [outputItem({ url, event, action }, item)];
		});
	},
};
