/**
 * The editor screenshots in the docs. Each has two digests: of the picture, and of what it shows. With
 * `DOCS_IMAGES=1`, the groups editor and quickStart (`setup-...`) save them. A test compares the digests
 * with the code to find outdated pictures.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { DeliveryServiceApi } from '../../credentials/DeliveryServiceApi.credentials';
import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../../nodes/DeliveryService/DeliveryServiceTrigger.node';
import { projectFolder } from '../../playground/n8n/folders';

/** The folder of the pictures. */
export const picturesFolder = join(projectFolder, 'docs', 'images');

const digestsFile = join(picturesFolder, 'digests.json');

const digestsSchema = z.record(z.object({ picture: z.string(), shown: z.string() }).strict());

/** The digests of a picture, and of what it showed when it was taken. */
export type Digests = z.infer<typeof digestsSchema>;

const action = new DeliveryService().description;
const trigger = new DeliveryServiceTrigger().description;
const credential = new DeliveryServiceApi();

/** The parts of a workflow that the canvas shows: the text of notes, the names of other nodes. */
const canvasSchema = z.object({
	nodes: z.array(
		z.object({
			name: z.string(),
			type: z.string(),
			position: z.array(z.number()),
			parameters: z.object({
				content: z.string().optional(),
				width: z.number().optional(),
				height: z.number().optional(),
			}),
		}),
	),
	connections: z.unknown(),
});

const exampleSchema = z.object({
	nodes: z.array(z.object({ name: z.string(), type: z.string(), parameters: z.unknown() })),
});

/** What each picture shows. If any of it changes, the picture must be retaken. */
const shown: Readonly<Record<string, () => unknown>> = {
	starter: () => canvasSchema.parse(JSON.parse(read('examples/shopify-orders-to-deliveries.json'))),
	'setup-url': () => nodeIn('shopify-webhook-to-deliveries', 'New Shopify Order'),
	'setup-secret': () => nodeIn('shopify-webhook-to-deliveries', 'Compute Signature'),
	'setup-pickup': ordersPanel,
	'setup-smtp': () => nodeIn('shopify-orders-to-deliveries', 'Email the Owner'),
	'setup-email': () => nodeIn('shopify-orders-to-deliveries', 'Email the Owner'),
	'setup-shopify': () => nodeIn('shopify-orders-to-deliveries', 'New Shopify Order'),
	'setup-orders-to-send': () => nodeIn('shopify-orders-to-deliveries', 'Orders to Send'),
	'setup-dry-run': ordersPanel,
	'setup-timezone': () => [],
	credential: () => [credential.displayName, credential.properties.map(inPanel), icon()],
	output: ordersPanel,
	'dry-run': ordersPanel,
	'trigger-event': () => [
		trigger.displayName,
		trigger.properties.map(inPanel),
		trigger.triggerPanel,
		icon(),
	],
};

/** What the panel of an example's node shows. */
function nodeIn(example: string, name: string): unknown {
	const { nodes } = exampleSchema.parse(JSON.parse(read(`examples/${example}.json`)));
	const node = nodes.find((one) => one.name === name);
	if (!node) throw new Error(`examples/${example}.json has no node ${name}`);
	return node;
}

/** What the node with Shopify orders shows. */
function ordersPanel(): unknown {
	return [
		action.properties
			.filter(
				(property) =>
					mayBeShownFor(property, 'resource', 'delivery') &&
					mayBeShownFor(property, 'operation', 'createFromOrders') &&
					mayBeShownFor(property, 'pickupLocationType', 'address'),
			)
			.map(inPanel),
		read('playground/shopify/orders.json'),
	];
}

/** What the panel shows of a parameter that is neither opened nor hovered over. */
function inPanel(property: INodeProperties): unknown {
	const { displayName, type, placeholder, hint, required } = property;
	return { displayName, type, placeholder, hint, required, default: property.default };
}

/** The names of the pictures. */
export const pictureNames = Object.keys(shown);

/** Whether a parameter may be shown for a value. A condition that doesn't mention the name is always met. */
function mayBeShownFor({ displayOptions }: INodeProperties, name: string, value: string): boolean {
	return displayOptions?.show?.[name]?.includes(value) ?? true;
}

function icon(): string {
	return read('icons/deliveryService.svg');
}

function read(file: string): string {
	return readFileSync(join(projectFolder, file), 'utf8');
}

/** Returns the digest of what a picture would show now. Throws an Error for an unknown picture. */
export function digestOfShown(name: string): string {
	const show = shown[name];
	if (!show)
		throw new Error(`test/support/pictures.ts does not say what the picture ${name} shows`);
	return digestOf(JSON.stringify(show()));
}

/** Returns the digest of a file or a text. */
export function digestOf(content: string | Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}

/** Returns the saved digests. */
export function savedDigests(): Digests {
	return existsSync(digestsFile)
		? digestsSchema.parse(JSON.parse(readFileSync(digestsFile, 'utf8')))
		: {};
}

/** Saves a picture with its digests. */
export function savePicture(name: string, picture: Buffer): void {
	const digests = {
		...savedDigests(),
		[name]: { picture: digestOf(picture), shown: digestOfShown(name) },
	};
	writeFileSync(join(picturesFolder, `${name}.png`), picture);
	const sorted = Object.fromEntries(Object.entries(digests).sort());
	writeFileSync(digestsFile, `${JSON.stringify(sorted, null, '\t')}\n`);
}
