/** The node Delivery Service Trigger: its panel, and what n8n calls. */
import {
	NodeConnectionTypes,
	type IHookFunctions,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';

import { testConnection } from './service/credentialTest';
import { properties, subtitle, triggerPanel, webhooks } from './trigger/description';
import { subscribe, unsubscribeAll } from './trigger/lifecycle';
import { receive } from './trigger/receive';

export class DeliveryServiceTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Delivery Service Trigger',
		name: 'deliveryServiceTrigger',
		icon: {
			light: 'file:../../icons/deliveryService.svg',
			dark: 'file:../../icons/deliveryService.dark.svg',
		},
		group: ['trigger'],
		// For version 1, n8n evaluates an expression and parses every body on each webhook call.
		version: 2,
		subtitle,
		// n8n shows this as the description of the whole package.
		description:
			'Starts the workflow when a delivery or route is created or a delivery is updated. Actions: create deliveries from Shopify orders, update deliveries',
		eventTriggerDescription:
			'Waiting for an event: create a delivery or route, or update a delivery',
		builderHint: {
			searchHint:
				'Starts on events of the Delivery Service, not of Shopify: use the Shopify Trigger for new orders. An event has the ID of its delivery and nothing about the order.',
		},
		activationMessage: 'The selected events now trigger this workflow automatically.',
		defaults: { name: 'Delivery Service Trigger' },
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'deliveryServiceApi', required: true, testedBy: 'deliveryServiceConnectionTest' },
		],
		webhooks,
		triggerPanel,
		properties,
	};

	methods = { credentialTest: { deliveryServiceConnectionTest: testConnection } };

	webhookMethods = {
		default: {
			/** `create` keeps what exists. */
			checkExists: async () => await Promise.resolve(false),
			async create(this: IHookFunctions): Promise<boolean> {
				return await subscribe(this);
			},
			async delete(this: IHookFunctions): Promise<boolean> {
				return await unsubscribeAll(this);
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		return await receive(this);
	}
}
