import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import {
	Workflow,
	type IDataObject,
	type INode,
	type INodeProperties,
	type INodeTypes,
} from 'n8n-workflow';
import { z } from 'zod';

import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../../nodes/DeliveryService/DeliveryServiceTrigger.node';
import { codesIn, page, section, tablesOf } from '../../tools/markdown';

const folder = join(__dirname, '../../examples');
const ownPackage = 'n8n-nodes-delivery-service.';
const note = 'n8n-nodes-base.stickyNote';
const dataTable = 'n8n-nodes-base.dataTable';

const linkSchema = z.object({ node: z.string(), type: z.string(), index: z.number() });
const exampleSchema = z.object({
	name: z.string(),
	nodes: z.array(
		z
			.object({
				id: z.string(),
				name: z.string(),
				type: z.string(),
				typeVersion: z.number(),
				position: z.tuple([z.number(), z.number()]),
				parameters: z.record(z.unknown()),
			})
			.passthrough(),
	),
	connections: z.record(z.record(z.array(z.array(linkSchema)))),
	active: z.literal(false),
	pinData: z.object({}).strict(),
});
type Example = z.infer<typeof exampleSchema>;
type Node = Example['nodes'][number];

const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
const examples = files.map((file): [string, Example] => [
	file,
	exampleSchema.parse(JSON.parse(readFileSync(join(folder, file), 'utf8'))),
]);

const ownProperties = new Map<string, INodeProperties[]>(
	[new DeliveryService(), new DeliveryServiceTrigger()].map(({ description }) => [
		`${ownPackage}${description.name}`,
		description.properties,
	]),
);

/** The members of a collection that a node's parameter holds, which must be among its options. */
const membersOf = (value: unknown) => Object.keys(z.record(z.unknown()).catch({}).parse(value));

describe.each(examples)('%s', (_, { name, nodes, connections }) => {
	test('holds nothing of anybody: no credentials, and no address of a webhook', () => {
		// n8n gives each imported node an address of its own; one from here would be taken twice.
		const personal = nodes.filter((node) => 'credentials' in node || 'webhookId' in node);
		expect(personal.map((node) => node.name)).toEqual([]);
		expect(JSON.stringify(nodes)).not.toMatch(/cachedResultUrl|instanceId/);
	});

	test('has a name, and names its nodes apart', () => {
		expect(name).not.toBe('');
		expect(new Set(nodes.map((node) => node.name)).size).toBe(nodes.length);
	});

	test('its connections lead from nodes that exist to nodes that exist', () => {
		const names = nodes.map((node) => node.name);
		const linked = Object.entries(connections).flatMap(([from, outputs]) => [
			from,
			...Object.values(outputs).flatMap((output) => output.flat().map(({ node }) => node)),
		]);
		expect(linked.filter((node) => !names.includes(node))).toEqual([]);
	});

	test('every node is reached from another one, or starts it', () => {
		const reached = Object.values(connections).flatMap((outputs) =>
			Object.values(outputs).flatMap((output) => output.flat().map(({ node }) => node)),
		);
		const lonely = nodes.filter(
			(node) =>
				node.type !== note &&
				!/trigger/i.test(node.type) &&
				!reached.includes(node.name) &&
				!Object.keys(connections[node.name] ?? {}).some((kind) => kind.startsWith('ai_')),
		);
		expect(lonely.map((node) => node.name)).toEqual([]);
	});

	test('its own nodes have only parameters that exist', () => {
		for (const node of nodes.filter(({ type }) => type.startsWith(ownPackage))) {
			// As an AI agent's tool, a node has a name of its own and two more parameters, from n8n.
			const properties = ownProperties.get(node.type.replace(/Tool$/, ''));
			if (!properties) throw new Error(`There is no node ${node.type}`);
			const ofTools = node.type.endsWith('Tool') ? ['descriptionType', 'toolDescription'] : [];
			for (const [parameter, value] of Object.entries(node.parameters)) {
				if (ofTools.includes(parameter)) continue;
				const known = properties.filter((property) => property.name === parameter);
				expect({ parameter, known: known.length > 0 }).toEqual({ parameter, known: true });
				if (known.every(({ type }) => type !== 'collection')) continue;
				const members = known.flatMap(({ options = [] }) => options.map((option) => option.name));
				expect(members).toEqual(expect.arrayContaining(membersOf(value)));
			}
		}
	});

	test('notes say what to fill in, by the names of the nodes, and what happens in trouble', () => {
		const text = notesOf(nodes).join('\n');
		const withCredentials = nodes.filter(needsCredentials);
		expect(withCredentials.filter((node) => !text.includes(`**${node.name}**`))).toEqual([]);
		expect(text).toContain('## When something goes wrong');
	});
});

