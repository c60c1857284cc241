import type { INode, INodeProperties } from 'n8n-workflow';

import type { ServiceClient } from '../../service/client';
import { selectedCompany } from '../../service/companyOption';
import { apiError, unwrap } from '../../service/nodeErrors';
import {
	companyWebhooksClient,
	listNotFoundProblem,
	type WebhookList,
	type Webhooks,
} from '../../service/webhooks';
import { companyIdField, optionsField } from '../../common/fields';
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
	...optionsField,
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
	const options = collectionParameter(parameters, 'options', item);
	return companyWebhooksClient(
		node,
		client,
		unwrap(node, selectedCompany(client.credential, options)),
	);
}

/**
 * The list of a company that the service knows.
 *
 * @throws NodeApiError when the service responded with 404 instead
 */
export function requireFound(node: INode, listing: WebhookList): WebhookList {
	const { notFoundDetail } = listing;
	if (notFoundDetail === undefined) return listing;
	throw apiError(node, listNotFoundProblem(notFoundDetail), 404);
}
