import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { projectFolder } from '../n8n/folders';
import { workflowFileSchema, type WorkflowFile } from '../n8n/client';

type WorkflowNode = WorkflowFile['nodes'][number];

const ownNodes = 'n8n-nodes-delivery-service.';

/** The names of the nodes in examples/ that are looked at. */
export const nodeNames = {
	newOrder: 'New Shopify order',
	createDelivery: 'Create delivery',
	deliveryUpdated: 'Delivery updated',
	deliveryStatus: 'Delivery status',
};

/** What the example leaves to its user: who hands the packages over, and an e-mail address. */
const ownSettings = {
	pickupName: 'Larch & Linen',
	pickupEmail: 'warehouse@example.com',
	pickupPhone: '+1 217-555-0100',
	pickupLocationType: 'address',
	pickupAddress: '18 Depot Street, Springfield, IL 62703, United States',
	orderOptions: { fallbackEmail: 'orders@example.com' },
};

/** A stored credential, as a node refers to it. */
export interface CredentialReference {
	id: string;
	name: string;
}

/** What is different where no shop is connected, by the node's name. */
const withoutShop: Record<string, Partial<WorkflowNode>> = {
	'How to set up': {
		parameters: {
			content:
				'## Shopify orders to deliveries\n' +
				'This is the example of the same name. In place of a shop, the sample orders are pinned to ' +
				'**New Shopify order**.\n\nPress **Execute workflow**, then open **Create delivery**.',
			width: 560,
			height: 180,
		},
	},
	[nodeNames.newOrder]: { type: 'n8n-nodes-base.manualTrigger', parameters: {} },
};

/**
 * Gives the example "Shopify orders to deliveries" ready to run: with a credential, a pickup, and
 * the sample orders pinned to its trigger in place of a shop.
 */
export async function ordersWorkflow(
	credential: CredentialReference,
	orders: object[],
): Promise<WorkflowFile> {
	const example = await readExample('shopify-orders-to-deliveries.json', credential);
	return {
		...example,
		nodes: example.nodes.map((node) => ({
			...node,
			...withoutShop[node.name],
			...(node.name === nodeNames.createDelivery && {
				parameters: { ...node.parameters, ...ownSettings },
			}),
		})),
		pinData: { [nodeNames.newOrder]: orders.map((json) => ({ json })) },
	};
}

/** Gives the example "Delivery updates" with a credential. */
export async function updatesWorkflow(credential: CredentialReference): Promise<WorkflowFile> {
	return await readExample('delivery-updates.json', credential);
}

async function readExample(file: string, credential: CredentialReference): Promise<WorkflowFile> {
	const text = await readFile(join(projectFolder, 'examples', file), 'utf8');
	const example = workflowFileSchema.parse(JSON.parse(text));
	const credentials = { deliveryServiceApi: credential };
	return {
		...example,
		nodes: example.nodes.map((node) =>
			node.type.startsWith(ownNodes) ? { ...node, credentials } : node,
		),
	};
}
