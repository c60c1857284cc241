/** The engine of the tests, with nodes that are not part of the package. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import {
	NodeConnectionTypes,
	NodeOperationError,
	sleep,
	type IDataObject,
	type IExecuteFunctions,
	type IHookFunctions,
	type ILoadOptionsFunctions,
	type INodeExecutionData,
	type INodeListSearchResult,
	type INodeType,
	type INodeTypeDescription,
	type IWebhookFunctions,
	type IWebhookResponseData,
} from 'n8n-workflow';
import { z } from 'zod';
import {
	addNodeType,
	deduplicationStore,
	loadList,
	openTrigger,
	runNode,
	runWorkflow,
} from './engine';

/** The fields of the credential that the nodes here use. */
type Api = { baseUrl: string };

interface ReceivedRequest {
	method: string;
	url: string;
	headers: IncomingMessage['headers'];
	body: string;
}

/** An HTTP server whose response each test sets. */
const service = createServer((request, response) => {
	let body = '';
	request.setEncoding('utf8');
	request.on('data', (chunk: string) => (body += chunk));
	request.on('end', () => {
		const { method = '', url = '', headers } = request;
		requests.push({ method, url, headers, body });
		respond(request, response);
	});
});
const requests: ReceivedRequest[] = [];
let respond: (request: IncomingMessage, response: ServerResponse) => void;
let baseUrl = '';

const credential = () => ({ baseUrl, apiKeyId: ' key', apiSecret: 'secret', companyId: 1001 });

const description: INodeTypeDescription = {
	displayName: 'Tiny',
	name: 'tiny',
	group: ['transform'],
	version: 1,
	description: 'Posts each item',
	defaults: { name: 'Tiny' },
	inputs: [NodeConnectionTypes.Main],
	outputs: [NodeConnectionTypes.Main],
	credentials: [{ name: 'deliveryServiceApi', required: true }],
	properties: [
		{ displayName: 'Text', name: 'text', type: 'string', default: 'none' },
		{ displayName: 'Claim', name: 'claim', type: 'boolean', default: false },
	],
};

/** Posts `text` of each item. Claims it in the store first if `claim` is set, and releases it on failure. */
class Tiny implements INodeType {
	description = description;

	methods = {
		listSearch: {
			async things(this: ILoadOptionsFunctions, filter?: string): Promise<INodeListSearchResult> {
				const { baseUrl: url } = await this.getCredentials<Api>('deliveryServiceApi');
				const text = z.string().parse(this.getCurrentNodeParameter('text'));
				await this.helpers.httpRequestWithAuthentication.call(this, 'deliveryServiceApi', {
					url: `${url}/things`,
				});
				return { results: [{ name: `${text} ${filter}`, value: 1 }] };
			},
		},
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const output: INodeExecutionData[] = [];
		for (let item = 0; item < this.getInputData().length; item++) {
			try {
				const text = z.string().parse(this.getNodeParameter('text', item));
				if (text === 'bad')
					throw new NodeOperationError(this.getNode(), 'Bad', { itemIndex: item });
				if (this.getNodeParameter('claim', item) === true) {
					const options = { mode: 'entries' as const, maxEntries: 3 };
					const { processed } = await this.helpers.checkProcessedAndRecord([text], 'node', options);
					if (processed.length > 0) {
						output.push({ json: { skipped: text }, pairedItem: { item } });
						continue;
					}
				}
				const { baseUrl: url } = await this.getCredentials<Api>('deliveryServiceApi', item);
				const body: unknown = await this.helpers.httpRequestWithAuthentication.call(
					this,
					'deliveryServiceApi',
					{
						method: 'POST',
						url: `${url}/texts`,
						body: { text },
						json: true,
					},
				);
				output.push({ json: z.record(z.any()).parse(body), pairedItem: { item } });
			} catch (error) {
				const text = z.string().parse(this.getInputData()[item]?.json.text);
				await this.helpers.removeProcessed([text], 'node', { mode: 'entries' });
				if (!this.continueOnFail() || !(error instanceof Error)) throw error;
				output.push({ json: { error: error.message }, pairedItem: { item } });
			}
		}
		this.addExecutionHints({ message: `${output.length} done`, location: 'outputPane' });
		return [output];
	}
}