function notesOf(nodes: readonly Node[]): string[] {
	return nodes
		.filter(({ type }) => type === note)
		.map(({ parameters }) => z.string().parse(parameters.content));
}

function needsCredentials({ type, parameters }: Node): boolean {
	return (
		type.startsWith(ownPackage) ||
		/shopify|lmChat/i.test(type) ||
		parameters.nodeCredentialType !== undefined
	);
}

const tableSchema = z.object({
	tableName: z.string(),
	columns: z.object({
		column: z.array(z.object({ name: z.string(), type: z.string().default('string') })),
	}),
});
const rowSchema = z.object({
	dataTableId: z.object({ mode: z.literal('name'), value: z.string() }),
	filters: z
		.object({ conditions: z.array(z.object({ keyName: z.string() })) })
		.default({ conditions: [] }),
	columns: z.object({ value: z.record(z.unknown()) }).default({ value: {} }),
});
/** Columns that n8n gives each table. */
const systemColumns = ['id', 'createdAt', 'updatedAt'];

describe('the tables', () => {
	const nodes = examples.flatMap(([file, { nodes }]) =>
		nodes.filter(({ type }) => type === dataTable).map((node) => ({ file, ...node })),
	);
	const makers = nodes.filter(({ parameters }) => parameters.resource === 'table');
	const users = nodes.filter(({ parameters }) => parameters.resource !== 'table');
	const made = makers.map(({ parameters }) => tableSchema.parse(parameters));
	const columnsOf = new Map(made.map(({ tableName, columns }) => [tableName, columns.column]));

	test('are made alike by every workflow', () => {
		for (const { tableName, columns } of made)
			expect(columns.column).toEqual(columnsOf.get(tableName));
	});

	test('are told with their columns for n8n 1, which cannot make them', () => {
		const [told = []] = tablesOf(section(page('docs/shopify.md'), 'On n8n 1'));
		const asTold = told.map(([name = '', text = '', numbers = '']) => ({
			name: name.replace(/\*/g, ''),
			string: codesIn(text),
			number: codesIn(numbers),
		}));
		const asMade = [...columnsOf].map(([name, columns]) => {
			const of = (wanted: string) =>
				columns.flatMap((column) => (column.type === wanted ? column.name : []));
			return { name, string: of('string'), number: of('number') };
		});
		expect(asTold).toHaveLength(asMade.length);
		expect(asTold).toEqual(expect.arrayContaining(asMade));
	});

	test('are made, where they are missing, by each workflow that uses them', () => {
		for (const { file, parameters } of users) {
			const { value } = rowSchema.parse(parameters).dataTableId;
			const here = makers.filter((maker) => maker.file === file);
			expect(here.map((maker) => maker.parameters.tableName)).toContain(value);
		}
	});

	test('have every column that is used', () => {
		for (const { name, parameters } of users) {
			const { dataTableId, filters, columns } = rowSchema.parse(parameters);
			const known = (columnsOf.get(dataTableId.value) ?? []).map((column) => column.name);
			const used = [
				...filters.conditions
					.map(({ keyName }) => keyName)
					.filter((n) => !systemColumns.includes(n)),
				...Object.keys(columns.value),
			];
			expect({ name, unknown: used.filter((column) => !known.includes(column)) }).toEqual({
				name,
				unknown: [],
			});
		}
	});

	test('are found by their names: n8n takes the first whose name contains the one it looks for', () => {
		const names = [...columnsOf.keys()].map((name) => name.toLowerCase());
		for (const name of names) expect(names.filter((other) => other.includes(name))).toEqual([name]);
	});
});

