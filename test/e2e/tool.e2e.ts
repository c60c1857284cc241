import { randomUUID } from 'node:crypto';

import type { WorkflowFile } from '../../playground/n8n/client';
import { outputOf, type Execution } from '../../playground/n8n/execution';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';
import { openInstallation, type Installation } from './support/installation';

type WorkflowNode = WorkflowFile['nodes'][number];

const toolType = 'n8n-nodes-delivery-service.deliveryServiceTool';
const names = {
	start: 'Start',
	agent: 'AI Agent',
	model: 'Model',
	tool: 'Create a delivery',
	server: 'Shop tools',
	client: 'MCP Client',
} as const;

let installation: Installation;
let model: ScriptedModel;

beforeAll(async () => {
	model = await startScriptedModel();
	installation = await openInstallation();
});

afterAll(async () => {
	await installation?.close();
	await model?.close();
});

beforeEach(() => {
	installation.service.control.reset();
	model.requests.length = 0;
});

function node(
	name: string,
	type: string,
	typeVersion: number,
	parameters: Record<string, unknown> = {},
): WorkflowNode {
	return { id: randomUUID(), name, type, typeVersion, position: [0, 0], parameters };
}

const connection = (name: string, type: string) => ({ node: name, type, index: 0 });

/** Builds a parameter that the model fills in, as the editor's button writes it. */
const fromModel = (key: string, description = '', type = 'string') =>
	`={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('${key}', \`${description}\`, '${type}') }}`;

/** Builds the action node as a tool with a fixed pickup. The model provides the dropoff and quantity. */
function deliveryTool(): WorkflowNode {
	return {
		...node(names.tool, toolType, 1, {
			resource: 'delivery',
			operation: 'create',
			source: 'defineBelow',
			pickupName: 'Larch & Linen',
			pickupEmail: 'warehouse@example.com',
			pickupAddress: '18 Depot Street, Springfield, IL 62703',
			dropoffName: fromModel('Dropoff_Name', 'The person who receives the packages'),
			dropoffEmail: fromModel('Dropoff_Email'),
			dropoffAddress: fromModel('Dropoff_Address'),
			packages: {
				package: [
					{
						name: 'Parcel',
						qty: fromModel('Quantity', 'How many packages', 'number'),
						size: fromModel('Size', 'One of xs, s, m, l, xl'),
					},
				],
			},
			referenceId: fromModel('Reference_ID'),
		}),
		credentials: installation.credentials,
	};
}

const toolArguments = {
	Dropoff_Name: 'Ana Torres',
	Dropoff_Email: 'ana@example.com',
	Dropoff_Address: '48 Oak Avenue, Springfield, IL 62704',
	Quantity: 2,
	Size: 'm',
	Reference_ID: '#3001',
};

const expectedRequest = {
	dropoff: {
		contact: { name: 'Ana Torres', email: 'ana@example.com' },
		location: { address: '48 Oak Avenue, Springfield, IL 62704' },
	},
	packages: [{ name: 'Parcel', qty: 2, size: 'm' }],
	referenceId: '#3001',
};

async function agentWorkflow(): Promise<string> {
	const id = await installation.client.createCredential('Scripted model', 'openAiApi', {
		apiKey: 'none',
		url: model.baseUrl,
	});
	const chatModel = '@n8n/n8n-nodes-langchain.lmChatOpenAi';
	return await installation.client.createWorkflow({
		name: 'Agent',
		nodes: [
			node(names.start, 'n8n-nodes-base.manualTrigger', 1),
			node(names.agent, '@n8n/n8n-nodes-langchain.agent', 3.1, {
				promptType: 'define',
				text: 'Send two packages to Ana Torres',
			}),
			{
				...node(names.model, chatModel, 1.2, { model: { mode: 'id', value: 'scripted' } }),
				credentials: { openAiApi: { id, name: 'Scripted model' } },
			},
			deliveryTool(),
		],
		connections: {
			[names.start]: { main: [[connection(names.agent, 'main')]] },
			[names.model]: { ai_languageModel: [[connection(names.agent, 'ai_languageModel')]] },
			[names.tool]: { ai_tool: [[connection(names.agent, 'ai_tool')]] },
		},
		settings: { executionOrder: 'v1' },
	});
}

test('n8n offers the action node as a tool, but not the trigger', async () => {
	const nodeTypes = (await installation.client.nodeTypes())
		.map(({ name }) => name)
		.filter((name) => name.startsWith('n8n-nodes-delivery-service.'));
	expect(nodeTypes).toContain(toolType);
	expect(nodeTypes).not.toContain('n8n-nodes-delivery-service.deliveryServiceTriggerTool');
});

