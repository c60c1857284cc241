import type { IExecuteFunctions, INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import type { ServiceClient } from '../../service/client';
import { eventNames, events } from '../../service/events';
import { webhooksOf, type Webhooks } from '../../service/webhooks';
import { readCollection } from '../../shared/parameters';

/** The events as a picker shows them; the saved value is the event's name. */
export const eventOptions: INodePropertyOptions[] = eventNames.map((value) => ({
	name: events[value].name,
	value,
	description: events[value].description,
}));

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

/** The company, where another than the credential's is meant. */
export const companyIdField: INodeProperties = {
	displayName: 'Company ID',
	name: 'companyId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 42',
	description: 'The company whose webhooks are meant. By default the one in the credential.',
};

/** The options that every webhook operation has. */
export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
	options: [companyIdField],
};

/** The subscriptions of the company in an item's options, else of the credential's. */
export function companyWebhooks(
	context: IExecuteFunctions,
	client: ServiceClient,
	item: number,
): Webhooks {
	const { companyId } = readCollection(context, 'options', item);
	return webhooksOf(context.getNode(), client, companyId);
}
