import { randomUUID } from 'node:crypto';

import type { WorkflowFile } from '../playground/n8n/client';
import { connection, node } from '../playground/n8n/workflowParts';

type WorkflowNode = WorkflowFile['nodes'][number];
type Credentials = WorkflowNode['credentials'];

const ownNode = 'n8n-nodes-delivery-service.deliveryService';
const ownTrigger = 'n8n-nodes-delivery-service.deliveryServiceTrigger';
const webhookType = 'n8n-nodes-base.webhook';
const webhookVersion = 2.1;
const httpRequestVersion = 4.5;
const chunk = 100;

/** The nodes between the items and the result, in a row. */
export type Sending = WorkflowNode[];

const pickup = {
	contact: { name: 'Main Street Store', email: 'store@example.com', phonenumber: '+1 555 0100' },
	location: { address: '12 Main Street, Springfield, IL 62701, United States' },
};

/** A delivery as in the API documentation, without its reference. */
export const deliveryTemplate = {
	pickup,
	dropoff: {
		contact: { name: 'Maya Okafor', email: 'maya.okafor@example.com', phonenumber: '+12175550101' },
		location: {
			address: {
				streetName: '214 Larkspur Lane',
				city: 'Springfield',
				state: 'Illinois',
				zipcode: '62704',
				country: 'United States',
			},
			lat: '39.7817',
			lng: '-89.6501',
			instructions: 'Ring at the back door',
		},
	},
	packages: [{ name: '#1001', qty: 1, weight: 0.85, size: 'm', price: 54 }],
	tags: ['web', 'gift'],
};

/** The Delivery Service node with deliveries as JSON. */
export function ownFromJson(
	credentials: Credentials,
	{ batchSize, skipAlreadySent = false }: { batchSize?: number; skipAlreadySent?: boolean } = {},
): Sending {
	const parameters = {
		source: 'json',
		deliveryJson: '={{ $json }}',
		skipAlreadySent,
		options: batchSize === undefined ? {} : { batchSize },
	};
	return [own(credentials, parameters)];
}

/** The Delivery Service node with Shopify orders and its default, Skip Already Sent. */
export function ownFromShopify(credentials: Credentials): Sending {
	const parameters = {
		operation: 'createFromOrders',
		order: '={{ $json }}',
		pickupName: pickup.contact.name,
		pickupEmail: pickup.contact.email,
		pickupPhone: pickup.contact.phonenumber,
		pickupLocationType: 'address',
		pickupAddress: pickup.location.address,
		skipAlreadySent: true,
		fallbackEmail: 'orders@example.com',
		options: {},
	};
	return [own(credentials, parameters)];
}

function own(credentials: Credentials, parameters: Record<string, unknown>): WorkflowNode {
	const create = { resource: 'delivery', operation: 'create', ...parameters };
	return { ...node('Create delivery', ownNode, create), credentials };
}

/** n8n's HTTP Request node with one request per item. */
export function httpRequest(url: string, credentials: Credentials): Sending {
	return [http(url, credentials, '={{ { deliveries: [$json] } }}')];
}

/** What an n8n expert would build: Code, HTTP Request and Split Out. */
export function expertChunks(url: string, credentials: Credentials): Sending {
	const jsCode = [
		'const deliveries = $input.all().map(({ json }) => json);',
		'const chunks = [];',
		`for (let from = 0; from < deliveries.length; from += ${chunk}) {`,
		`  chunks.push({ json: { deliveries: deliveries.slice(from, from + ${chunk}) } });`,
		'}',
		'return chunks;',
	].join('\n');
	return [
		{ ...node('Chunks', 'n8n-nodes-base.code', { jsCode }), typeVersion: 2 },
		http(url, credentials, '={{ $json }}'),
		node('Each delivery', 'n8n-nodes-base.splitOut', { fieldToSplitOut: 'payload', options: {} }),
	];
}

function http(url: string, credentials: Credentials, jsonBody: string): WorkflowNode {
	const parameters = {
		method: 'POST',
		url: `${url}/v1/deliveries`,
		authentication: 'genericCredentialType',
		genericAuthType: 'httpBasicAuth',
		sendBody: true,
		specifyBody: 'json',
		jsonBody,
		options: {},
	};
	return {
		...node('HTTP Request', 'n8n-nodes-base.httpRequest', parameters),
		typeVersion: httpRequestVersion,
		credentials,
	};
}

/** A workflow that creates items when its webhook is called, sends them, and returns the result. */
export function sendingWorkflow(path: string, sending: Sending, isSaved: boolean): WorkflowFile {
	const webhook = { httpMethod: 'POST', path, responseMode: 'lastNode', options: {} };
	const nodes = [
		webhookNode('Call', webhook),
		node('Items', 'CUSTOM.benchItems'),
		...sending,
		node('Result', 'CUSTOM.benchResult'),
	];
	return {
		name: path,
		nodes,
		connections: inARow(nodes),
		settings: {
			executionOrder: 'v1',
			saveDataSuccessExecution: isSaved ? 'all' : 'none',
			saveDataErrorExecution: 'none',
		},
	};
}

/** A workflow that starts with the Delivery Service Trigger with its defaults. */
export function ownTriggerWorkflow(name: string, credentials: Credentials): WorkflowFile {
	const parameters = { events: ['updateTask'], options: {} };
	const trigger = {
		...node('Delivery updated', ownTrigger, parameters),
		typeVersion: 2,
		credentials,
		webhookId: randomUUID(),
	};
	return receivingWorkflow(name, trigger);
}

/** A workflow that starts with n8n's Webhook node. */
export function webhookWorkflow(
	path: string,
	authentication: 'none' | 'headerAuth',
	credentials?: Credentials,
): WorkflowFile {
	const parameters = { httpMethod: 'POST', path, authentication, options: {} };
	const webhook = webhookNode('Delivery updated', { ...parameters, responseMode: 'onReceived' });
	return receivingWorkflow(path, { ...webhook, credentials });
}

function receivingWorkflow(name: string, trigger: WorkflowNode): WorkflowFile {
	const nodes = [trigger, node('Done', 'n8n-nodes-base.noOp')];
	return { name, nodes, connections: inARow(nodes), settings: { executionOrder: 'v1' } };
}

function webhookNode(name: string, parameters: Record<string, unknown>): WorkflowNode {
	const webhook = node(name, webhookType, parameters);
	return { ...webhook, typeVersion: webhookVersion, webhookId: randomUUID() };
}

function inARow(nodes: readonly WorkflowNode[]): WorkflowFile['connections'] {
	return Object.fromEntries(
		nodes
			.slice(1)
			.map(({ name }, index) => [nodes[index]?.name ?? '', { main: [[connection(name)]] }]),
	);
}
