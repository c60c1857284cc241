import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { workflowFileSchema, type N8nClient, type WorkflowFile } from './n8n/client';
import { projectFolder } from './n8n/folders';
import type { Mailbox } from './mailbox/mailbox';
import type { LocalService } from './service/server';
import type { Shopify } from './shopify/server';

type WorkflowNode = WorkflowFile['nodes'][number];

const examplesFolder = join(projectFolder, 'examples');

/** The file names of the examples that the demo and the tests run. */
export const examples = {
	starter: 'shopify-orders-to-deliveries',
	table: 'set-up-deliveries-table',
	orders: 'fulfillment-orders-to-deliveries',
	updates: 'delivery-updates-to-shopify',
	catchUp: 'catch-up-at-night',
	webhook: 'shopify-webhook-to-deliveries',
	sheet: 'child-companies-from-a-sheet',
	repair: 'repair-blacklisted-webhooks',
	renewToken: 'renew-the-shopify-token',
	report: 'morning-report',
	assistant: 'ask-the-assistant',
} as const;

/** The names of the nodes in examples/ that the demo and the tests use. */
export const nodeNames = {
	newOrder: 'New Shopify Order',
	settings: 'Settings',
	createDelivery: 'Create Delivery',
	fromCatchUp: 'From "Catch up at night"',
	addToTable: 'Add to Table',
	saveResult: 'Save Result',
	createTable: 'Run Once',
	everyNight: 'Every Night',
	createMissed: 'Create Missed Deliveries',
	computeSignature: 'Compute Signature',
	createFromSheet: 'Create Deliveries',
	previewDelivery: 'Preview a Delivery',
	emailOwner: 'Email the Owner',
	twiceADay: 'Twice a Day',
	ordersToSend: 'Orders to Send',
	allowAgain: 'Allow an Order Again',
	allowResending: 'Allow Resending',
	getOrder: 'Get Order',
	sendOneOrder: 'Send One Order',
	everyTwelveHours: 'Every 12 Hours',
	orderToSend: 'Order to Send',
	requestToken: 'Request Token',
	updateCredential: 'Update Credential',
	everyMorning: 'Every Morning',
	getExecutions: 'Get Executions',
} as const;

/** The name of the data table of the examples. */
export const deliveriesTable = 'Deliveries';

/** Stored credentials by type, as nodes refer to them. */
export type Credentials = Readonly<Record<string, { id: string; name: string }>>;

/** The credential types of the examples. */
export const credentialTypes = {
	deliveryService: 'deliveryServiceApi',
	shopify: 'shopifyAccessTokenApi',
	shopifyApp: 'shopifyOAuth2Api',
	languageModel: 'openAiApi',
	email: 'smtp',
	n8n: 'n8nApi',
} as const;

/** What a user fills in: by node name, the parameters, or the fields of a Set node. */
export type FilledIn = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** The pickup of the sample shop. */
export const pickup = {
	pickupName: 'Larch & Linen',
	pickupEmail: 'warehouse@example.com',
	pickupPhone: '+1 217-555-0100',
	pickupLocationType: 'address',
	pickupAddress: '18 Depot Street, Springfield, IL 62703, United States',
};

/** Where the locations of the sample shop hand over their packages. */
const pickupByLocation = {
	entry: [{ shopifyLocation: 'Harbor Warehouse', pickupType: 'warehouse', warehouse: '7' }],
	others: [{ pickupType: 'address', address: pickup.pickupAddress }],
};

/** The nodes that call Shopify's GraphQL API. */
const shopifyRequests = [
	'Get Order',
	'Get Open Fulfillment Orders',
	'Get Changed Orders',
	'Check',
	'Show',
];

/** The values that a user enters in the examples, for the stand-ins. */
export function filledIn({
	credential,
	webhooks,
}: Pick<Shopify, 'credential' | 'webhooks'>): FilledIn {
	const url = `https://${credential.shopSubdomain}.myshopify.com/admin/api/2026-10/graphql.json`;
	return {
		[nodeNames.createDelivery]: {
			...pickup,
			pickupDetails: { pickupByLocation },
			fallbackEmail: 'orders@example.com',
			options: { dryRun: false },
		},
		[nodeNames.computeSignature]: { secret: webhooks.adminKey },
		[nodeNames.createFromSheet]: pickup,
		[nodeNames.previewDelivery]: pickup,
		...Object.fromEntries(shopifyRequests.map((name) => [name, { url }])),
		[nodeNames.emailOwner]: { fromEmail: 'shop@example.com', toEmail: 'owner@example.com' },
	};
}

