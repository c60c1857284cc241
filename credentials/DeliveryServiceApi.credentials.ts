/** The credential of the nodes: what users enter, and how n8n signs in with it. */
import type { IAuthenticateGeneric, Icon, ICredentialType, INodeProperties } from 'n8n-workflow';

/**
 * Access to the Delivery Service: HTTP Basic authentication with an API key (docs/api.md, section 5). The
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
				'The API URL of the Delivery Service, without an endpoint path such as /v1/deliveries. With http:// instead of https://, the API secret is sent unencrypted.',
		},
		{
			displayName: 'API Key ID',
			name: 'apiKeyId',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. key_4f2a',
			description: 'From the Delivery Service',
		},
		{
			displayName: 'API Secret',
			name: 'apiSecret',
			type: 'string',
			typeOptions: { password: true },
			required: true,
			default: '',
			description: 'The secret of the API key',
		},
		{
			displayName: 'Company ID',
			name: 'companyId',
			// Not a number field: it is never empty, so a forgotten one would contain another company's ID.
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. 1001',
			description:
				"Your company's ID in the Delivery Service. Webhooks, the trigger and the connection test use it.",
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
