/** The operation Webhook: Delete. Its URL usually comes from Get Many: a list in the editor would save it in the workflow. */
import { operationError } from '../../common/result';
import { joinSentences } from '../../common/text';
import { outputItem } from '../items';
import type { Operation } from '../resource';
import {
	eventField,
	readUrlAndEvent,
	runForWebhooks,
	urlField,
	webhookOptionsField,
} from './fields';

/** Unsubscribes a URL from an event (docs/api.md, section 4.5). */
export const deleteWebhook: Operation = {
	option: {
		name: 'Delete',
		value: 'delete',
		action: 'Delete a webhook',
		description: 'Unsubscribe a URL from an event',
	},
	fields: [urlField, eventField, webhookOptionsField],
	async run(context) {
		return await runForWebhooks(context, async (input) => {
			const { url, action } = readUrlAndEvent(context.getNode(), input);
			const { existed, detail } = await input.webhooks.unsubscribe({ url, action });
			if (existed) return [outputItem({ deleted: true }, input.item)];
			throw operationError(context.getNode(), {
				message: 'Webhook not found',
				description: joinSentences([
					'It may already be deleted. Check URL, event and company with Webhook > Get Many.',
					detail,
				]),
			});
		});
	},
};
