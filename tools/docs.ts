/**
 * `npm run docs`: writes docs/reference.md, every parameter of the nodes and the credential, from
 * their descriptions. A unit test fails if the file is outdated.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import { projectFolder } from '../playground/n8n/folders';
import { escaped } from './markdown';

/** Where the reference is kept. */
export const referenceFile = join(projectFolder, 'docs', 'reference.md');

/** A parameter as a line of a table. */
interface Row {
	/** The name, with the names of the collections that hold it. */
	path: string;
	/** The label, with those of the collections that hold it. */
	label: string;
	property: INodeProperties;
}

type Shown = Readonly<Record<string, readonly unknown[] | undefined>>;

/** The reference as Markdown: the same text for the same descriptions. */
export function renderReference(nodes: readonly INodeType[], credential: ICredentialType): string {
	return [
		'# Reference',
		'',
		'Every parameter of the nodes and of the credential. Made by `npm run docs` from the code: do not edit it here.',
		'',
		'**Name** is what expressions and saved workflows use; **Label** is what the editor shows. A member of a collection stands below it, as `collection.member`; `[]` marks a group that can be repeated. What is filled in is also checked against the rules of the Delivery Service, before anything is sent.',
		'',
		...nodes.flatMap(({ description }) => nodeSection(description)),
		`## Credential: ${credential.displayName}`,
		'',
		`Type \`${credential.name}\`.`,
		'',
		...parameters(credential.properties),
	].join('\n');
}

function nodeSection({ displayName, name, description, properties }: INodeTypeDescription) {
	const lines = [`## Node: ${displayName}`, '', `Type \`${name}\`. ${description}.`, ''];
	const resources = properties.find((property) => property.name === 'resource');
	if (!resources) return [...lines, ...parameters(properties)];
	return [
		...lines,
		...parameters([resources]),
		...choices(resources).flatMap((resource) => resourceSection(resource, properties)),
	];
}

function resourceSection(resource: INodePropertyOptions, properties: INodeProperties[]) {
	const own = properties.filter((property) => isShownFor(property, 'resource', resource.value));
	const operations = own.filter(({ name }) => name === 'operation');
	return operations
		.flatMap(choices)
		.flatMap((operation) => [
			`### ${resource.name}: ${operation.name}`,
			'',
			`\`resource\` is \`${resource.value}\`, \`operation\` is \`${operation.value}\`. ${operation.description ?? operation.action ?? ''}.`,
			'',
			...parameters(own.filter((property) => isShownFor(property, 'operation', operation.value))),
		]);
}

function isShownFor(property: INodeProperties, name: string, value: unknown): boolean {
	return shownWhen(property)[name]?.includes(value) ?? false;
}

/** The parameters as a table; notices, which hold no value, as sentences before it. */
function parameters(properties: readonly INodeProperties[]): string[] {
	const notices = properties.filter(({ type }) => type === 'notice');
	const rows = merged(properties.filter(({ type }) => type !== 'notice')).flatMap((property) =>
		rowsOf(property, '', ''),
	);
	return [
		...notices.flatMap((notice) => [noticeOf(notice), '']),
		'| Name | Label | Type | Default | Rule |',
		'| --- | --- | --- | --- | --- |',
		...rows.map(({ path, label, property }) =>
			line([code(path), label, typeOf(property), defaultOf(property), ruleOf(property)]),
		),
		'',
	];
}

/** A notice with its condition; of its HTML only the tags are removed. */
function noticeOf(notice: INodeProperties): string {
	const condition = conditionOf(notice);
	const text = escaped(notice.displayName.replace(/<[^>]+>/g, ''));
	return `Notice ${code(notice.name)}${condition && `, shown when ${condition}`}: ${text}`;
}

/** Equal parameters that one condition tells apart, such as the pickup's for two sources, as one. */
function merged(properties: readonly INodeProperties[]): INodeProperties[] {
	const result: INodeProperties[] = [];
	for (const property of properties) {
		const position = result.findIndex((other) => isTwin(other, property));
		const twin = result[position];
		if (twin) result[position] = withBothConditions(twin, property);
		else result.push(property);
	}
	return result;
}

function isTwin(one: INodeProperties, other: INodeProperties): boolean {
	const unconditional = ({ displayOptions, ...rest }: INodeProperties) =>
		JSON.stringify([rest, displayOptions?.hide, Object.keys(displayOptions?.show ?? {})]);
	return unconditional(one) === unconditional(other) && differing(one, other).length === 1;
}

function withBothConditions(one: INodeProperties, other: INodeProperties): INodeProperties {
	const show = { ...one.displayOptions?.show };
	for (const name of differing(one, other))
		show[name] = [...(show[name] ?? []), ...(other.displayOptions?.show?.[name] ?? [])];
	return { ...one, displayOptions: { ...one.displayOptions, show } };
}

