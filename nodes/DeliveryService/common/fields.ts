import type { INodeProperties } from 'n8n-workflow';

/** The collection of an operation's or a node's options. */
export const optionsField: INodeProperties = {
	displayName: 'Options',
	name: 'options',
	type: 'collection',
	placeholder: 'Add Option',
	default: {},
};

/** The company to use instead of the credential's. */
export const companyIdField: INodeProperties = {
	displayName: 'Company ID',
	name: 'companyId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 42',
	description:
		'The company whose webhooks to manage. Remove this option to use the one in the credential.',
};
