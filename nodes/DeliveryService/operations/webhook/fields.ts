/** The fields that the webhook operations share, and their run for each item. */
import type { IExecuteFunctions, INode, INodeExecutionData, INodeProperties } from 'n8n-workflow';

import { companyIdField, optionsField, requiredField } from '../../common/fields';
import { asRecord, parameterReader } from '../../common/parameters';
import { unwrap } from '../../common/result';
import { openClient } from '../../service/client';
import { selectedCompany, type Credential } from '../../service/credential';
import { eventNameSchema, eventOptions, events } from '../../service/events';
import { webhookUrlSchema } from '../../service/schemas';
import { validate } from '../../service/validation';
import { companyWebhooksClient, type Webhooks } from '../../service/webhooks';
import { runPerItem } from '../items';

export const eventField: INodeProperties = {
	displayName: 'Event',
	name: 'event',
	type: 'options',
	options: eventOptions,
	default: 'updateTask',
	description: 'The event that the URL is called for',
};

export const urlField: INodeProperties = requiredField(
	'URL',
	'url',
	'e.g. https://example.com/delivery-events',
	'The URL that the Delivery Service calls when the event occurs',
);

/** The options of every webhook operation. */
export const webhookOptionsField: INodeProperties = { ...optionsField, options: [companyIdField] };

/** What an operation needs for one input item. */
export interface WebhookItem {
	item: number;
	credential: Credential;
	/** The company in the item's options, or else in the credential. */
	companyId: number;
	/** The subscriptions of this company. */
	webhooks: Webhooks;
	/** The subscriptions of any company. */
	webhooksOf: (companyId: number) => Webhooks;
	/** The value of a parameter; undefined when the node doesn't have it. */
	read: (name: string) => unknown;
}

/**
 * Runs an operation for one input item after another.
 *
 * @throws NodeOperationError when the credential is incomplete or names no valid company; the error of
 *   a failed item, unless On Error is Continue
 */
export async function runForWebhooks(
	context: IExecuteFunctions,
	run: (item: WebhookItem) => Promise<INodeExecutionData[]>,
): Promise<INodeExecutionData[]> {
	const node = context.getNode();
	const parameters = parameterReader(context);
	const client = await openClient(context);
	const { credential } = client;
	return await runPerItem(context, async (item) => {
		const read = (name: string) => parameters.get(name, item, undefined);
		const companyId = unwrap(node, selectedCompany(credential, asRecord(read('options'))));
		const webhooksOf = (id: number) => companyWebhooksClient(node, client, id);
		const webhooks = webhooksOf(companyId);
		return await run({ item, credential, companyId, webhooks, webhooksOf, read });
	});
}

/** The fields URL and Event of an item. @throws NodeOperationError that names the invalid one */
export function readUrlAndEvent(node: INode, { read }: WebhookItem) {
	const url = unwrap(node, validate(webhookUrlSchema, read('url'), 'URL', {}));
	const event = unwrap(node, validate(eventNameSchema, read('event'), 'Event', {}));
	return { url, event, action: events[event].code };
}