/** Reports its webhook methods to the service and in static data, and outputs what it receives. */
class TinyTrigger implements INodeType {
	description: INodeTypeDescription = {
		...description,
		displayName: 'Tiny Trigger',
		name: 'tinyTrigger',
		group: ['trigger'],
		inputs: [],
		defaults: { name: 'Tiny Trigger' },
		webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'tiny' }],
	};

	webhookMethods = {
		default: {
			checkExists: async function (this: IHookFunctions) {
				return (await callService(this, 'GET')) === 'yes';
			},
			create: async function (this: IHookFunctions) {
				await callService(this, 'PUT');
				this.getWorkflowStaticData('node').subscribed = this.getActivationMode();
				return true;
			},
			delete: async function (this: IHookFunctions) {
				await callService(this, 'DELETE');
				return true;
			},
		},
	};

	async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
		const body: unknown = this.getBodyData();
		const query = z.record(z.any()).parse(this.getQueryData());
		if (query.do === 'throw') throw new Error('Broken');
		if (query.do === 'reject') {
			this.getResponseObject().status(401).json({ rejected: true });
			return { noWebhookResponse: true };
		}
		if (query.do === 'ignore') return { webhookResponse: 'ignored' };
		const json: IDataObject = { body: JSON.stringify(body), query, mode: this.getMode() };
		return await Promise.resolve({ webhookResponse: 'OK', workflowData: [[{ json }]] });
	}
}

async function callService(
	context: IHookFunctions,
	method: 'GET' | 'PUT' | 'DELETE',
): Promise<unknown> {
	const { baseUrl: url } = await context.getCredentials<Api>('deliveryServiceApi');
	return await context.helpers.httpRequestWithAuthentication.call(context, 'deliveryServiceApi', {
		method,
		url: `${url}/hooks`,
		qs: { url: context.getNodeWebhookUrl('default') },
	});
}

beforeAll(async () => {
	addNodeType('test.tiny', new Tiny());
	addNodeType('test.tinyTrigger', new TinyTrigger());
	service.listen(0, '127.0.0.1');
	await once(service, 'listening');
	const { port } = z.object({ port: z.number() }).parse(service.address());
	baseUrl = `http://127.0.0.1:${port}`;
});

beforeEach(() => {
	requests.length = 0;
	deduplicationStore.reset();
	respond = (_request, response) => {
		response.setHeader('content-type', 'application/json').end('{"ok":true}');
	};
});

afterAll(async () => {
	service.closeAllConnections();
	await new Promise((resolve) => service.close(resolve));
});

const run = async (options: Partial<Parameters<typeof runNode>[0]> = {}) =>
	await runNode({
		node: 'test.tiny',
		parameters: { text: '={{ $json.text }}' },
		items: [{ text: 'a' }, { text: 'b' }],
		credential: credential(),
		...options,
	});

