import type { INode, INodeProperties } from 'n8n-workflow';

import type { ServiceClient } from '../../service/client';
import { resolveCompanyId } from '../../service/credential';
import { unwrap } from '../../service/nodeErrors';
import { companyWebhooksClient, type Webhooks } from '../../service/webhooks';
import { endSentence } from '../items';
import { companyIdField } from '../../common/fields';
import { eventOptions } from '../../service/events';
import { collectionParameter, type ParameterReader } from '../../common/parameters';

export const eventField: INodeProperties = {
	displayName: 'Event',
	name: 'event',
	type: 'options',
	options: eventOptions,
	default: 'updateTask',
	description: 'What the Delivery Service calls the URL for',
};

export const urlField: INodeProperties = {
	displayName: 'URL',
	name: 'url',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://example.com/delivery-events',
	description: 'The address that the Delivery Service calls',
};

/** The options that every webhook operation has. */
export const webhookOptionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [companyIdField],
};

/** The subscriptions of the company in an item's options, else of the credential's. */
export function companyWebhooks(
	node: INode,
	parameters: ParameterReader,
	client: ServiceClient,
	item: number,
): Webhooks {
	const { companyId } = collectionParameter(parameters, 'options', item);
	return companyWebhooksClient(
		node,
		client,
		unwrap(node, resolveCompanyId(client.credential, companyId)),
	);
}

/** What it means when the service answers 404 to a listing, with what it said itself. */
export function nothingListedMessage(said: string): string {
	return endSentence(
		`The Delivery Service found nothing to list: the company has no webhooks yet, or the Company ID or the Base URL is wrong. ${said}`.trim(),
	);
}
