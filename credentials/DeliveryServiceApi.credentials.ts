import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/**
 * Access to the Delivery Service: HTTP Basic with an API key (service document, section 5). The
 * nodes test it by listing the company's webhooks.
 */
export class DeliveryServiceApi implements ICredentialType {
	name = 'deliveryServiceApi';

	displayName = 'Delivery Service API';

	icon: Icon = {
		light: 'file:../icons/deliveryService.svg',
		dark: 'file:../icons/deliveryService.dark.svg',
	};

	documentationUrl =
		'https://github.com/delivery-service-integrations/n8n-nodes-delivery-service#credentials';

	properties: INodeProperties[] = [
		{
			displayName: 'Base URL',
			name: 'baseUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. https://api.delivery-service.example',
			description:
				'The address of the Delivery Service. It starts with https:// or http://, and has no path of an endpoint.',
		},
		{
			displayName: 'API Key ID',
			name: 'apiKeyId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. key_4f2a',
			description: 'You find it in the dashboard of the Delivery Service',
		},
		{
			displayName: 'API Secret',
			name: 'apiSecret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'The secret that belongs to the API key',
		},
		{
			displayName: 'Company ID',
			name: 'companyId',
			// Not a number field: those are never empty, so that a forgotten one would hold some
			// company's number.
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 1001',
			description:
				'The number of your own company on the Delivery Service. Webhooks, the trigger, the connection test and skipping what was sent need it.',
		},
	];

	authenticate: IAuthenticateGeneric = {
		type: 'generic',
		properties: {
			auth: {
				username: '={{$credentials.apiKeyId.trim()}}',
				password: '={{$credentials.apiSecret}}',
			},
		},
	};
}
