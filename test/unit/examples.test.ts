import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { INodeProperties } from 'n8n-workflow';
import { z } from 'zod';

import { DeliveryService } from '../../nodes/DeliveryService/DeliveryService.node';
import { DeliveryServiceTrigger } from '../../nodes/DeliveryService/DeliveryServiceTrigger.node';
import manifest from '../../package.json';
import { endOfVersion } from '../../playground/shopify/versions';
import { evaluated, parametersOf } from '../support/examples';

const folder = join(__dirname, '../../examples');
const home = manifest.homepage.split('#')[0] ?? '';
const ownPackage = 'n8n-nodes-delivery-service.';
const troubleshooting = `${home}/blob/main/docs/email.md`;
const note = 'n8n-nodes-base.stickyNote';
const dataTable = 'n8n-nodes-base.dataTable';
const setUp = 'set-up-deliveries-table.json';

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

const starters = ['shopify-webhook-to-deliveries.json', 'shopify-orders-to-deliveries.json'];

const ownProperties = new Map<string, INodeProperties[]>(
	[new DeliveryService(), new DeliveryServiceTrigger()].map(({ description }) => [
		`${ownPackage}${description.name}`,
		description.properties,
	]),
);

const assignmentsSchema = z.object({
	assignments: z.object({ assignments: z.array(z.object({ name: z.string() })) }),
	includeOtherFields: z.literal(false).optional(),
});
/** The only fields that an Edit Fields node returns. */
const assignedFields = (parameters: Node['parameters']) =>
	assignmentsSchema.parse(parameters).assignments.assignments.map(({ name }) => name);

