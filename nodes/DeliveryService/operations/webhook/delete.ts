import type { IExecuteFunctions, ILoadOptionsFunctions, INodeListSearchResult } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { z } from 'zod/v4';

import { openClient } from '../../service/client';
import { selectedCompany } from '../../service/companyOption';
import { eventNameSchema, events } from '../../service/events';
import type { Subscription } from '../../service/requests';
import { webhookUrlSchema } from '../../service/schemas';
import { unwrap } from '../../service/nodeErrors';
import { validate } from '../../service/validation';
import type { Result } from '../../common/result';
import {
	companyWebhooksClient,
	type Webhook,
	type WebhookList,
	type Webhooks,
} from '../../service/webhooks';
import { outputItem, runPerItem } from '../items';
import { asRecord, resourceLocatorValue, parameterReader } from '../../common/parameters';
import { showFor, type Operation } from '../resource';
import { isPlaceholder, webhookBehind } from './placeholders';
import { removePlaceholder } from './reactivation';
import { companyWebhooks, eventField, requireFound, webhookOptionsField, urlField } from './fields';

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
		const parameters = parameterReader(context);
		const client = await openClient(context);
		return await runPerItem(context, async (item) => {
			const read = (name: string) => parameters.get(name, item, '');
			const target = unwrap(
				context.getNode(),
				read('selectBy') === 'list'
					? parseListValue(resourceLocatorValue(read('webhook')))
					: parseUrlAndEvent(read('url'), read('event')),
			);
			const webhooks = companyWebhooks(context.getNode(), parameters, client, item);
			const { isDone, detail } = await webhooks.unsubscribe(target);
			if (!isDone)
				throw new NodeOperationError(context.getNode(), 'Webhook not found', {
					description:
						`It may already be deleted. Choose one from the list, or check URL, event and company. ${detail}`.trim(),
				});
			const listing = await webhooks.list().catch(() => undefined);
			await removePlaceholderIn(listing, webhooks, target);
			assertDeleted(context, listing, target);
			return [outputItem({ deleted: true }, item)];
		});
	},
};

/** Otherwise Reactivate would re-create the webhook that its placeholder remembers. Never throws. */
async function removePlaceholderIn(
	listing: WebhookList | undefined,
	webhooks: Webhooks,
	{ url, action }: Subscription,
): Promise<void> {
	const remembered = listing?.webhooks.flatMap((webhook) => webhookBehind(webhook) ?? []) ?? [];
	const isRemembered = remembered.some((one) => one.url === url && one.action === action);
	if (isRemembered) await removePlaceholder(webhooks, { url, action });
}

/**
 * Checks the list after unsubscribing: the API document shows no response body (section 4.5),
 * so a success alone proves nothing. If the list can't be read, the success has to suffice.
 *
 * @throws NodeOperationError when the subscription is still listed
 */
function assertDeleted(
	context: IExecuteFunctions,
	listing: WebhookList | undefined,
	{ url, action }: Subscription,
): void {
	if (!listing?.webhooks.some((webhook) => webhook.url === url && webhook.action === action))
		return;
	throw new NodeOperationError(
		context.getNode(),
		'The Delivery Service confirmed the deletion but still lists this webhook',
		{
			description:
				'It may continue to call the URL. Check with Webhook > Get Many. If the webhook is still listed, delete it again (it may have existed twice), or delete it in the Delivery Service dashboard.',
		},
	);
}

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
	const { webhooks } = requireFound(
		this.getNode(),
		await companyWebhooksClient(this.getNode(), client, company).list(),
	);
	const searchText = filter.toLowerCase();
	return {
		results: webhooks
			.map((webhook) => ({ name: listName(webhook), value: listValue(webhook) }))
			.filter(({ name }) => name.toLowerCase().includes(searchText)),
	};
}

function listName(webhook: Webhook): string {
	const { url, event, action, status } = webhook;
	const knownEvent = eventNameSchema.safeParse(event);
	const eventName = knownEvent.success ? events[knownEvent.data].name : `Event ${action}`;
	const notes = [
		status === 'active' ? '' : ` (${status})`,
		isPlaceholder(webhook) ? ' (placeholder of Reactivate)' : '',
	];
	return `${eventName}: ${url}${notes.join('')}`;
}

/** The value of a list entry, which workflows save: the event's code, a space and the URL. */
function listValue({ url, action }: Subscription): string {
	return `${action} ${url}`;
}

const listValuePattern = /^(\d+) (.+)$/;

function parseListValue(value: unknown): Result<Subscription> {
	const [, action, url] = listValuePattern.exec(z.string().catch('').parse(value)) ?? [];
	if (action === undefined || url === undefined)
		return {
			ok: false,
			problem: { message: 'No webhook is selected', description: 'Choose one from the list.' },
		};
	return { ok: true, value: { url, action: Number(action) } };
}

function parseUrlAndEvent(url: unknown, event: unknown): Result<Subscription> {
	const checkedUrl = validate(webhookUrlSchema, url, 'URL', {});
	if (!checkedUrl.ok) return checkedUrl;
	const checkedEvent = validate(eventNameSchema, event, 'Event', {});
	if (!checkedEvent.ok) return checkedEvent;
	return { ok: true, value: { url: checkedUrl.value, action: events[checkedEvent.value].code } };
}