describe('runNode', () => {
	test('sends real requests with the authentication of the credential type', async () => {
		const { status, items, hints, error } = await run();

		expect(error).toBeUndefined();
		expect(status).toBe('success');
		expect(items).toEqual([
			{ json: { ok: true }, pairedItem: { item: 0 } },
			{ json: { ok: true }, pairedItem: { item: 1 } },
		]);
		expect(hints).toEqual([{ message: '2 done', location: 'outputPane' }]);
		expect(requests.map(({ method, url, body }) => `${method} ${url} ${body}`)).toEqual([
			'POST /texts {"text":"a"}',
			'POST /texts {"text":"b"}',
		]);
		expect(requests[0]?.headers).toMatchObject({
			authorization: `Basic ${Buffer.from('key:secret').toString('base64')}`,
		});
	});

	test('returns the error of the node as the editor shows it', async () => {
		const { status, error, items } = await run({ items: [{ text: 'a' }, { text: 'bad' }] });

		expect(status).toBe('error');
		expect(items).toEqual([]);
		expect(error).toMatchObject({
			name: 'NodeOperationError',
			message: 'Bad',
			context: { itemIndex: 1 },
		});
	});

	test('throws a NodeApiError with the status of a failed request', async () => {
		respond = (_request, response) => {
			response.writeHead(422, { 'content-type': 'application/json' }).end('{"message":"No"}');
		};

		const { error } = await run();

		expect(error).toMatchObject({ name: 'NodeApiError', httpCode: '422' });
	});

	test('returns errors as items, or in the error output', async () => {
		const items = [{ text: 'a' }, { text: 'bad' }];

		const regular = await run({ items, onError: 'continueRegularOutput' });
		const split = await run({ items, onError: 'continueErrorOutput' });

		expect(regular.items.map(({ json }) => json)).toEqual([{ ok: true }, { error: 'Bad' }]);
		expect(split.outputs.map((output) => output.map(({ json }) => json))).toEqual([
			[{ ok: true }],
			[{ text: 'bad', error: 'Bad' }],
		]);
	});

	test('fails a node without a credential like n8n', async () => {
		const { error } = await run({ credential: undefined });

		expect(error?.message).toBe('Node does not have any credentials set');
		expect(requests).toEqual([]);
	});

	test('cancels the run when the user presses Stop', async () => {
		const stop = new AbortController();
		respond = () => stop.abort();

		const { status } = await run({ signal: stop.signal });

		expect(status).toBe('canceled');
		expect(requests).toHaveLength(1);
	});
});

test('runs whole workflows and pairs items through to the last node', async () => {
	const at = (name: string, type: string, parameters = {}) => ({
		id: name,
		name,
		type,
		typeVersion: 1,
		position: [0, 0] satisfies [number, number],
		parameters,
	});
	const to = (node: string) => ({ main: [[{ node, type: 'main' as const, index: 0 }]] });

	const { status, outputsOf } = await runWorkflow(
		{
			nodes: [
				at('Begin', 'n8n-nodes-base.manualTrigger'),
				at('First', 'test.tiny', { text: '={{ $json.text }}' }),
				at('Second', 'test.tiny', { text: "={{ $('Begin').item.json.text + '2' }}" }),
			],
			connections: { Begin: to('First'), First: to('Second') },
		},
		{ items: [{ text: 'a' }, { text: 'b' }], credentials: { deliveryServiceApi: credential() } },
	);

	expect(status).toBe('success');
	expect(outputsOf('Second')[0]).toHaveLength(2);
	expect(requests.map(({ body }) => body)).toEqual([
		'{"text":"a"}',
		'{"text":"b"}',
		'{"text":"a2"}',
		'{"text":"b2"}',
	]);
});

