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
	description: 'The event that the URL is called for',
};

export const urlField: INodeProperties = {
	displayName: 'URL',
	name: 'url',
	type: 'string',
	required: true,
	default: '',
	placeholder: 'e.g. https://example.com/delivery-events',
	description: 'The URL that the Delivery Service calls when the event occurs',
};

/** The options of every webhook operation. */
export const webhookOptionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [companyIdField],
};

/**
 * The subscriptions of the company in the options of an item, or else in the credential.
 *
 * @throws NodeOperationError when neither names a valid company
 */
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

/** Explains a 404 response to listing webhooks, including the service's own message. */
export function noWebhooksMessage(serviceMessage: string): string {
	return endSentence(
		`The company has no webhooks yet, or the Company ID or the Base URL is wrong. ${serviceMessage}`.trim(),
	);
}