const nodeTypes: INodeTypes = {
	getByName: () => new DeliveryService(),
	getByNameAndVersion: () => new DeliveryService(),
	getKnownTypes: () => ({}),
};
const here: INode = {
	id: '1',
	name: 'Here',
	type: note,
	typeVersion: 1,
	position: [0, 0],
	parameters: {},
};
const { expression } = new Workflow({
	nodes: [here],
	connections: {},
	active: false,
	nodeTypes,
});

/** What an expression gives for an item, in an execution that waits at an address. */
function evaluated(value: unknown, json: IDataObject, resumeUrl = '') {
	return expression.getParameterValue(String(value), null, 0, 0, here.name, [{ json }], 'manual', {
		$execution: { id: '12', mode: 'production', resumeUrl, resumeFormUrl: '' },
	});
}

function parametersOf(beginning: string, nodeName: string): Node['parameters'] {
	const nodes = examples.find(([file]) => file.startsWith(beginning))?.[1].nodes;
	const found = nodes?.find(({ name }) => name === nodeName);
	if (!found) throw new Error(`${beginning} has no node ${nodeName}`);
	return found.parameters;
}

const assignmentsSchema = z.object({
	assignments: z.object({
		assignments: z.array(z.object({ name: z.string(), value: z.unknown() })),
	}),
});

/** The expression that a Set node has for a field. */
function assigned(beginning: string, nodeName: string, field: string): unknown {
	const { assignments } = assignmentsSchema.parse(parametersOf(beginning, nodeName));
	return assignments.assignments.find(({ name }) => name === field)?.value;
}

describe('repairing webhooks', () => {
	const { urlPrefix: url } = parametersOf('repair', 'Repair webhooks');

	test.each([
		['https://n8n.example/webhook-waiting/12', 'https://n8n.example/'],
		['https://shop.example/n8n/webhook-waiting/12?signature=a/b', 'https://shop.example/n8n/'],
		['http://localhost:5678/a/b/webhook-waiting/12', 'http://localhost:5678/a/b/'],
	])('where n8n waits at %s, those that begin with %s are its own', (resumeUrl, own) => {
		expect(evaluated(url, {}, resumeUrl)).toBe(own);
	});
});

describe('what to do about an order that did not become a delivery', () => {
	const whatToDo = assigned('shopify-orders', 'What to do about it', 'whatToDo');
	const shopifyOrder = { id: '450789', name: '#1001' };
	const of = (outcome: string) =>
		evaluated(whatToDo, {
			error: { outcome, description: 'Do this.', referenceId: 'R-1001', shopifyOrder },
		});

	test.each(['invalid', 'rejected', 'notSent'])(
		'%s: it is sent at night, if it is not too old',
		(one) => {
			expect(of(one)).toBe(
				'Do this. "Catch up at night" then sends the order. If the order is older than the "days" set there, raise them and choose "Execute workflow" once.',
			);
		},
	);

	test('unknown: a delivery that exists needs its row', () => {
		expect(of('unknown')).toBe(
			'Do this. If it is there, add a row to the table "Shopify deliveries", so that its updates find the order: deliveryId and trackingLink from the dashboard, orderId 450789, orderName #1001, referenceId R-1001, rank 0, and fulfilment open. Then set "solved" to yes.',
		);
	});
});

describe('what was sent of an order, in words', () => {
	const sentTo = assigned('shopify-orders', 'Order', 'sentTo');

	test('is told alike by the workflow that creates and the one that changes', () => {
		expect(assigned('address-changed', 'What it says now', 'sentTo')).toBe(sentTo);
	});

	test('tells coordinates that Shopify adds later', () => {
		const address = { name: 'Maya Okafor', address1: '9 Elm Street', city: 'Springfield' };
		const order = { email: 'maya@example.com', line_items: [], total_outstanding: '0.00' };
		expect(evaluated(sentTo, { ...order, shipping_address: { ...address, latitude: null } })).toBe(
			'Maya Okafor, 9 Elm Street, Springfield, maya@example.com, to pay: 0.00',
		);
		const place = { ...address, latitude: 39.7817, longitude: -89.6501 };
		expect(evaluated(sentTo, { ...order, shipping_address: place })).toBe(
			'Maya Okafor, 9 Elm Street, Springfield, 39.7817, -89.6501, maya@example.com, to pay: 0.00',
		);
	});
});