describe('deduplication store', () => {
	const claim = { text: '={{ $json.text }}', claim: true };

	test('keeps the newest entries per node and workflow between runs', async () => {
		await run({ parameters: claim });
		const second = await run({ parameters: claim });
		const other = await run({ parameters: claim, workflowId: 'other' });
		const otherNode = await run({ parameters: claim, settings: { id: 'other' } });
		await run({ parameters: claim, items: [{ text: 'c' }, { text: 'd' }] });
		const fourth = await run({ parameters: claim, items: [{ text: 'b' }, { text: 'a' }] });

		expect(second.items.map(({ json }) => json)).toEqual([{ skipped: 'a' }, { skipped: 'b' }]);
		expect(other.items.map(({ json }) => json)).toEqual([{ ok: true }, { ok: true }]);
		expect(otherNode.items.map(({ json }) => json)).toEqual([{ ok: true }, { ok: true }]);
		expect(fourth.items.map(({ json }) => json)).toEqual([{ skipped: 'b' }, { ok: true }]);
		expect(deduplicationStore.count('workflow', 'node')).toBe(3);
	});

	test('fails a chosen call of the store', async () => {
		deduplicationStore.addFault({ kind: 'fail', when: 'before', skip: 1 });

		const { error } = await run({ parameters: claim });

		expect(error?.message).toContain('database');
		expect(requests.map(({ body }) => body)).toEqual(['{"text":"a"}']);
		expect(deduplicationStore.count('workflow', 'node')).toBe(1);
	});

	test('kills the process at a chosen call of the store, which ends the run', async () => {
		deduplicationStore.addFault({ kind: 'kill', when: 'after', skip: 1 });

		const { status, outputs } = await run({ parameters: claim });
		const again = await run({ parameters: claim });

		expect(status).toBe('crashed');
		expect(outputs).toEqual([]);
		expect(again.items.map(({ json }) => json)).toEqual([{ skipped: 'a' }, { skipped: 'b' }]);
		expect(requests.map(({ body }) => body)).toEqual(['{"text":"a"}']);
	});

	test('keeps its entries if the process is killed during a request', async () => {
		const kill = new AbortController();
		respond = () => kill.abort();

		const { status } = await run({ parameters: claim, kill: kill.signal });
		await sleep(20);

		expect(status).toBe('crashed');
		expect(requests).toHaveLength(1);
		expect(deduplicationStore.calls).toEqual([
			{
				operation: 'checkProcessedAndRecord',
				scope: 'node',
				workflowId: 'workflow',
				nodeId: 'node',
				items: ['a'],
			},
		]);
	});

	test('loses an entry if two executions write concurrently, as n8n does without a lock', async () => {
		await run({ parameters: claim, items: [{ text: 'first' }] });
		await Promise.all([
			run({ parameters: claim, items: [{ text: 'a' }] }),
			run({ parameters: claim, items: [{ text: 'b' }] }),
		]);

		expect(deduplicationStore.count('workflow', 'node')).toBe(2);
	});

	test('restores a snapshot of the store', async () => {
		await run({ parameters: claim, items: [{ text: 'a' }] });
		const snapshot = deduplicationStore.snapshot();
		await run({ parameters: claim, items: [{ text: 'b' }] });
		deduplicationStore.restore(snapshot);

		const { items } = await run({ parameters: claim });

		expect(items.map(({ json }) => json)).toEqual([{ skipped: 'a' }, { ok: true }]);
	});
});