/** The names of the conditions whose values are not the same. */
function differing(one: INodeProperties, other: INodeProperties): string[] {
	return Object.keys(shownWhen(one)).filter(
		(name) => JSON.stringify(shownWhen(one)[name]) !== JSON.stringify(shownWhen(other)[name]),
	);
}

function rowsOf(property: INodeProperties, path: string, label: string): Row[] {
	const own = {
		path: path + property.name,
		label: label + escaped(property.displayName),
		property,
	};
	const many = property.typeOptions?.multipleValues ? '[]' : '';
	const members = (property.options ?? []).flatMap((option) => {
		if (isGroup(option))
			return option.values.flatMap((member) =>
				rowsOf(member, `${own.path}.${option.name}${many}.`, `${own.label} › `),
			);
		return isProperty(option) ? rowsOf(option, `${own.path}.`, `${own.label} › `) : [];
	});
	return [own, ...members];
}

function typeOf({ type, typeOptions }: INodeProperties): string {
	return typeOptions?.password ? `${type} (hidden)` : type;
}

function defaultOf({ default: value }: INodeProperties): string {
	const isEmpty = value === '' || (typeof value === 'object' && !Object.keys(value ?? {}).length);
	return isEmpty ? '' : code(typeof value === 'string' ? value : JSON.stringify(value));
}

/** The conditions beside resource and operation, which the headings tell. */
function conditionOf(property: INodeProperties): string {
	const conditions = (options: Shown, verb: string) =>
		Object.entries(options)
			.filter(([name]) => name !== 'resource' && name !== 'operation')
			.map(([name, values]) => `${code(name)} ${verb} ${(values ?? []).map(codeOf).join(' or ')}`);
	return [
		...conditions(shownWhen(property), 'is'),
		...conditions({ ...property.displayOptions?.hide }, 'is not'),
	].join(' and ');
}

function shownWhen({ displayOptions }: INodeProperties): Shown {
	return { ...displayOptions?.show };
}

function ruleOf(property: INodeProperties): string {
	const { required, description, placeholder, typeOptions = {} } = property;
	const { minValue, maxValue, numberPrecision } = typeOptions;
	const values = choices(property).map(({ name, value, description: meaning }) => {
		const text = `${codeOf(value)} (${escaped(name)})`;
		return meaning ? `${text}: ${escaped(meaning)}` : text;
	});
	const modes = (property.modes ?? []).map(({ displayName }) => displayName);
	const example = placeholder?.startsWith('e.g. ') ? placeholder.slice('e.g. '.length) : undefined;
	const condition = conditionOf(property);
	return [
		condition && `Shown when ${condition}.`,
		required && 'Required.',
		description && sentence(escaped(description)),
		minValue !== undefined && `At least ${minValue}.`,
		maxValue !== undefined && `At most ${maxValue}.`,
		numberPrecision === 0 && 'A whole number.',
		values.length > 0 &&
			`${property.type === 'multiOptions' ? 'Any' : 'One'} of:<br>${values.join('<br>')}`,
		modes.length > 0 && `Given by: ${escaped(modes.join(', '))}.`,
		example && `Example: ${code(example)}`,
	]
		.filter(Boolean)
		.join(' ');
}

/** The values to choose from; none where the options are members of a collection. */
function choices({ options = [] }: INodeProperties): INodePropertyOptions[] {
	return options.filter(isChoice);
}

type Option = NonNullable<INodeProperties['options']>[number];

/** Whether an option is a value to choose. */
export function isChoice(option: Option): option is INodePropertyOptions {
	return 'value' in option;
}

/** Whether an option is a group of members. */
export function isGroup(option: Option): option is INodePropertyCollection {
	return 'values' in option;
}

/** Whether an option is a member of a collection. */
export function isProperty(option: Option): option is INodeProperties {
	return 'type' in option;
}

function sentence(text: string): string {
	return /[.!?]$/.test(text) ? text : `${text}.`;
}

function line(cells: string[]): string {
	return `| ${cells.join(' | ')} |`;
}

function code(text: string): string {
	return `\`${text.replace(/\s+/g, ' ').replace(/\|/g, '\\|')}\``;
}

function codeOf(value: unknown): string {
	return code(typeof value === 'string' ? value : JSON.stringify(value));
}

async function main(): Promise<void> {
	// With its extension, since the codex file beside a node would be found before it.
	const { DeliveryService } = await import('../nodes/DeliveryService/DeliveryService.node.js');
	const { DeliveryServiceTrigger } =
		await import('../nodes/DeliveryService/DeliveryServiceTrigger.node.js');
	const { DeliveryServiceApi } = await import('../credentials/DeliveryServiceApi.credentials.js');
	const nodes = [new DeliveryService(), new DeliveryServiceTrigger()];
	await writeFile(referenceFile, renderReference(nodes, new DeliveryServiceApi()));
	console.log('Wrote docs/reference.md.');
}

if (require.main === module) void main();