/** A field that an Edit Fields node of an example sets. */
const assignmentOf = (file: string, node: string, field: string) => {
	const valuesSchema = z.object({ name: z.string(), value: z.string() });
	const { assignments } = z
		.object({ assignments: z.object({ assignments: z.array(valuesSchema) }) })
		.parse(parametersOf(file, node)).assignments;
	return assignments.find(({ name }) => name === field)!;
};

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

	test('an example has only triggers and connected nodes, and connects only existing ones', () => {
		const names = nodes.map((node) => node.name);
		const reached = Object.values(connections).flatMap((outputs) =>
			Object.values(outputs).flatMap((output) => output.flat().map(({ node }) => node)),
		);
		const linked = [...Object.keys(connections), ...reached];
		expect(linked.filter((node) => !names.includes(node))).toEqual([]);
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

	test('an example remembers duplicates for each node', () => {
		// With the scope Workflow, n8n trims the memory of sent orders to the history of this node.
		const duplicates = nodes.filter(({ type }) => type === 'n8n-nodes-base.removeDuplicates');
		const scopes = duplicates.map(({ parameters }) => JSON.stringify(parameters.options));
		expect(scopes.filter((options) => options?.includes('"scope":"workflow"'))).toEqual([]);
	});

	test('an example explains which credentials to select', () => {
		const text = notesOf(nodes).join('\n');
		const withCredentials = nodes.filter(needsCredentials);
		expect(withCredentials.filter((node) => !text.includes(`**${node.name}**`))).toEqual([]);
	});

	test('an example has every node on one note', () => {
		const boxes = nodes.filter(({ type }) => type === note).map(boxOf);
		for (const node of nodes.filter(({ type }) => type !== note)) {
			const [x, y] = node.position;
			const under = boxes.filter(
				(box) =>
					x >= box.x &&
					y >= box.y &&
					x + nodeSize <= box.x + box.width &&
					y + nodeSize <= box.y + box.height,
			);
			expect({ node: node.name, notes: under.length }).toEqual({ node: node.name, notes: 1 });
		}
	});

	test('an example has one yellow note on the left, and gray ones', () => {
		const gray = 7;
		const [yellow, ...others] = nodes.filter(({ type }) => type === note);
		const [text = ''] = notesOf([yellow!]);
		expect(text).toMatch(/^## How it works\n[^]*\n## Setup\n1\. /);
		expect(yellow?.parameters.color).toBeUndefined();
		expect(others.map(({ parameters }) => parameters.color)).toEqual(others.map(() => gray));
		const left = Math.min(...nodes.map(({ position }) => position[0]));
		expect(yellow?.position[0]).toBe(left);
		const isInEditor = nodes.some(({ type }) => type.endsWith('manualTrigger'));
		if (!isInEditor || nodes.some(({ type }) => type.endsWith('emailSend')))
			expect(notesOf(others).join()).toContain(`](${troubleshooting})`);
	});

	test('an example reads no item of a node with On Error: Continue by $(…)', () => {
		// n8n 2 throws or returns null if the error of the item is n8n's own kind; $json and $node work.
		const text = JSON.stringify(nodes);
		const continuing = nodes.filter(({ onError }) => String(onError).startsWith('continue'));
		const reads = /\.(item|itemMatching|first|last|all)\b/;
		const read = continuing.filter(({ name }) =>
			text
				.split(`$('${name}')`)
				.slice(1)
				.some((after) => reads.exec(after)?.index === 0),
		);
		expect(read.map((node) => node.name)).toEqual([]);
	});

	test('an example emails the owner if something fails, or shows it to its user', () => {
		const types = nodes.map(({ type }) => type);
		const isStartedByUser = types.some((type) => /manualTrigger|chatTrigger/.test(type));
		expect(isStartedByUser || types.includes('n8n-nodes-base.emailSend')).toBe(true);
	});
});

test('the starter without an app tries again to remember an email, with items that n8n does not take for failures', () => {
	// n8n's node fails if two executions start its history at once. A retry would drop the emails of items
	// with the field `error`, because n8n retries a node that returns such an item first.
	const { nodes, connections } = examples.find(([name]) => name === starters[0])![1];
	const onceADay = nodes.find(({ name }) => name === 'Once a Day');
	expect(onceADay?.retryOnFail).toBe(true);
	const before = nodes.filter(({ name }) =>
		connections[name]?.main?.flat().some(({ node }) => node === 'Once a Day'),
	);
	const fields = before.flatMap(({ parameters }) => assignedFields(parameters));
	expect(fields).toContain('whatToDo');
	expect(fields).not.toContain('error');
});

test.each([
	['send-anyway', true],
	['vip, Send-Anyway', true],
	['SEND-ANYWAY ,vip', true],
	['never-send-anyway', false],
	['vip, send-anyway-not', false],
	['send anyway', false],
	['', false],
	[undefined, false],
])('the starter without an app turns on Send Anyway for the tags %j: %j', (tags, expected) => {
	const { sendAnyway } = parametersOf('shopify-webhook-to-deliveries', 'Create Delivery');
	expect(evaluated(sendAnyway, { body: { tags } })).toBe(expected);
});

describe.each(starters)('the starter %s', (file) => {
	const { nodes, connections } = examples.find(([name]) => name === file)![1];
	const steps = nodes.filter(({ type }) => type !== note);

	test(`a starter creates deliveries in one node, whose failed orders are emailed before the execution ends (${file})`, () => {
		const creating = steps.filter(({ parameters }) => parameters.operation === 'createFromOrders');
		expect(creating.map(({ onError }) => onError)).toEqual(['continueErrorOutput']);
		const [, failed = []] = connections['Create Delivery']?.main ?? [];
		const heights = failed.map(({ node }) => steps.find(({ name }) => name === node)?.position[1]);
		// n8n runs the highest node first.
		expect(failed.at(-1)?.node).toBe('Stop and Error');
		expect(heights).toEqual(heights.toSorted((one, other) => Number(one) - Number(other)));
		expect(failed.map(({ node }) => node)).toContain('Needs Attention?');
		expect(steps.map(({ type }) => type)).toContain('n8n-nodes-base.errorTrigger');
	});

	test(`no expression of a starter decides about an order (${file})`, () => {
		const expressions = JSON.stringify(nodes).match(/\{\{.*?\}\}/g) ?? [];
		expect(expressions.length).toBeGreaterThan(5);
		const facts = /outcome|statusDelivery|reason|financial|_status|cancelled|_at\b/;
		expect(expressions.filter((text) => facts.test(text))).toEqual([]);
	});
});

const nodeSize = 96;
const boxSchema = z.object({ width: z.number(), height: z.number() });

function boxOf({ position: [x, y], parameters }: Node) {
	return { x, y, ...boxSchema.parse(parameters) };
}

function notesOf(nodes: readonly Node[]): string[] {
	return nodes
		.filter(({ type }) => type === note)
		.map(({ parameters }) => z.string().parse(parameters.content));
}

function needsCredentials({ type, parameters }: Node): boolean {
	return (
		type.startsWith(ownPackage) ||
		/shopify|lmChat|emailSend/i.test(type) ||
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

describe('what users must fill in', () => {
	const steps = examples.flatMap(([file, { nodes }]) => nodes.map((node) => ({ file, ...node })));

	test('is empty, so that n8n marks it and does not publish the workflow', () => {
		const fields = z.record(z.unknown()).transform((all) => Object.entries(all));
		const required = steps.flatMap(({ file, name, parameters: { url, fromEmail, toEmail } }) =>
			fields
				.parse({ url, fromEmail, toEmail })
				.filter(([, value]) => typeof value === 'string' && !value.startsWith('='))
				.map(([field, value]) => ({ file, name, field, value })),
		);
		expect(required.length).toBeGreaterThan(10);
		expect(required.filter(({ value }) => value !== '')).toEqual([]);
	});

	test('is never an example value', () => {
		const values = steps.filter(({ type }) => type !== note).map(({ parameters }) => parameters);
		expect(JSON.stringify(values)).not.toMatch(/example\.com|your-/);
	});
});

describe('the data tables of the examples', () => {
	const nodes = examples.flatMap(([file, { nodes }]) =>
		nodes.filter(({ type }) => type === dataTable).map((node) => ({ file, ...node })),
	);
	const makers = nodes.filter(({ parameters }) => parameters.resource === 'table');
	const users = nodes.filter(({ parameters }) => parameters.resource !== 'table');
	const tables = makers.map(({ parameters }) => tableSchema.parse(parameters));
	const columnsOf = new Map(tables.map(({ tableName, columns }) => [tableName, columns.column]));

	test('the tables are created by one example', () => {
		expect(new Set(makers.map(({ file }) => file))).toEqual(new Set([setUp]));
		for (const { parameters } of users) {
			const { value } = rowSchema.parse(parameters).dataTableId;
			expect(tables.map(({ tableName }) => tableName)).toContain(value);
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
});

describe('the Shopify API version of the examples', () => {
	const versions = examples.flatMap(([, { nodes }]) =>
		Array.from(JSON.stringify(nodes).matchAll(/\/admin\/api\/([\d-]+)/g), ([, version]) => version),
	);

	test('is the same in all notes, and users enter it', () => {
		expect(new Set(versions).size).toBe(1);
		const urls = examples.flatMap(([, { nodes }]) => nodes.map(({ parameters }) => parameters.url));
		expect(JSON.stringify(urls)).not.toContain('/admin/api/');
	});

	test('is served for three months more', () => {
		const inThreeMonths = Date.now() + 92 * 86_400_000;
		expect(versions.filter((version = '') => endOfVersion(version) < inThreeMonths)).toEqual([]);
	});
});

test.each([
	[{}, ''],
	[{ status: '' }, ''],
	[{ status: '-' }, ''],
	[{ status: 'Picked_Up' }, 'IN_TRANSIT'],
	[{ status: 'on the way' }, 'IN_TRANSIT'],
	[{ status: 'delivered' }, 'DELIVERED'],
])(
	'"Delivery updates to Shopify" finds %j on the list "%s", also if lists are empty',
	(event, list) => {
		const lists = { IN_TRANSIT: 'picked up, on the way,', OUT_FOR_DELIVERY: '', FAILURE: ' ' };
		const settings = { ...lists, DELIVERED: 'delivered', NOT_SHOWN: 'processing' };
		const { value } = assignmentOf('delivery-updates', 'Status in Shopify', 'list');
		expect(evaluated(value, { ...settings, ...event })).toBe(list);
	},
);

const own = { id: 'own', status: 'SUCCESS', trackingInfo: [{ number: 'D-1' }] };
const manual = { id: 'manual', status: 'SUCCESS', trackingInfo: [] };

test.each<[string, string, string, Array<typeof own>]>([
	['nothing', '', 'OPEN', []],
	['its own fulfillment', 'own', 'CLOSED', [own, { ...manual, trackingInfo: [{ number: 'D-2' }] }]],
	['its own fulfillment before Shopify closes the order', 'own', 'OPEN', [own]],
	['the last manual fulfillment', 'manual', 'CLOSED', [{ ...manual, id: 'first' }, manual]],
	['no manual fulfillment of a part, so that it fulfills the rest', '', 'IN_PROGRESS', [manual]],
	['no canceled fulfillment', '', 'OPEN', [{ ...own, status: 'CANCELLED' }]],
])('"Delivery updates to Shopify" shows a status at %s', (_what, id, status, nodes) => {
	const { value } = assignmentOf('delivery-updates', 'What Shopify Has', 'fulfillmentId');
	const part = { status, fulfillments: { nodes } };
	const shownAt = (shopifyStatus: string) => {
		const outputs = { 'Save Status': [{ deliveryId: 'D-1', shopifyStatus }] };
		return evaluated(value, { data: { part } }, { outputs });
	};
	expect(shownAt('DELIVERED')).toBe(id);
	// A failed delivery fulfills nothing.
	expect(shownAt('FAILURE')).toBe(status === 'IN_PROGRESS' ? 'manual' : id);
});

test('"Renew the Shopify token" saves no executions, which contain the token', () => {
	const file = join(folder, 'renew-the-shopify-token.json');
	const settingsSchema = z.object({ settings: z.object({ saveDataSuccessExecution: z.string() }) });
	const { settings } = settingsSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
	expect(settings.saveDataSuccessExecution).toBe('none');
	const [, { nodes }] = examples.find(([name]) => file.endsWith(name))!;
	// The editor leaves out the settings of a pasted workflow.
	expect(notesOf(nodes).join()).toContain(
		'set **Save successful production executions** to **Do not save**',
	);
});

describe('the URL prefix of "Repair blacklisted webhooks"', () => {
	const { urlPrefix: url } = parametersOf('repair', 'Reactivate Webhooks');

	test.each([
		['https://n8n.example/webhook-waiting/12', 'https://n8n.example/'],
		['https://shop.example/n8n/webhook-waiting/12?signature=a/b', 'https://shop.example/n8n/'],
		['http://localhost:5678/a/b/webhook-waiting/12', 'http://localhost:5678/a/b/'],
	])('converts the resume URL %s to the URL prefix %s', (resumeUrl, prefix) => {
		expect(evaluated(url, {}, { resumeUrl })).toBe(prefix);
	});
});

test('the query of "Fulfillment orders to deliveries" requests the fields that examples/queries.md lists', () => {
	const { bodyParameters } = z
		.object({
			bodyParameters: z.object({
				parameters: z.array(z.object({ name: z.string(), value: z.string() })),
			}),
		})
		.parse(parametersOf('fulfillment-orders', 'Get Order'));
	const query = bodyParameters.parameters.find(({ name }) => name === 'query')?.value;
	const [order = '', fulfillmentOrders = ''] = Array.from(
		readFileSync(join(__dirname, '../../examples/queries.md'), 'utf8').matchAll(
			/```graphql\n([^]*?)```/g,
		),
		([, text]) => text,
	);
	const documented = order.replace(/\}\s*\}\s*$/, `${fulfillmentOrders}}}`);
	const words = (text = '') => text.match(/[^\s{}]+|[{}]/g);
	expect(words(query)).toEqual(words(documented));
});