test("an AI Agent receives the tool's schema, and its call creates a delivery", async () => {
	model.setToolCall(toolArguments);
	const execution = await installation.client.run(await agentWorkflow(), names.start);
	expect(execution.status).toBe('success');
	expect(outputOf(execution, names.agent)).toEqual([{ output: 'That is done.' }]);

	const [first, last] = model.requests;
	expect(first?.tools.map((tool) => tool.function)).toEqual([
		{
			name: 'Create_a_delivery',
			description: expect.stringMatching(/create.*delivery/i),
			parameters: expect.objectContaining({
				type: 'object',
				properties: {
					Dropoff_Name: { type: 'string', description: 'The person who receives the packages' },
					Dropoff_Email: { type: 'string' },
					Dropoff_Address: { type: 'string' },
					Quantity: { type: 'number', description: 'How many packages' },
					Size: { type: 'string', description: 'One of xs, s, m, l, xl' },
					Reference_ID: { type: 'string' },
				},
				required: Object.keys(toolArguments),
			}),
		},
	]);

	const [delivery, ...others] = installation.service.control.deliveries();
	expect(others).toEqual([]);
	expect(delivery?.request).toMatchObject(expectedRequest);
	expect(JSON.stringify(last?.messages.at(-1)?.content)).toContain(delivery?.record.id);
});

test('an AI Agent receives the error of an invalid call, and nothing is sent', async () => {
	model.setToolCall({ ...toolArguments, Size: 'huge' });
	const execution = await installation.client.run(await agentWorkflow(), names.start);
	const [, last] = model.requests;
	const answer = JSON.stringify(last?.messages.at(-1)?.content);
	expect(answer).toContain('is not one of xs, s, m, l, xl');
	expect(answer).toContain('No delivery was created.');
	expect(execution.status).toBe('success');
	expect(installation.service.control.requests()).toEqual([]);
});

/** Calls the tool of a published workflow with an MCP client. @returns the client's execution */
async function callByMcp(tool: WorkflowNode): Promise<Execution> {
	const path = randomUUID();
	const serverId = await installation.client.createWorkflow({
		name: 'MCP server',
		nodes: [
			{
				...node(names.server, '@n8n/n8n-nodes-langchain.mcpTrigger', 2, { path }),
				webhookId: path,
			},
			tool,
		],
		connections: { [names.tool]: { ai_tool: [[connection(names.server, 'ai_tool')]] } },
		settings: { executionOrder: 'v1' },
	});
	await installation.client.publish(serverId);
	const clientId = await installation.client.createWorkflow({
		name: 'MCP client',
		nodes: [
			node(names.start, 'n8n-nodes-base.manualTrigger', 1),
			node(names.client, '@n8n/n8n-nodes-langchain.mcpClient', 1.1, {
				endpointUrl: `${installation.n8n.url}/mcp/${path}`,
				tool: { __rl: true, mode: 'id', value: 'Create_a_delivery' },
				inputMode: 'json',
				jsonInput: JSON.stringify(toolArguments),
			}),
		],
		connections: { [names.start]: { main: [[connection(names.client, 'main')]] } },
		settings: { executionOrder: 'v1' },
	});
	const execution = await installation.client.run(clientId, names.start);
	await installation.client.unpublish(serverId);
	return execution;
}

test('an MCP client calls the tool of a published workflow', async () => {
	const execution = await callByMcp(deliveryTool());
	expect(execution.status).toBe('success');
	const [delivery, ...others] = installation.service.control.deliveries();
	expect(others).toEqual([]);
	expect(delivery?.request).toMatchObject(expectedRequest);
	expect(JSON.stringify(outputOf(execution, names.client))).toContain(delivery?.record.id);
});

test('a tool with Retry On Fail sends nothing', async () => {
	const retrying = { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 };
	await callByMcp({ ...deliveryTool(), ...retrying });
	expect(installation.service.control.requests()).toEqual([]);

	await callByMcp(deliveryTool());
	expect(installation.service.control.deliveries()).toHaveLength(1);
});

test("n8n's MCP server finds the nodes for shipping Shopify orders, with their hints", async () => {
	const search = async (query: string) =>
		await installation.client.callMcpTool('search_nodes', { queries: [query] });
	const found = await search('ship Shopify orders by courier');
	expect(found).toContain('- n8n-nodes-delivery-service.deliveryService\\n');
	expect(found).toContain('@builderHint Use one node with Create From Shopify Orders');
	expect(found).toContain('n8n-nodes-base.emailSend: \\"Emails the owner what failed\\"');
	expect(found).toContain('@builderHint Starts on events of the Delivery Service');
});