describe('openTrigger', () => {
	const open = async (options = {}) =>
		await openTrigger({ node: 'test.tinyTrigger', credential: credential(), ...options });
	const calls = () =>
		requests.map(({ method, url }) => `${method} ${new URL(url, baseUrl).searchParams.get('url')}`);

	test('calls create on activation only if the webhook does not exist, and delete on deactivation', async () => {
		const trigger = await open();
		await trigger.activate();
		const failure = await trigger.deactivate();
		const first = calls();
		requests.length = 0;
		respond = (_request, response) => response.end('yes');
		await trigger.activate('init');

		expect(failure).toBeUndefined();
		expect(trigger.url).toMatch(/\/webhook\/webhook-of-workflow\/tiny$/);
		expect(first).toEqual([`GET ${trigger.url}`, `PUT ${trigger.url}`, `DELETE ${trigger.url}`]);
		expect(calls()).toEqual([`GET ${trigger.url}`]);
		expect(trigger.staticData).toMatchObject({ 'node:Tiny Trigger': { subscribed: 'activate' } });
	});

	test('deletes all webhooks and throws the error if activation fails', async () => {
		const trigger = await open();
		respond = ({ method }, response) => {
			response.statusCode = method === 'PUT' ? 500 : 200;
			response.end();
		};

		await expect(trigger.activate()).rejects.toThrow();

		expect(requests.map(({ method }) => method)).toEqual(['GET', 'PUT', 'DELETE']);
		expect(trigger.active).toBe(false);
		expect((await trigger.receive()).status).toBe(404);
	});

	test('becomes inactive even if delete fails', async () => {
		const trigger = await open();
		await trigger.activate();
		respond = (_request, response) => {
			response.statusCode = 500;
			response.end();
		};

		const failure = await trigger.deactivate();

		expect(failure?.name).toBe('NodeApiError');
		expect(trigger.active).toBe(false);
	});

	test('responds to a request and runs the workflow with the output of the node', async () => {
		const trigger = await open();
		await trigger.activate();

		const received = await trigger.receive({ body: { a: 1 }, query: { x: 'y' } });

		// n8n prefers the description's default for `responseData` to what the node returns.
		expect(received).toMatchObject({
			status: 200,
			body: 'firstEntryJson',
			run: { status: 'success' },
		});
		expect(received.run?.outputsOf('Tiny Trigger')[0]?.[0]?.json).toEqual({
			body: '{"a":1}',
			query: { x: 'y' },
			mode: 'webhook',
		});
		expect(trigger.executions).toHaveLength(1);
	});

	test.each([
		['reject', 401, { rejected: true }],
		['ignore', 200, 'ignored'],
	])('starts no execution if the node decides to %s a request', async (what, status, body) => {
		const trigger = await open();
		await trigger.activate();

		const received = await trigger.receive({ query: { do: what } });

		expect(received).toMatchObject({ status, body, workflowData: undefined, run: undefined });
		expect(trigger.executions).toEqual([]);
	});

	test('responds 500 and starts an execution that fails if the node throws', async () => {
		const trigger = await open();
		await trigger.activate();

		const received = await trigger.receive({ query: { do: 'throw' } });

		expect(received).toMatchObject({
			status: 500,
			body: { code: 0, message: 'Workflow Webhook Error: Workflow could not be started!' },
			run: { status: 'error', error: { message: 'Broken' } },
		});
	});

	test.each([
		['application/json', '{"a":1}', '{"a":1}'],
		['application/x-www-form-urlencoded', 'a=1&a=2', '{"a":["1","2"]}'],
		['text/plain', 'a', '"a"'],
		['text/xml', '<A><b>1</b></A>', '{"a":{"b":"1"}}'],
		['application/octet-stream', 'a', undefined],
	])('parses a body of type %s like n8n', async (type, rawBody, body) => {
		const trigger = await open();
		await trigger.activate();

		const { workflowData } = await trigger.receive({ rawBody, headers: { 'content-type': type } });

		expect(workflowData?.[0]?.[0]?.json.body).toBe(body);
	});

	test('responds 422 to invalid JSON before calling the node', async () => {
		const trigger = await open();
		await trigger.activate();

		const { status, body } = await trigger.receive({
			rawBody: '{"a":',
			headers: { 'content-type': 'application/json' },
		});

		expect(status).toBe(422);
		expect(body).toMatchObject({ code: 422, message: 'Failed to parse request body' });
	});

	test('listens at the test URL until an execution starts', async () => {
		const trigger = await open();
		await trigger.listen();
		const ignored = await trigger.receive({ query: { do: 'ignore' } });
		const received = await trigger.receive();
		const late = await trigger.receive({ url: trigger.testUrl });

		expect(trigger.testUrl).toContain('/webhook-test/');
		expect([ignored, received, late].map(({ status }) => status)).toEqual([200, 200, 404]);
		expect(received.workflowData?.[0]?.[0]?.json.mode).toBe('manual');
		expect(trigger.listening).toBe(false);
		expect(calls()).toEqual(
			['GET', 'PUT', 'DELETE'].map((method) => `${method} ${trigger.testUrl}`),
		);
	});

	test('passes the public URL of n8n to the node', async () => {
		const trigger = await open({ publicUrl: 'https://n8n.example.com' });
		await trigger.activate();

		expect(calls()[0]).toBe('GET https://n8n.example.com/webhook/webhook-of-workflow/tiny');
		expect((await trigger.receive()).status).toBe(200);
	});
});

test('fills drop-down lists like the editor', async () => {
	const { results } = await loadList({
		node: 'test.tiny',
		method: 'things',
		parameters: { text: 'blue' },
		credential: credential(),
		filter: 'x',
	});

	expect(results).toEqual([{ name: 'blue x', value: 1 }]);
	expect(requests[0]?.headers.authorization).toMatch(/^Basic /);
});
