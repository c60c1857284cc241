import { NodeOperationError, type INode } from 'n8n-workflow';

import { openClient } from '../../service/client';
import { eventNameSchema, events } from '../../service/events';
import type { Subscription } from '../../service/requests';
import { webhookUrlSchema } from '../../service/schemas';
import { findSubscription, listAfterSubscribing } from '../../service/subscriptionCheck';
import { unwrap } from '../../service/nodeErrors';
import { validate } from '../../service/validation';
import type { Webhooks } from '../../service/webhooks';
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
			await assertSubscribed(context.getNode(), webhooks, { url, action });
			return [outputItem({ url, event, action }, item)];
		});
	},
};

/**
 * Checks the list after subscribing. If the list can't be read, the confirmation has to suffice.
 *
 * @throws NodeOperationError when the service does not list the webhook, or not as active
 */
async function assertSubscribed(
	node: INode,
	webhooks: Webhooks,
	subscription: Subscription,
): Promise<void> {
	const { webhooks: listed, unlisted } = await listAfterSubscribing(webhooks, [subscription]);
	if (unlisted.length > 0)
		throw new NodeOperationError(
			node,
			'The Delivery Service confirmed this webhook but does not list it',
			{
				description:
					'It may not call the URL. Check with Webhook > Get Many before you create it again: if it exists twice, each event arrives twice.',
			},
		);
	const found = findSubscription(listed, subscription);
	if (found.length > 0 && found.every(({ status }) => status === 'blacklisted'))
		throw new NodeOperationError(node, 'The Delivery Service has blacklisted this webhook', {
			description:
				'It does not call the URL. Check that the URL responds with status 200, then run Webhook > Reactivate.',
		});
}
