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

/** The fields that a collection parameter of a node contains. */
const fieldNames = (value: unknown) => Object.keys(z.record(z.unknown()).catch({}).parse(value));

describe.each(examples)('the example %s', (_, { name, nodes, connections }) => {
	test('an example contains no credentials and no webhook IDs', () => {
		// n8n assigns a webhook ID to each imported node; one from here would conflict.
		const personal = nodes.filter((node) => 'credentials' in node || 'webhookId' in node);
		expect(personal.map((node) => node.name)).toEqual([]);
		expect(JSON.stringify(nodes)).not.toMatch(/cachedResultUrl|instanceId/);
	});

	test('an example has a name, and a unique name for each node', () => {
		expect(name).not.toBe('');
		expect(new Set(nodes.map((node) => node.name)).size).toBe(nodes.length);
	});

	test('an example connects only existing nodes', () => {
		const names = nodes.map((node) => node.name);
		const linked = Object.entries(connections).flatMap(([from, outputs]) => [
			from,
			...Object.values(outputs).flatMap((output) => output.flat().map(({ node }) => node)),
		]);
		expect(linked.filter((node) => !names.includes(node))).toEqual([]);
	});

	test('an example has only triggers and connected nodes', () => {
		const reached = Object.values(connections).flatMap((outputs) =>
			Object.values(outputs).flatMap((output) => output.flat().map(({ node }) => node)),
		);
		const unconnected = nodes.filter(
			(node) =>
				node.type !== note &&
				!/trigger|\.webhook$/i.test(node.type) &&
				!reached.includes(node.name) &&
				!Object.keys(connections[node.name] ?? {}).some((kind) => kind.startsWith('ai_')),
		);
		expect(unconnected.map((node) => node.name)).toEqual([]);
	});

	test('an example uses only existing parameters of this package', () => {
		for (const node of nodes.filter(({ type }) => type.startsWith(ownPackage))) {
			// For a tool of an AI agent, n8n adds a suffix to the type, and two parameters.
			const properties = ownProperties.get(node.type.replace(/Tool$/, ''));
			if (!properties) throw new Error(`There is no node ${node.type}`);
			const toolParameters = node.type.endsWith('Tool')
				? ['descriptionType', 'toolDescription']
				: [];
			for (const [parameter, value] of Object.entries(node.parameters)) {
				if (toolParameters.includes(parameter)) continue;
				const known = properties.filter((property) => property.name === parameter);
				expect({ parameter, known: known.length > 0 }).toEqual({ parameter, known: true });
				if (known.every(({ type }) => type !== 'collection')) continue;
				const fields = known.flatMap(({ options = [] }) => options.map((option) => option.name));
				expect(fields).toEqual(expect.arrayContaining(fieldNames(value)));
			}
		}
	});

	test('an example has notes on its credentials and on what to do if something fails', () => {
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
/** The columns that n8n adds to each table. */
const systemColumns = ['id', 'createdAt', 'updatedAt'];

describe('the data tables of the examples', () => {
	const nodes = examples.flatMap(([file, { nodes }]) =>
		nodes.filter(({ type }) => type === dataTable).map((node) => ({ file, ...node })),
	);
	const makers = nodes.filter(({ parameters }) => parameters.resource === 'table');
	const users = nodes.filter(({ parameters }) => parameters.resource !== 'table');
	const tables = makers.map(({ parameters }) => tableSchema.parse(parameters));
	const columnsOf = new Map(tables.map(({ tableName, columns }) => [tableName, columns.column]));

	test('data tables have the same columns in every workflow that creates them', () => {
		for (const { tableName, columns } of tables)
			expect(columns.column).toEqual(columnsOf.get(tableName));
	});

	test('data tables are documented with their columns for n8n 1, which cannot create them', () => {
		const [rows = []] = tablesOf(section(page('docs/shopify.md'), 'On n8n 1'));
		const documented = rows.map(([name = '', text = '', numbers = '']) => ({
			name: name.replace(/\*/g, ''),
			string: codesIn(text),
			number: codesIn(numbers),
		}));
		const actual = [...columnsOf].map(([name, columns]) => {
			const columnsWith = (wanted: string) =>
				columns.flatMap((column) => (column.type === wanted ? column.name : []));
			return { name, string: columnsWith('string'), number: columnsWith('number') };
		});
		expect(documented).toHaveLength(actual.length);
		expect(documented).toEqual(expect.arrayContaining(actual));
	});

	test('data tables are created by each workflow that uses them', () => {
		for (const { file, parameters } of users) {
			const { value } = rowSchema.parse(parameters).dataTableId;
			const here = makers.filter((maker) => maker.file === file);
			expect(here.map((maker) => maker.parameters.tableName)).toContain(value);
		}
	});

	test('data tables have every column that a node uses', () => {
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

	test('no data table has a name that contains the name of another', () => {
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

/** Evaluates an expression for an item, in an execution with a resume URL. */
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

/** The expression of a field in a Set node. */
function assigned(beginning: string, nodeName: string, field: string): unknown {
	const { assignments } = assignmentsSchema.parse(parametersOf(beginning, nodeName));
	return assignments.assignments.find(({ name }) => name === field)?.value;
}

describe('the URL prefix of "Repair blacklisted webhooks"', () => {
	const { urlPrefix: url } = parametersOf('repair', 'Repair webhooks');

	test.each([
		['https://n8n.example/webhook-waiting/12', 'https://n8n.example/'],
		['https://shop.example/n8n/webhook-waiting/12?signature=a/b', 'https://shop.example/n8n/'],
		['http://localhost:5678/a/b/webhook-waiting/12', 'http://localhost:5678/a/b/'],
	])('converts the resume URL %s to the URL prefix %s', (resumeUrl, prefix) => {
		expect(evaluated(url, {}, resumeUrl)).toBe(prefix);
	});
});

describe('the advice for an order without a delivery', () => {
	const whatToDo = assigned('shopify-orders', 'What to do about it', 'whatToDo');
	const shopifyOrder = { id: '450789', name: '#1001' };
	const adviceFor = (outcome: string) =>
		evaluated(whatToDo, {
			...{ outcome, message: 'No. Do this.', referenceId: 'R-1001', shopifyOrder },
		});

	test.each(['invalid', 'rejected', 'notSent'])(
		'says for %s that the order is sent at night unless it is too old',
		(outcome) => {
			expect(adviceFor(outcome)).toBe(
				'"Catch up at night" then sends the order. If the order is older than the "days" set there, raise them and choose "Execute workflow" once.',
			);
		},
	);

	test('says for unknown which row to add if the delivery exists', () => {
		expect(adviceFor('unknown')).toBe(
			'If it is there, add a row to the table "Shopify deliveries", so that its updates find the order: deliveryId and trackingLink from the dashboard, orderId 450789, orderName #1001, referenceId R-1001, rank 0, and fulfillment open. Then set "solved" to yes.',
		);
	});
});

describe('the text of what was sent of an order', () => {
	const sentTo = assigned('shopify-orders', 'Order', 'sentTo');

	test('builds the same text of an order when it creates and when it updates a delivery', () => {
		expect(assigned('address-changed', 'What it says now', 'sentTo')).toBe(sentTo);
	});

	test('includes coordinates that Shopify adds later in the text of an order', () => {
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

test('fetches the order again after each change of its delivery', () => {
	const example = examples.find(([file]) => file.startsWith('address-changed'))?.[1];
	const next = example?.connections['Keep what was sent']?.main?.flat() ?? [];
	expect(next.map(({ node }) => node)).toEqual([
		'Nothing to look at any more',
		'The order as it is now',
	]);
});
