import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { eventNames, events } from '../service/events';

/** The events as a picker shows them; the saved value is the event's name. */
export const eventOptions: INodePropertyOptions[] = eventNames.map((value) => ({
	name: events[value].name,
	value,
	description: events[value].description,
}));

/** The company, where another than the credential's is meant. */
export const companyIdField: INodeProperties = {
	displayName: 'Company ID',
	name: 'companyId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 42',
	description: 'The company whose webhooks are meant. By default the one in the credential.',
};
