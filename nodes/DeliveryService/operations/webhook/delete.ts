import type { ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { z } from 'zod/v4';

import { asRecord } from '../../common/parameters';
import { type Result, failure, operationError, unwrap } from '../../common/result';
import { openClient, type Subscription } from '../../service/client';
import { selectedCompany } from '../../service/credential';
import { eventLabel } from '../../service/events';
import { companyWebhooksClient } from '../../service/webhooks';
import { outputItem } from '../items';
import { showFor, type Operation } from '../resource';
import {
	eventField,
	readUrlAndEvent,
	runForWebhooks,
	urlField,
	webhookOptionsField,
} from './fields';

/** Unsubscribes a URL from an event (API document, section 4.5). */
export const deleteWebhook: Operation = {
	option: {
		name: 'Delete',
		value: 'delete',
		action: 'Delete a webhook',
		description: 'Unsubscribe a URL from an event',
	},
	fields: [
		{
			displayName: 'Webhook To Delete',
			name: 'selectBy',
			type: 'options',
			noDataExpression: true,
			options: [
				{ name: 'From List', value: 'list' },
				{ name: 'By URL and Event', value: 'urlAndEvent' },
			],
			default: 'list',
		},
		...showFor({ selectBy: ['list'] }, [
			{
				displayName: 'Webhook',
				name: 'webhook',
				type: 'resourceLocator',
				required: true,
				default: { mode: 'list', value: '' },
				modes: [
					{
						displayName: 'From List',
						name: 'list',
						type: 'list',
						placeholder: 'Select a webhook...',
						typeOptions: { searchListMethod: 'searchWebhooks', searchable: true },
					},
				],
			},
		]),
		...showFor({ selectBy: ['urlAndEvent'] }, [urlField, eventField]),
		webhookOptionsField,
	],
	async run(context) {
		return await runForWebhooks(context, async (input) => {
			const isListed = input.read('selectBy') === 'list';
			const { url, action } = isListed
				? unwrap(context.getNode(), parseListValue(input.read('webhook')))
				: readUrlAndEvent(context.getNode(), input);
			const { isDone, detail } = await input.webhooks.unsubscribe({ url, action });
			if (isDone) return [outputItem({ deleted: true }, input.item)];
			throw operationError(context.getNode(), {
				message: 'Webhook not found',
				description:
					`It may already be deleted. Choose one from the list, or check URL, event and company. ${detail}`.trim(),
			});
		});
	},
};

/**
 * The company's subscriptions for the editor's list.
 *
 * @param filter text to search in events, URLs and statuses
 * @throws NodeOperationError or NodeApiError when the service returns no list
 */
export async function searchWebhooks(
	this: ILoadOptionsFunctions,
	filter = '',
): Promise<INodeListSearchResult> {
	const client = await openClient(this);
	const options = asRecord(this.getNodeParameter('options', {}));
	const company = unwrap(this.getNode(), selectedCompany(client.credential, options));
	const { webhooks } = await companyWebhooksClient(this.getNode(), client, company).list();
	const searchText = filter.toLowerCase();
	return {
		results: webhooks
			.map(({ url, action, status }) => ({
				name: `${eventLabel(action)}: ${url}${status === 'active' ? '' : ` (${status})`}`,
				value: `${action} ${url}`,
			}))
			.filter(({ name }) => name.toLowerCase().includes(searchText)),
	};
}

/** The value of a list entry, which workflows save: the event's code, a space and the URL. */
const listValuePattern = /^(\d+) (.+)$/;

function parseListValue(webhook: unknown): Result<Subscription> {
	// An expression may return the value alone.
	const { value = webhook } = asRecord(webhook);
	const [, action, url] = listValuePattern.exec(z.string().catch('').parse(value)) ?? [];
	if (action === undefined || url === undefined)
		return failure({ message: 'No webhook is selected', description: 'Choose one from the list.' });
	return { ok: true, value: { url, action: Number(action) } };
}
