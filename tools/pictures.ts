/**
 * Which pictures of the editor the pages show, and of what. Beside them stand two digests for each: of
 * the picture, and of what it shows. `npm run docs:images` writes them; a test holds them against the
 * code, so that a picture that is older than what it shows is found out.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { DeliveryServiceApi } from '../credentials/DeliveryServiceApi.credentials';
import { DeliveryService } from '../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../nodes/DeliveryService/DeliveryServiceTrigger.node';
import { projectFolder } from '../playground/n8n/folders';

/** Where the pictures are. */
export const picturesFolder = join(projectFolder, 'docs', 'images');

const digestsFile = join(picturesFolder, 'digests.json');

const digestsSchema = z.record(z.object({ picture: z.string(), shown: z.string() }).strict());

/** The digests of a picture, and of what it showed when it was made. */
export type Digests = z.infer<typeof digestsSchema>;

const action = new DeliveryService().description;
const trigger = new DeliveryServiceTrigger().description;
const credential = new DeliveryServiceApi();

/** An example as far as the canvas shows it: a note shows its text, other nodes their names. */
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

/** The pictures of the examples on the canvas, by the names of their files. */
const canvases = Object.fromEntries(
	readdirSync(join(projectFolder, 'examples'))
		.filter((file) => file.endsWith('.json'))
		.map((file) => [
			`example-${file.replace(/\.json$/, '')}`,
			() => canvasSchema.parse(JSON.parse(read(`examples/${file}`))),
		]),
);

/** What each picture shows: whatever changes there, the picture is to be made anew. */
const shown: Readonly<Record<string, () => unknown>> = {
	...canvases,
	actions: () => [
		[action, trigger].map(({ displayName }) => displayName),
		[...action.properties, ...trigger.properties]
			.filter(({ name }) => ['resource', 'operation', 'events'].includes(name))
			.flatMap(({ options = [] }) => options)
			.map((option) => ('action' in option ? option.action : option.name)),
		icon(),
	],
	credential: () => [credential.displayName, credential.properties.map(inPanel), icon()],
	'shopify-orders': () => [
		action.properties
			.filter(
				(property) =>
					mayBeShownFor(property, 'resource', 'delivery') &&
					mayBeShownFor(property, 'operation', 'create') &&
					mayBeShownFor(property, 'source', 'shopifyOrder') &&
					mayBeShownFor(property, 'pickupLocationType', 'address'),
			)
			.map(inPanel),
		read('playground/shopify/orders.json'),
	],
	'trigger-event': () => [
		trigger.displayName,
		trigger.properties.map(inPanel),
		trigger.triggerPanel,
		icon(),
	],
};

/** What the panel shows of a parameter that nobody points at or opens. */
function inPanel(property: INodeProperties): unknown {
	const { displayName, type, placeholder, hint, required } = property;
	return { displayName, type, placeholder, hint, required, default: property.default };
}

/** The names of the pictures. */
export const pictureNames = Object.keys(shown);

/** Whether no condition keeps a parameter from being shown; one that does not name this is always met. */
function mayBeShownFor({ displayOptions }: INodeProperties, name: string, value: string): boolean {
	return displayOptions?.show?.[name]?.includes(value) ?? true;
}

function icon(): string {
	return read('icons/deliveryService.svg');
}

function read(file: string): string {
	return readFileSync(join(projectFolder, file), 'utf8');
}

/** The digest of what a picture shows now. */
export function digestOfShown(name: string): string {
	const show = shown[name];
	if (!show) throw new Error(`tools/pictures.ts does not say what the picture ${name} shows`);
	return digestOf(JSON.stringify(show()));
}

/** The digest of a file or a text. */
export function digestOf(content: string | Buffer): string {
	return createHash('sha256').update(content).digest('hex');
}

/** The digests that stand beside the pictures. */
export function keptDigests(): Digests {
	return existsSync(digestsFile)
		? digestsSchema.parse(JSON.parse(readFileSync(digestsFile, 'utf8')))
		: {};
}

/** Keeps a picture with its digests. */
export function keepPicture(name: string, picture: Buffer): void {
	const digests = {
		...keptDigests(),
		[name]: { picture: digestOf(picture), shown: digestOfShown(name) },
	};
	writeFileSync(join(picturesFolder, `${name}.png`), picture);
	const sorted = Object.fromEntries(Object.entries(digests).sort());
	writeFileSync(digestsFile, `${JSON.stringify(sorted, null, '\t')}\n`);
}
