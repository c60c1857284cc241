/** What the nodes and the credential show of themselves in the editor. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
	ICredentialType,
	INodeProperties,
	INodePropertyCollection,
	INodePropertyOptions,
	INodeType,
} from 'n8n-workflow';

import { DeliveryServiceApi } from '../../credentials/DeliveryServiceApi.credentials';
import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../../nodes/DeliveryService/DeliveryServiceTrigger.node';
import manifest from '../../package.json';
import { projectFolder } from '../../playground/n8n/folders';
import { isChoice, isGroup, isProperty } from '../../tools/docs';
import { runNode } from '../support/engine/engine';

type Entry = INodeProperties | INodePropertyCollection | INodePropertyOptions;

/** The lists of properties that the editor shows together: the node's own and those in groups. */
function listsOf(properties: INodeProperties[]): INodeProperties[][] {
	const entries = properties.flatMap<Entry>(({ options = [] }) => options);
	return [
		properties,
		...properties
			.filter(({ type }) => type === 'collection')
			.flatMap(({ options = [] }) => listsOf(options.filter(isProperty))),
		...entries.filter(isGroup).flatMap(({ values }) => listsOf(values)),
	];
}

/** Whether two properties may be shown at once: no condition of theirs excludes the other's. */
function mayMeet(one: INodeProperties, other: INodeProperties): boolean {
	const shown = one.displayOptions?.show ?? {};
	return Object.entries(other.displayOptions?.show ?? {}).every(([name, values = []]) => {
		const wanted = shown[name];
		return !wanted || values.some((value) => wanted.some((another) => another === value));
	});
}

const isSorted = (names: string[]) =>
	names.every((name, index) => index === 0 || (names[index - 1] ?? '').localeCompare(name) <= 0);

const credential = new DeliveryServiceApi();
const action = new DeliveryService();
const trigger = new DeliveryServiceTrigger();

const nodes: Array<[string, INodeType]> = [
	['the action node', action],
	['the trigger', trigger],
];
const holders: Array<[string, INodeProperties[]]> = [
	...nodes.map(([name, { description }]): [string, INodeProperties[]] => [
		name,
		description.properties,
	]),
	['the credential', credential.properties],
];

describe('the names that saved workflows hold', () => {
	const optionsOf = (name: string, resource?: string) =>
		action.description.properties
			.filter((property) => property.name === name)
			.filter(
				(property) => !resource || property.displayOptions?.show?.resource?.includes(resource),
			)
			.flatMap(({ options = [] }) => options.filter(isChoice).map(({ value }) => value));

	test('are the agreed ones', () => {
		expect(credential.name).toBe('deliveryServiceApi');
		expect(credential.properties.map(({ name }) => name)).toEqual([
			'baseUrl',
			'apiKeyId',
			'apiSecret',
			'companyId',
		]);
		// What the user does not enter must be seen to be missing.
		expect(credential.properties.map((field) => [field.default, field.required])).toEqual(
			credential.properties.map(() => ['', true]),
		);
		expect(action.description.name).toBe('deliveryService');
		expect(trigger.description.name).toBe('deliveryServiceTrigger');
		expect(optionsOf('resource')).toEqual(['delivery', 'webhook']);
		expect(optionsOf('operation', 'delivery')).toEqual(
			expect.arrayContaining(['create', 'update']),
		);
		expect(optionsOf('operation', 'webhook')).toEqual(
			expect.arrayContaining(['create', 'delete', 'getAll']),
		);
		expect(optionsOf('source').sort()).toEqual(['defineBelow', 'json', 'shopifyOrder']);
		const events = trigger.description.properties.find(({ name }) => name === 'events');
		expect(events?.type).toBe('multiOptions');
		expect(events?.options?.filter(isChoice).map(({ value }) => value)).toEqual([
			'createTask',
			'createRoute',
			'updateTask',
		]);
	});
});

