import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { workflowFileSchema, type N8nClient, type WorkflowFile } from './n8n/client';
import { projectFolder } from './n8n/folders';
import type { LocalService } from './service/server';
import type { Shopify } from './shopify/server';

type WorkflowNode = WorkflowFile['nodes'][number];

const examplesFolder = join(projectFolder, 'examples');

/** The file names of the examples that the demo and the tests run. */
export const examples = {
	orders: 'shopify-orders-to-deliveries',
	updates: 'delivery-updates-to-shopify',
	catchUp: 'catch-up-at-night',
	changes: 'address-changed-in-shopify',
	webhook: 'shopify-webhook-to-deliveries',
	sheet: 'child-companies-from-a-sheet',
	repair: 'repair-blacklisted-webhooks',
	assistant: 'ask-the-assistant',
} as const;

/** The names of the nodes in examples/ that the demo and the tests use. */
export const nodeNames = {
	newOrder: 'New Shopify order',
	computeSignature: 'Compute signature',
	createDelivery: 'Create delivery',
	deliveryUpdated: 'Delivery updated',
	createFromSheet: 'Create deliveries',
	tryDelivery: 'Try a delivery',
	sendMissing: 'Send those not sent yet',
	settings: 'Your settings',
} as const;

/** The names of the data tables of the examples. */
export const tables = {
	deliveries: 'Shopify deliveries',
	toLookAt: 'Deliveries to look at',
	earlyEvents: 'Early delivery events',
	statuses: 'Delivery statuses seen',
} as const;

/** Stored credentials by type, as nodes refer to them. */
export type Credentials = Readonly<Record<string, { id: string; name: string }>>;

/** The credential types of the examples. */
export const credentialTypes = {
	deliveryService: 'deliveryServiceApi',
	shopify: 'shopifyAccessTokenApi',
	languageModel: 'openAiApi',
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

/** The values that a user enters in the examples, for the stand-ins. */
export function filledIn({ credential }: Pick<Shopify, 'credential'>): FilledIn {
	return {
		[nodeNames.createDelivery]: {
			...pickup,
			orderOptions: { fallbackEmail: 'orders@example.com' },
		},
		[nodeNames.computeSignature]: { secret: credential.appSecretKey },
		[nodeNames.createFromSheet]: pickup,
		[nodeNames.tryDelivery]: pickup,
		[nodeNames.settings]: { shop: credential.shopSubdomain },
	};
}

/** Stores the credentials of both stand-ins. Throws an N8nRejection if n8n rejects one. */
export async function storeCredentials(
	client: N8nClient,
	service: Pick<LocalService, 'credential'>,
	shopify: Pick<Shopify, 'credential'>,
): Promise<Credentials> {
	const { deliveryService, shopify: shop } = credentialTypes;
	const store = async (type: string, name: string, data: object) => ({
		[type]: { id: await client.createCredential(name, type, data), name },
	});
	return {
		...(await store(deliveryService, 'Local service', service.credential)),
		...(await store(shop, 'Larch & Linen', shopify.credential)),
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
				...(isStartedByRequest(node) && { webhookId: randomUUID() }),
				credentials: credentialsFor(node, credentials),
			};
		}),
	};
}

function isStartedByRequest({ type }: WorkflowNode): boolean {
	return type.endsWith('Trigger') || type === 'n8n-nodes-base.webhook';
}

const setParametersShape = z.object({
	assignments: z.object({ assignments: z.array(z.object({ name: z.string() }).passthrough()) }),
});

function applyChanges({ type, parameters }: WorkflowNode, changes: FilledIn[string]) {
	if (type !== 'n8n-nodes-base.set') return { ...parameters, ...changes };
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
	const { deliveryService, shopify, languageModel } = credentialTypes;
	const [, credentialType = parameters.nodeCredentialType] =
		[
			['n8n-nodes-delivery-service.', deliveryService],
			['n8n-nodes-base.shopify', shopify],
			['@n8n/n8n-nodes-langchain.lmChatOpenAi', languageModel],
		].find(([prefix = '']) => type.startsWith(prefix)) ?? [];
	return Object.fromEntries(Object.entries(credentials).filter(([key]) => key === credentialType));
}
