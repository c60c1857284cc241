/** The descriptions of the nodes and the credential, as the editor shows them. */
import {
	type INodeProperties,
	type INodePropertyCollection,
	type INodePropertyOptions,
	type INodeParameters,
	type INodeType,
	Workflow,
} from 'n8n-workflow';

import { DeliveryServiceApi } from '../../credentials/DeliveryServiceApi.credentials';
import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../../nodes/DeliveryService/DeliveryServiceTrigger.node';
import { isChoice, isGroup, isProperty } from '../../tools/docs';

type Entry = INodeProperties | INodePropertyCollection | INodePropertyOptions;

/** The lists of properties that the editor shows together: those of the node and of each group. */
function propertyListsOf(properties: INodeProperties[]): INodeProperties[][] {
	const entries = properties.flatMap<Entry>(({ options = [] }) => options);
	return [
		properties,
		...properties
			.filter(({ type }) => type === 'collection')
			.flatMap(({ options = [] }) => propertyListsOf(options.filter(isProperty))),
		...entries.filter(isGroup).flatMap(({ values }) => propertyListsOf(values)),
	];
}

/** Whether two properties can be shown at once: neither has a condition that excludes the other. */
function canBeShownTogether(one: INodeProperties, other: INodeProperties): boolean {
	const shown = one.displayOptions?.show ?? {};
	return Object.entries(other.displayOptions?.show ?? {}).every(([name, values = []]) => {
		const wanted = shown[name];
		return !wanted || values.some((value) => wanted.some((another) => another === value));
	});
}

const credential = new DeliveryServiceApi();
const action = new DeliveryService();
const trigger = new DeliveryServiceTrigger();

const nodes: Array<[string, INodeType]> = [
	['the action node', action],
	['the trigger', trigger],
];
const propertyLists: Array<[string, INodeProperties[]]> = [
	...nodes.map(([name, { description }]): [string, INodeProperties[]] => [
		name,
		description.properties,
	]),
	['the credential', credential.properties],
];

describe('names in saved workflows', () => {
	const optionsOf = (name: string, resource?: string) =>
		action.description.properties
			.filter((property) => property.name === name)
			.filter(
				(property) => !resource || property.displayOptions?.show?.resource?.includes(resource),
			)
			.flatMap(({ options = [] }) => options.filter(isChoice).map(({ value }) => value));

	test('keeps the names that saved workflows contain', () => {
		expect(credential.name).toBe('deliveryServiceApi');
		expect(credential.properties.map(({ name }) => name)).toEqual([
			'baseUrl',
			'apiKeyId',
			'apiSecret',
			'companyId',
		]);
		// An empty default makes a missing value visible.
		expect(credential.properties.map((field) => [field.default, field.required])).toEqual(
			credential.properties.map(() => ['', true]),
		);
		expect(action.description.name).toBe('deliveryService');
		expect(trigger.description.name).toBe('deliveryServiceTrigger');
		expect(optionsOf('resource')).toEqual(['delivery', 'webhook']);
		expect(optionsOf('operation', 'delivery')).toEqual(
			expect.arrayContaining(['create', 'createFromOrders', 'update']),
		);
		expect(optionsOf('operation', 'webhook')).toEqual(
			expect.arrayContaining(['create', 'delete', 'getAll']),
		);
		expect(optionsOf('source').sort()).toEqual(['defineBelow', 'json']);
		const events = trigger.description.properties.find(({ name }) => name === 'events');
		expect(events?.type).toBe('multiOptions');
		expect(events?.options?.filter(isChoice).map(({ value }) => value)).toEqual([
			'createTask',
			'createRoute',
			'updateTask',
		]);
	});
});

test('lists the output fields of an event in the trigger only', () => {
	const eventDescriptions = (properties: INodeProperties[]) =>
		propertyListsOf(properties)
			.flat()
			.flatMap(({ options = [] }) => options.filter(isChoice))
			.flatMap(({ value, description }) => (value === 'createRoute' ? [description] : []));

	expect(eventDescriptions(trigger.description.properties)).toEqual([
		'A new route was created. Outputs route_id, distance, date, prices, dateIso.',
	]);
	for (const description of eventDescriptions(action.description.properties))
		expect(description).toBe('A new route was created');
});

describe.each(propertyLists)('parameters of %s', (owner, properties) => {
	const lists = propertyListsOf(properties);
	const all = lists.flat();

	test(`shows no two parameters with the same name together in ${owner}`, () => {
		const duplicates = lists.flatMap((list) =>
			list.flatMap((property, index) =>
				list
					.slice(index + 1)
					.filter((other) => other.name === property.name && canBeShownTogether(property, other))
					.map(({ name }) => name),
			),
		);

		expect(all.length).toBeGreaterThan(3);
		expect(duplicates).toEqual([]);
	});

	test(`has display conditions with existing parameters and values in ${owner}`, () => {
		const missing = lists.flatMap((list) =>
			list.flatMap(({ name, displayOptions }) =>
				Object.entries(displayOptions?.show ?? {}).flatMap(([on, values = []]) => {
					const controlling = [...list, ...properties].filter((property) => property.name === on);
					const possible = controlling.flatMap(({ type, options = [] }): unknown[] =>
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

	test(`has placeholders with examples in ${owner}`, () => {
		const texts = all.filter(({ type }) => type === 'string' || type === 'number');
		const groups = all.filter(({ type }) => type === 'collection' || type === 'fixedCollection');

		for (const { placeholder } of texts)
			if (placeholder !== undefined) expect(placeholder).toMatch(/^e\.g\. \S/);
		for (const { placeholder } of groups) expect(placeholder).toMatch(/^Add [A-Z]/);
		for (const { type, placeholder, typeOptions } of texts)
			if (type === 'string' && !typeOptions?.password) expect(placeholder).toBeDefined();
	});

	test(`shows no two parameters with the same label together in ${owner}`, () => {
		const duplicates = lists.flatMap((list) =>
			list.flatMap((property, index) =>
				list
					.slice(index + 1)
					.filter(
						(other) =>
							other.displayName === property.displayName && canBeShownTogether(property, other),
					)
					.map(({ displayName }) => displayName),
			),
		);

		expect(duplicates).toEqual([]);
		for (const { type, displayName } of all)
			if (type !== 'notice') expect(displayName).toMatch(/^[A-Z]/);
	});
});

/** The text below the action node on the canvas. */
function subtitleOf(parameters: INodeParameters): unknown {
	const here = {
		id: '1',
		name: 'Here',
		type: 'n8n-nodes-delivery-service.deliveryService',
		typeVersion: 1,
		position: [0, 0] as [number, number],
		parameters,
	};
	const getByName = () => action;
	const nodeTypes = { getByName, getByNameAndVersion: getByName, getKnownTypes: () => ({}) };
	const { expression } = new Workflow({ nodes: [here], connections: {}, active: false, nodeTypes });
	return expression.getSimpleParameterValue(here, action.description.subtitle, 'internal', {});
}

test.each<[string, INodeParameters]>([
	['create from orders: delivery', { operation: 'createFromOrders', options: { dryRun: false } }],
	['Dry Run: create: delivery', { operation: 'create', options: { dryRun: true } }],
	// Left over from another operation.
	['update: delivery', { operation: 'update', options: { dryRun: true } }],
	['get all: webhook', { resource: 'webhook', operation: 'getAll' }],
])('the canvas shows "%s" below the node', (subtitle, parameters) => {
	expect(subtitleOf({ resource: 'delivery', ...parameters })).toBe(subtitle);
});