describe.each(holders)('the parameters of %s', (_name, properties) => {
	const lists = listsOf(properties);
	const all = lists.flat();

	test('have names of their own wherever they are shown together', () => {
		const twins = lists.flatMap((list) =>
			list.flatMap((property, index) =>
				list
					.slice(index + 1)
					.filter((other) => other.name === property.name && mayMeet(property, other))
					.map(({ name }) => name),
			),
		);

		expect(all.length).toBeGreaterThan(3);
		expect(twins).toEqual([]);
	});

	test('depend only on parameters and values that exist', () => {
		const missing = lists.flatMap((list) =>
			list.flatMap(({ name, displayOptions }) =>
				Object.entries(displayOptions?.show ?? {}).flatMap(([on, values = []]) => {
					const deciding = [...list, ...properties].filter((property) => property.name === on);
					const possible = deciding.flatMap(({ type, options = [] }): unknown[] =>
						type === 'boolean' ? [true, false] : options.filter(isChoice).map(({ value }) => value),
					);
					return values
						.filter((value) => !possible.includes(value))
						.map((value) => `${name}: ${on} = ${JSON.stringify(value)}`);
				}),
			),
		);

		expect(missing).toEqual([]);
	});

	test('have defaults that can be chosen', () => {
		const strange = all.filter(({ type, options = [], default: value }) => {
			const possible: unknown[] = options.filter(isChoice).map((option) => option.value);
			if (type === 'options') return !possible.includes(value);
			if (type === 'multiOptions')
				return !Array.isArray(value) || value.some((chosen) => !possible.includes(chosen));
			return value === undefined;
		});

		expect(strange.map(({ name }) => name)).toEqual([]);
	});

	test('are sorted by label in collections, as are long lists of options', () => {
		const unsorted = all.filter(({ name, type, options = [] }) => {
			if (type === 'collection')
				return !isSorted(options.filter(isProperty).map(({ displayName }) => displayName));
			const labels = options.filter(isChoice).map((option) => option.name);
			// Sizes go from small to large.
			const isSize = /size$/i.test(name);
			return (name === 'operation' || labels.length >= 5) && !isSize && !isSorted(labels);
		});

		expect(unsorted.map(({ name }) => name)).toEqual([]);
	});

	test('have examples for placeholders', () => {
		const texts = all.filter(({ type }) => type === 'string' || type === 'number');
		const groups = all.filter(({ type }) => type === 'collection' || type === 'fixedCollection');

		for (const { placeholder } of texts)
			if (placeholder !== undefined) expect(placeholder).toMatch(/^e\.g\. \S/);
		for (const { placeholder } of groups) expect(placeholder).toMatch(/^Add [A-Z]/);
		for (const { type, placeholder, typeOptions } of texts)
			if (type === 'string' && !typeOptions?.password) expect(placeholder).toBeDefined();
	});

	test('have labels, no two of them alike in one place', () => {
		const twins = lists.flatMap((list) =>
			list.flatMap((property, index) =>
				list
					.slice(index + 1)
					.filter((other) => other.displayName === property.displayName && mayMeet(property, other))
					.map(({ displayName }) => displayName),
			),
		);

		expect(twins).toEqual([]);
		for (const { type, displayName } of all)
			if (type !== 'notice') expect(displayName).toMatch(/^[A-Z]/);
	});
});

describe('the operations', () => {
	const operations = action.description.properties
		.filter(({ name }) => name === 'operation')
		.flatMap(({ options = [] }) => options.filter(isChoice));

	test('have actions of their own and descriptions', () => {
		expect(operations.length).toBeGreaterThanOrEqual(5);
		for (const operation of operations)
			expect(operation).toMatchObject({
				name: expect.stringMatching(/^[A-Z]/),
				action: expect.stringMatching(/^[A-Z]/),
				description: expect.stringMatching(/^[A-Z].*[^.]$/),
			});
		expect(new Set(operations.map((operation) => operation.action)).size).toBe(operations.length);
	});
});

describe('the nodes', () => {
	test('can be used as tools where they act', () => {
		expect(action.description.usableAsTool).toBe(true);
		expect(trigger.description.usableAsTool).toBeUndefined();
	});

	test.each(nodes)(
		'have every method that their descriptions name: %s',
		(_name, { description, methods }) => {
			const { properties, credentials = [] } = description;
			const lists = properties.flatMap(({ modes = [] }) =>
				modes.flatMap(({ typeOptions }) => typeOptions?.searchListMethod ?? []),
			);

			for (const { testedBy } of credentials)
				expect(Object.keys(methods?.credentialTest ?? {})).toContain(testedBy);
			for (const method of lists) expect(methods?.listSearch).toHaveProperty(method);
			expect(credentials.map(({ name, required }) => [name, required])).toEqual([
				[credential.name, true],
			]);
		},
	);

	test('have icons for light and dark that are there', () => {
		const folder = (file: string) => dirname(join(projectFolder, file.replace(/^dist\//, '')));
		const themed: Array<[string | undefined, ICredentialType['icon']]> = [
			[manifest.n8n.nodes[0], action.description.icon],
			[manifest.n8n.nodes[1], trigger.description.icon],
			[manifest.n8n.credentials[0], credential.icon],
		];
		for (const [file = '', icon] of themed) {
			if (typeof icon !== 'object') throw new Error(`${file} has no themed icon.`);
			const { light, dark } = icon;
			expect(light).not.toBe(dark);
			for (const path of [light, dark])
				expect(existsSync(join(folder(file), path.replace(/^file:/, '')))).toBe(true);
		}
	});

	test('are what the manifest lists', () => {
		const sources = [...manifest.n8n.nodes, ...manifest.n8n.credentials].map((file) =>
			file.replace(/^dist\//, '').replace(/\.js$/, '.ts'),
		);

		expect(manifest.n8n.nodes).toEqual(
			[action, trigger].map(
				({ constructor }) => `dist/nodes/DeliveryService/${constructor.name}.node.js`,
			),
		);
		expect(manifest.n8n.credentials).toEqual([
			`dist/credentials/${credential.constructor.name}.credentials.js`,
		]);
		for (const source of sources) expect(existsSync(join(projectFolder, source))).toBe(true);
	});
});

test('refuses an operation that only a workflow of another version may ask for', async () => {
	const { error, items } = await runNode({
		node: 'deliveryService',
		parameters: { resource: 'delivery', operation: 'gone' },
		credential: {
			baseUrl: 'http://127.0.0.1:9',
			apiKeyId: 'key',
			apiSecret: 'secret',
			companyId: 1,
		},
	});

	expect(items).toEqual([]);
	expect(error?.message).toBe('The resource "delivery" has no operation "gone"');
});
