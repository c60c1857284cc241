import type { INodeProperties } from 'n8n-workflow';

/** The company, where another than the credential's is meant. */
export const companyIdField: INodeProperties = {
	displayName: 'Company ID',
	name: 'companyId',
	type: 'string',
	default: '',
	placeholder: 'e.g. 42',
	description: 'The company whose webhooks are meant. By default the one in the credential.',
};
