/** The node Delivery Service: its panel, and the operation that a run selects. */
import {
	NodeConnectionTypes,
	NodeOperationError,
	type IExecuteFunctions,
	type INodeExecutionData,
	type INodeType,
	type INodeTypeDescription,
} from 'n8n-workflow';

import { allowResending } from './operations/allowResending';
import { createDelivery, createFromOrders } from './operations/create';
import { withErrorItems } from './operations/items';
import { resourceProperties, type Operation, type Resource } from './operations/resource';
import { updateDelivery } from './operations/update';
import { createWebhook } from './operations/webhook/create';
import { deleteWebhook } from './operations/webhook/delete';
import { getManyWebhooks } from './operations/webhook/getMany';
import { reactivateWebhooks } from './operations/webhook/reactivate';
import { testConnection } from './service/credentialTest';

const resources: Resource[] = [
	{
		option: { name: 'Delivery', value: 'delivery' },
		operations: [createFromOrders, createDelivery, allowResending, updateDelivery],
		defaultOperation: createFromOrders.option.value,
	},
	{
		option: { name: 'Webhook', value: 'webhook' },
		operations: [createWebhook, deleteWebhook, getManyWebhooks, reactivateWebhooks],
		defaultOperation: getManyWebhooks.option.value,
	},
];

export class DeliveryService implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Delivery Service',
		name: 'deliveryService',
		icon: {
			light: 'file:../../icons/deliveryService.svg',
			dark: 'file:../../icons/deliveryService.dark.svg',
		},
		group: ['output'],
		version: 1,
		// E.g. "create from orders: delivery". A Dry Run comes first, since n8n cuts off long subtitles.
		subtitle:
			'={{ ($parameter["operation"].startsWith("create") && $parameter["options"]?.dryRun ? "Dry Run: " : "") + $parameter["operation"].replace(/[A-Z]/g, (letter) => " " + letter.toLowerCase()) + ": " + $parameter["resource"] }}',
		description: 'Create deliveries from Shopify orders, update deliveries and manage webhooks',
		// For n8n's AI builder and MCP server.
		builderHint: {
			searchHint:
				'Use one node with Create From Shopify Orders for each shop, connect every trigger to it, and leave Skip Already Sent on: a workflow remembers only what it sent itself. Set On Error to continue with the error output and email its items, without Retry On Fail.',
			relatedNodes: [
				{ nodeType: 'n8n-nodes-base.shopifyTrigger', relationHint: 'Starts with a new order' },
				{ nodeType: 'n8n-nodes-base.emailSend', relationHint: 'Emails the owner what failed' },
			],
		},
		defaults: { name: 'Delivery Service' },
		usableAsTool: true,
		inputs: [NodeConnectionTypes.Main],
		outputs: [NodeConnectionTypes.Main],
		credentials: [
			{ name: 'deliveryServiceApi', required: true, testedBy: 'deliveryServiceConnectionTest' },
		],
		properties: [
			{
				displayName: 'Resource',
				name: 'resource',
				type: 'options',
				noDataExpression: true,
				options: resources.map(({ option }) => option),
				default: 'delivery',
			},
			...resources.flatMap(resourceProperties),
		],
	};

	methods = { credentialTest: { deliveryServiceConnectionTest: testConnection } };

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		return [await withErrorItems(this, async () => await selectedOperation(this).run(this))];
	}
}

/** @throws NodeOperationError when an imported workflow contains an unknown operation */
function selectedOperation(context: IExecuteFunctions): Operation {
	const resource = context.getNodeParameter('resource', 0);
	const operation = context.getNodeParameter('operation', 0);
	const selected = resources
		.find(({ option }) => option.value === resource)
		?.operations.find(({ option }) => option.value === operation);
	if (selected) return selected;
	throw new NodeOperationError(
		context.getNode(),
		`The resource "${String(resource)}" has no operation "${String(operation)}"`,
		{ description: 'Select a resource and an operation in the node.' },
	);
}
