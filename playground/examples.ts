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

/** The examples that the demo and the tests run, by what they do. */
export const examples = {
	orders: 'shopify-orders-to-deliveries',
	updates: 'delivery-updates-to-shopify',
	catchUp: 'catch-up-at-night',
	changes: 'address-changed-in-shopify',
	sheet: 'child-companies-from-a-sheet',
	repair: 'repair-blacklisted-webhooks',
	assistant: 'ask-the-assistant',
} as const;

/** The names of the nodes in examples/ that are looked at. */
export const nodeNames = {
	newOrder: 'New Shopify order',
	createDelivery: 'Create delivery',
	deliveryUpdated: 'Delivery updated',
	createFromSheet: 'Create deliveries',
	tryDelivery: 'Try a delivery',
	sendMissing: 'Send those not sent yet',
	settings: 'Your settings',
} as const;

/** The names of the data tables that the examples keep. */
export const tables = {
	deliveries: 'Shopify deliveries',
	toLookAt: 'Deliveries to look at',
	earlyEvents: 'Early delivery events',
	statuses: 'Delivery statuses seen',
} as const;

/** Stored credentials, as nodes refer to them, by their types. */
export type Credentials = Readonly<Record<string, { id: string; name: string }>>;

/** The types of the credentials of the examples. */
export const credentialTypes = {
	deliveryService: 'deliveryServiceApi',
	shopify: 'shopifyAccessTokenApi',
	languageModel: 'openAiApi',
} as const;

/** What a user fills in: parameters by the name of the node, or for a Set node its fields. */
export type FilledIn = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Who hands the packages over. */
export const pickup = {
	pickupName: 'Larch & Linen',
	pickupEmail: 'warehouse@example.com',
	pickupPhone: '+1 217-555-0100',
	pickupLocationType: 'address',
	pickupAddress: '18 Depot Street, Springfield, IL 62703, United States',
};

/** What the examples leave to their user, filled in for the stand-ins. */
export function filledIn({ credential }: Pick<Shopify, 'credential'>): FilledIn {
	return {
		[nodeNames.createDelivery]: {
			...pickup,
			orderOptions: { fallbackEmail: 'orders@example.com' },
		},
		[nodeNames.createFromSheet]: pickup,
		[nodeNames.tryDelivery]: pickup,
		[nodeNames.settings]: { shop: credential.shopSubdomain },
	};
}

/** Stores the credentials of both stand-ins. Throws an N8nRefusal when n8n takes one for wrong. */
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

/** The names of all examples, which are those of their files. */
export function exampleNames(): string[] {
	return readdirSync(examplesFolder)
		.filter((file) => file.endsWith('.json'))
		.map((file) => file.replace(/\.json$/, ''));
}

/** Gives an example as it is in its file. */
export async function exampleAsItIs(name: string): Promise<WorkflowFile> {
	const text = await readFile(join(examplesFolder, `${name}.json`), 'utf8');
	return workflowFileSchema.parse(JSON.parse(text));
}

/**
 * Gives an example ready to run: as in its file, save for the credentials, what its user fills in,
 * and the identifiers of webhooks, which the editor makes when a file is imported.
 */
export async function readExample(
	name: string,
	credentials: Credentials,
	filled: FilledIn,
): Promise<WorkflowFile> {
	const example = await exampleAsItIs(name);
	return {
		...example,
		nodes: example.nodes.map((node) => {
			const changes = filled[node.name];
			return {
				...node,
				...(changes && { parameters: withChanges(node, changes) }),
				...(node.type.endsWith('Trigger') && { webhookId: randomUUID() }),
				credentials: credentialsFor(node, credentials),
			};
		}),
	};
}

const setParametersShape = z.object({
	assignments: z.object({ assignments: z.array(z.object({ name: z.string() }).passthrough()) }),
});

function withChanges({ type, parameters }: WorkflowNode, changes: FilledIn[string]) {
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
	const [, wanted = parameters.nodeCredentialType] =
		[
			['n8n-nodes-delivery-service.', deliveryService],
			['n8n-nodes-base.shopify', shopify],
			['@n8n/n8n-nodes-langchain.lmChatOpenAi', languageModel],
		].find(([beginning = '']) => type.startsWith(beginning)) ?? [];
	return Object.fromEntries(Object.entries(credentials).filter(([kind]) => kind === wanted));
}