/** The servers that the credentials are for. */
export interface Servers {
	readonly service: Pick<LocalService, 'credential'>;
	readonly shopify: Pick<Shopify, 'credential' | 'app'>;
	readonly mailbox: Pick<Mailbox, 'credential'>;
}

/** Stores the credentials of all stand-ins. Throws an N8nRejection if n8n rejects one. */
export async function storeCredentials(
	client: N8nClient,
	{ service, shopify, mailbox }: Servers,
): Promise<Credentials> {
	const { deliveryService, shopify: shop, shopifyApp, email, n8n } = credentialTypes;
	const store = async (type: string, name: string, data: object) => ({
		[type]: { id: await client.createCredential(name, type, data), name },
	});
	const { shopSubdomain } = shopify.credential;
	const { clientId, clientSecret } = shopify.app;
	const appCredential = { shopSubdomain, clientId, clientSecret };
	const connected = await store(shopifyApp, 'Larch & Linen (app)', appCredential);
	const { id = '' } = connected[shopifyApp] ?? {};
	await client.connectOAuth(id, (url) => shopify.app.authorize(url.searchParams));
	return {
		...connected,
		...(await store(deliveryService, 'Local service', service.credential)),
		...(await store(shop, 'Larch & Linen', shopify.credential)),
		...(await store(email, 'Local mailbox', mailbox.credential)),
		...(await store(n8n, 'This n8n', client.apiCredential)),
	};
}

/** The names of all example files, without the extension. */
export function exampleNames(): string[] {
	return readdirSync(examplesFolder)
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace(/\.json$/, ''));
}

/** Returns an example unchanged. */
export async function readExampleFile(name: string): Promise<WorkflowFile> {
	const text = await readFile(join(examplesFolder, `${name}.json`), 'utf8');
	return workflowFileSchema.parse(JSON.parse(text));
}

/**
 * Returns an example that is ready to run: with credentials, the values that a user fills in, and the
 * webhook IDs that the editor generates on import.
 */
export async function readExample(
	name: string,
	credentials: Credentials,
	filled: FilledIn,
): Promise<WorkflowFile> {
	const example = await readExampleFile(name);
	return {
		...example,
		nodes: example.nodes.map((node) => {
			const changes = filled[node.name];
			return {
				...node,
				...(changes && { parameters: applyChanges(node, changes) }),
				...(isStartedByRequest(node) && newWebhook(node)),
				credentials: credentialsFor(node, credentials),
			};
		}),
	};
}

function isStartedByRequest({ type }: WorkflowNode): boolean {
	return type.endsWith('Trigger') || type === 'n8n-nodes-base.webhook';
}

/** What the editor generates when a node is pasted: a webhook ID, which is also an empty path. */
function newWebhook({ parameters }: WorkflowNode) {
	const webhookId = randomUUID();
	return {
		webhookId,
		...(parameters.path === '' && { parameters: { ...parameters, path: webhookId } }),
	};
}

const optionsShape = z.record(z.unknown()).optional();
const setParametersShape = z.object({
	assignments: z.object({ assignments: z.array(z.object({ name: z.string() }).passthrough()) }),
});

function applyChanges({ name, type, parameters }: WorkflowNode, changes: FilledIn[string]) {
	// The starter's node of this name has no URL.
	if (name === nodeNames.getOrder && !('url' in parameters)) return parameters;
	if (type !== 'n8n-nodes-base.set') {
		const [own, changed] = [parameters, changes].map(({ options }) => optionsShape.parse(options));
		return {
			...parameters,
			...changes,
			...(own && changed && { options: { ...own, ...changed } }),
		};
	}
	const { assignments } = setParametersShape.parse(parameters).assignments;
	return {
		...parameters,
		assignments: {
			assignments: assignments.map((one) =>
				one.name in changes ? { ...one, value: changes[one.name] } : one,
			),
		},
	};
}

function credentialsFor({ type, parameters }: WorkflowNode, credentials: Credentials): Credentials {
	const { deliveryService, shopify, shopifyApp, languageModel, email, n8n } = credentialTypes;
	const { nodeCredentialType, genericAuthType = nodeCredentialType } = parameters;
	const [, credentialType = genericAuthType] =
		[
			['n8n-nodes-delivery-service.', deliveryService],
			['n8n-nodes-base.shopify', parameters.authentication === 'oAuth2' ? shopifyApp : shopify],
			['@n8n/n8n-nodes-langchain.lmChatOpenAi', languageModel],
			['n8n-nodes-base.emailSend', email],
			['n8n-nodes-base.n8n', n8n],
		].find(([prefix = '']) => type.startsWith(prefix)) ?? [];
	return Object.fromEntries(Object.entries(credentials).filter(([key]) => key === credentialType));
}
