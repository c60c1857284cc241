import { randomUUID } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import axios, { isAxiosError, type AxiosInstance, type AxiosResponse } from 'axios';
import { z } from 'zod';

import {
	executionSchema,
	executionSummarySchema,
	type Execution,
	type ExecutionSummary,
} from './execution';
import { patienceMs, waitFor } from './progress';

const executionsPerPage = 100;
const rowsPerPage = 250;
const notFound = 404;
const notReady = 'Database is not ready';
const notReadyRetries = 40;
const notReadyMs = 500;

/** The owner account of an n8n. */
export interface Owner {
	email: string;
	firstName: string;
	lastName: string;
	password: string;
}

/** The result of a credential's connection test, as the editor shows it. */
export type ConnectionTest = z.infer<typeof connectionTestSchema>['data'];

/** A workflow as the editor exports it. */
export type WorkflowFile = z.infer<typeof workflowFileSchema>;

/** A node as the editor's node panel lists it. */
export type NodeType = z.infer<typeof nodeTypesSchema>[number];

/** A workflow that is stored in n8n. */
export type StoredWorkflow = z.infer<typeof storedWorkflowSchema>;

/** A row of a data table: values by column name. */
export type TableRow = z.infer<typeof rowsSchema>['data']['data'][number];

type Publication = z.infer<typeof publicationSchema>['data'];

/** What a new major version of n8n would break. */
export interface MigrationReport {
	/** The IDs of the rules that the settings of n8n break. */
	instance: string[];
	/** Each finding in a workflow: the ID of the rule, the name of the workflow, and what is wrong. */
	workflows: string[];
}

/** n8n rejected a request, or a trigger could not be started. The message contains n8n's reason. */
export class N8nRejection extends Error {
	override readonly name = 'N8nRejection';

	constructor(
		message: string,
		/** The HTTP status, if there was one. */
		readonly status?: number,
	) {
		super(message);
	}
}

/** A workflow as the editor exports it. Checks only the fields that are used here. */
export const workflowFileSchema = z
	.object({
		name: z.string(),
		nodes: z.array(
			z
				.object({
					name: z.string(),
					type: z.string(),
					parameters: z.record(z.unknown()),
					credentials: z.record(z.object({ id: z.string(), name: z.string() })).optional(),
				})
				.passthrough(),
		),
		connections: z.record(z.unknown()),
		settings: z.record(z.unknown()).nullish(),
		pinData: z.record(z.array(z.object({ json: z.unknown() }))).nullish(),
	})
	.passthrough();

const idSchema = z.object({ data: z.object({ id: z.string() }) });
const storedWorkflowSchema = workflowFileSchema.extend({ id: z.string() });
const apiKeySchema = z.object({ data: z.object({ rawApiKey: z.string() }) });
const mcpKeySchema = z.object({ data: z.object({ apiKey: z.string() }) });
const scopesSchema = z.object({ data: z.array(z.string()) });
const connectionTestSchema = z.object({
	data: z.object({ status: z.enum(['OK', 'Error']), message: z.string() }),
});
const publicationSchema = z.object({
	data: z.object({
		status: z.enum(['in_progress', 'published', 'partial', 'failed', 'not_published']),
		triggers: z.array(z.object({ errorMessage: z.string().nullish() })),
	}),
});
const runSchema = z.object({ data: z.object({ executionId: z.string() }) });
const listeningSchema = z.object({ data: z.object({ waitingForWebhook: z.literal(true) }) });
const nodeTypesSchema = z.array(
	z.object({ name: z.string(), displayName: z.string(), group: z.array(z.string()) }).passthrough(),
);
const tablesSchema = z.object({
	data: z.object({ data: z.array(z.object({ id: z.string(), name: z.string() })) }),
});
const rowsSchema = z.object({ data: z.object({ data: z.array(z.record(z.unknown())) }) });
const migrationReportSchema = z.object({
	data: z.object({
		report: z.object({
			instanceResults: z.array(z.object({ ruleId: z.string() })),
			workflowResults: z.array(z.object({ ruleId: z.string() })),
		}),
	}),
});
const migrationRuleSchema = z.object({
	data: z.object({
		affectedWorkflows: z.array(
			z.object({ name: z.string(), issues: z.array(z.object({ title: z.string() })) }),
		),
	}),
});
const pageSchema = z.object({ data: z.array(z.unknown()), nextCursor: z.string().nullish() });

/**
 * A client for a running n8n. It uses the public API where possible, which is the same in both n8n
 * versions, and otherwise the editor's internal API.
 */
export class N8nClient {
	private constructor(
		private readonly url: string,
		private readonly editor: AxiosInstance,
		private readonly api: AxiosInstance,
		private readonly apiKey: string,
	) {}

	/** The fields of a credential for n8n's public API. */
	get apiCredential() {
		return { apiKey: this.apiKey, baseUrl: `${this.url}/api/v1` };
	}

	/**
	 * Creates the owner account of a new n8n and signs in. Throws an N8nRejection if there is an owner
	 * already or the password is too weak.
	 */
	static async setUp(url: string, owner: Owner): Promise<N8nClient> {
		const editor = await openEditor(url, '/owner/setup', owner);
		const scopes = scopesSchema.parse((await editor.get('/api-keys/scopes')).data).data;
		const label = `client ${Date.now()}`;
		const key = await editor.post('/api-keys', { label, scopes, expiresAt: null });
		const { rawApiKey } = apiKeySchema.parse(key.data).data;
		return new N8nClient(url, editor, openApi(url, rawApiKey), rawApiKey);
	}

	/** Signs the owner in again, with the API key of {@link setUp}. Throws an N8nRejection. */
	static async signIn(url: string, owner: Owner, apiKey: string): Promise<N8nClient> {
		const login = { emailOrLdapLoginId: owner.email, password: owner.password };
		const editor = await openEditor(url, '/login', login);
		return new N8nClient(url, editor, openApi(url, apiKey), apiKey);
	}

	/** Lists the nodes that the editor offers, with one entry per version. */
	async nodeTypes(): Promise<NodeType[]> {
		const response = await this.editor.get(`${this.url}/types/nodes.json`);
		return nodeTypesSchema.parse(response.data);
	}

	/**
	 * Reads n8n's Migration Report: what a new major version would break. Throws an N8nRejection if n8n
	 * has no report for it.
	 *
	 * @param version the major version, e.g. v3
	 */
	async migrationReport(version: string): Promise<MigrationReport> {
		const path = '/breaking-changes/report';
		// The report is cached, so it is made again.
		const response = await this.editor.post(`${path}/refresh`, undefined, { params: { version } });
		const { instanceResults, workflowResults } = migrationReportSchema.parse(response.data).data
			.report;
		const workflows = workflowResults.map(async ({ ruleId }) => {
			const rule = await this.editor.get(`${path}/${ruleId}`);
			return migrationRuleSchema
				.parse(rule.data)
				.data.affectedWorkflows.flatMap(({ name, issues }) =>
					issues.map(({ title }) => `${ruleId}: ${name}: ${title}`),
				);
		});
		return {
			instance: instanceResults.map(({ ruleId }) => ruleId),
			workflows: (await Promise.all(workflows)).flat(),
		};
	}

	/** Calls a tool of n8n's MCP server, as an AI does. Returns the response. Only in 2.x. */
	async callMcpTool(name: string, parameters: object): Promise<string> {
		await this.editor.patch('/mcp/settings', { mcpAccessEnabled: true });
		const key = await this.editor.get('/mcp/api-key');
		const { apiKey } = mcpKeySchema.parse(key.data).data;
		const client = createHttpClient(this.url, {
			Authorization: `Bearer ${apiKey}`,
			Accept: 'application/json, text/event-stream',
		});
		const params = { name, arguments: parameters };
		const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
		return (await client.post<string>('/mcp-server/http', body)).data;
	}

	/**
	 * Stores a credential and returns its ID. Throws an N8nRejection if n8n doesn't know the type or the
	 * fields don't match it.
	 */
	async createCredential(name: string, type: string, data: object): Promise<string> {
		// The public API of 1.x also requires fields that the editor hides.
		const response = await this.editor.post('/credentials', { name, type, data });
		return idSchema.parse(response.data).data.id;
	}

	/**
	 * Connects a stored OAuth2 credential, as its button in the editor does.
	 *
	 * @param consent what the user does at the authorization URL; returns the redirect URL
	 * @throws N8nRejection if n8n gets no token
	 */
	async connectOAuth(id: string, consent: (authorizationUrl: URL) => string): Promise<void> {
		const response = await this.editor.get('/oauth2-credential/auth', { params: { id } });
		const url = new URL(z.object({ data: z.string() }).parse(response.data).data);
		const { search } = new URL(consent(url));
		const callback = await this.editor.get<string>(`/oauth2-credential/callback${search}`);
		const { data } = callback;
		if (!data.includes('Connection successful')) throw new N8nRejection(data);
	}

	/**
	 * Replaces the fields of a stored credential. Throws an N8nRejection if there is no such credential
	 * or the fields don't match its type.
	 */
	async updateCredential(id: string, name: string, type: string, data: object): Promise<void> {
		await this.editor.patch(`/credentials/${id}`, { name, type, data });
	}

	/**
	 * Runs the connection test of a stored credential, as the editor does on save. Returns the result;
	 * a failed test is not an error.
	 */
	async testCredential(
		id: string,
		name: string,
		type: string,
		data: object,
	): Promise<ConnectionTest> {
		const credentials = { id, name, type, data };
		const response = await this.editor.post('/credentials/test', { credentials });
		return connectionTestSchema.parse(response.data).data;
	}

	/** Imports a workflow, including pinned data, and returns its ID. */
	async createWorkflow(workflow: WorkflowFile): Promise<string> {
		const response = await this.editor.post('/workflows', { ...workflow, active: false });
		return idSchema.parse(response.data).data.id;
	}

	/** Returns a workflow as last saved. Throws an N8nRejection if there is no workflow with this ID. */
	async workflow(workflowId: string): Promise<StoredWorkflow> {
		const response = await this.editor.get(`/workflows/${workflowId}`);
		return z.object({ data: storedWorkflowSchema }).parse(response.data).data;
	}

	/**
	 * Saves changes to a workflow, as the editor does. A published workflow keeps running its published
	 * version. Throws an N8nRejection if there is no workflow with this ID.
	 */
	async updateWorkflow(
		workflowId: string,
		changes: Partial<Pick<WorkflowFile, 'name' | 'nodes' | 'connections' | 'settings' | 'pinData'>>,
	): Promise<void> {
		await this.editor.patch(`/workflows/${workflowId}`, changes);
	}

	/** Changes the static data of a workflow, where its nodes keep what they need in later runs. */
	async changeStaticData(workflowId: string, change: (json: string) => string): Promise<void> {
		const path = `/workflows/${workflowId}`;
		const { data } = await this.api.get<unknown>(path);
		const { name, nodes, connections, staticData } = storedWorkflowSchema.parse(data);
		const changed: unknown = JSON.parse(change(JSON.stringify(staticData)));
		const settings = { executionOrder: 'v1' };
		await this.api.put(path, { name, nodes, connections, settings, staticData: changed });
	}

	/**
	 * Archives a workflow, which the editor does before deleting it, and unpublishes it. Throws an
	 * N8nRejection if there is no workflow with this ID.
	 */
	async archive(workflowId: string): Promise<void> {
		await this.editor.post(`/workflows/${workflowId}/archive`, {});
	}

	/**
	 * Creates a data table in the owner's project.
	 *
	 * @param columns the column types by column name
	 * @returns the table's ID
	 * @throws N8nRejection if the name is taken
	 */
	async createTable(name: string, columns: Readonly<Record<string, string>>): Promise<string> {
		const body = {
			name,
			columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
		};
		const response = await this.editor.post(await this.tablesPath(), body);
		return idSchema.parse(response.data).data.id;
	}

	/** Returns the rows of a data table, oldest first; none if there is no table with this name. */
	async tableRows(name: string): Promise<TableRow[]> {
		const path = await this.tablePath(name);
		if (path === undefined) return [];
		const params = { take: rowsPerPage, sortBy: 'id:asc' };
		const rows = await this.editor.get(`${path}/rows`, { params });
		return rowsSchema.parse(rows.data).data.data;
	}

	/** Adds a row to a data table. Throws an Error if there is no table with this name. */
	async addTableRow(name: string, row: TableRow): Promise<void> {
		const path = await this.tablePath(name);
		if (path === undefined) throw new Error(`There is no data table named ${name}`);
		await this.editor.post(`${path}/insert`, { data: [row], returnType: 'count' });
	}

	/** Changes the rows of a data table with the given values. Throws an Error if there is no such table. */
	async changeTableRow(name: string, values: TableRow, changes: TableRow): Promise<void> {
		const path = await this.tablePath(name);
		if (path === undefined) throw new Error(`There is no data table named ${name}`);
		const filters = Object.entries(values).map(([columnName, value]) => ({
			columnName,
			condition: 'eq',
			value,
		}));
		await this.editor.patch(`${path}/rows`, { filter: { type: 'and', filters }, data: changes });
	}

	/** The API path of a data table, or undefined if there is no table with this name. */
	private async tablePath(name: string): Promise<string | undefined> {
		const path = await this.tablesPath();
		const { data } = tablesSchema.parse((await this.editor.get(path)).data);
		const table = data.data.find((found) => found.name === name);
		return table && `${path}/${table.id}`;
	}

	private async tablesPath(): Promise<string> {
		const response = await this.editor.get('/projects/personal');
		return `/projects/${idSchema.parse(response.data).data.id}/data-tables`;
	}

	/**
	 * Publishes a workflow (in 1.x: activates it). Resolves when its triggers have started. Throws an
	 * N8nRejection with the trigger's error message if one cannot start.
	 */
	async publish(workflowId: string): Promise<void> {
		const end = await this.startPublishing(workflowId);
		await end();
	}

	/**
	 * Publishes a workflow as {@link publish} does, and resolves when n8n has responded, which 1.x does
	 * when the triggers have started. Throws an N8nRejection if one cannot start in 1.x.
	 *
	 * @returns what waits for the rest
	 */
	async startPublishing(workflowId: string): Promise<() => Promise<void>> {
		await this.api.post(`/workflows/${workflowId}/activate`, {});
		return async () => await this.waitForPublication(workflowId, 'published');
	}

	/**
	 * Unpublishes a workflow (in 1.x: deactivates it). Resolves when its triggers have stopped. Throws
	 * an N8nRejection with the trigger's error message if one cannot stop.
	 */
	async unpublish(workflowId: string): Promise<void> {
		await this.api.post(`/workflows/${workflowId}/deactivate`, {});
		await this.waitForPublication(workflowId, 'not_published');
	}

	/** 1.x starts and stops triggers during the request, 2.x afterwards. */
	private async waitForPublication(
		workflowId: string,
		wanted: 'published' | 'not_published',
	): Promise<void> {
		await waitFor(`workflow ${workflowId} to be ${wanted}`, async () => {
			const { status, triggers } = await this.publication(workflowId, wanted);
			if (status === 'failed' || status === 'partial') {
				throw new N8nRejection(triggers.map(({ errorMessage }) => errorMessage).join('\n'));
			}
			return status === wanted;
		});
	}

	private async publication(
		workflowId: string,
		fallback: 'published' | 'not_published',
	): Promise<Publication> {
		try {
			const response = await this.editor.get(`/workflows/${workflowId}/publication-status`);
			return publicationSchema.parse(response.data).data;
		} catch (error) {
			if (error instanceof N8nRejection && error.status === notFound) {
				return { status: fallback, triggers: [] };
			}
			throw error;
		}
	}

	/**
	 * Runs a workflow as the editor's button does.
	 *
	 * @param workflowId the workflow to run
	 * @param trigger the name of the trigger node to start from
	 * @param destination the node to run up to, as with Execute step; by default all nodes run
	 * @returns the finished execution, successful or not
	 * @throws Error if it does not finish in time
	 */
	async run(workflowId: string, trigger: string, destination?: string): Promise<Execution> {
		return await this.waitForExecution(await this.startRun(workflowId, trigger, destination));
	}

	/** Starts a run as {@link run} does, and returns the execution ID without waiting. */
	async startRun(workflowId: string, trigger: string, destination?: string): Promise<string> {
		const response = await this.requestRun(workflowId, trigger, destination);
		return runSchema.parse(response).data.executionId;
	}

	/** Stops an execution, as the editor's button does. */
	async stop(executionId: string): Promise<void> {
		await this.editor.post(`/executions/${executionId}/stop`);
	}

	/**
	 * Listens for a test event, as the button of a webhook trigger does. Throws an N8nRejection with
	 * the trigger's error message if it cannot start.
	 */
	async listen(workflowId: string, trigger: string): Promise<void> {
		listeningSchema.parse(await this.requestRun(workflowId, trigger, trigger));
	}

	/** Stops listening for a test event. n8n removes the trigger's test webhook afterwards. */
	async stopListening(workflowId: string): Promise<void> {
		await this.editor.delete(`/test-webhook/${workflowId}`);
	}

	/**
	 * Sends a message in the editor's chat. Returns the finished execution that responds to it,
	 * successful or not.
	 */
	async chat(workflowId: string, trigger: string, chatInput: string): Promise<Execution> {
		const json = { sessionId: randomUUID(), action: 'sendMessage', chatInput };
		const data = {
			startTime: Date.now(),
			executionTime: 0,
			executionStatus: 'success',
			data: { main: [[{ json }]] },
			source: [null],
		};
		const response = await this.requestRun(workflowId, trigger, undefined, data);
		return await this.waitForExecution(runSchema.parse(response).data.executionId);
	}

	private async requestRun(
		workflowId: string,
		trigger: string,
		destination?: string,
		data?: object,
	): Promise<unknown> {
		const response = await this.editor.post(`/workflows/${workflowId}/run`, {
			// 1.x runs the workflow in the request, 2.x the stored workflow.
			workflowData: await this.workflow(workflowId),
			triggerToStartFrom: { name: trigger, ...(data && { data }) },
			...(destination !== undefined && {
				destinationNode: { nodeName: destination, mode: 'inclusive' },
			}),
		});
		return response.data;
	}

	/**
	 * Retries a failed execution from the node that failed. Returns the new finished execution,
	 * successful or not. Throws an N8nRejection if the execution did not fail.
	 *
	 * @param loadWorkflow whether to run the workflow as it is now
	 */
	async retry(executionId: string, loadWorkflow = false): Promise<Execution> {
		const response = await this.api.post(`/executions/${executionId}/retry`, { loadWorkflow });
		return await this.waitForExecution(z.object({ id: z.coerce.string() }).parse(response.data).id);
	}

	/**
	 * Waits for an execution to finish, and returns it with its data. Throws an Error if it does not
	 * finish in time.
	 */
	async waitForExecution(executionId: string): Promise<Execution> {
		await waitFor(`execution ${executionId} to finish`, async () => {
			const response = await this.api.get(`/executions/${executionId}`);
			return hasEnded(executionSummarySchema.parse(response.data));
		});
		return await this.execution(executionId);
	}

	/**
	 * Returns a finished execution with its data. Throws an N8nRejection if there is no execution with
	 * this ID, a ZodError if it is still running.
	 */
	async execution(executionId: string): Promise<Execution> {
		const params = { includeData: true };
		return executionSchema.parse(
			(await this.api.get(`/executions/${executionId}`, { params })).data,
		);
	}

	/** Lists all executions of a workflow, including running ones, newest first. */
	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		return await this.listExecutions(workflowId, false, executionSummarySchema);
	}

	/** Lists the newest executions of a workflow, up to 100. */
	async newestExecutions(workflowId: string): Promise<ExecutionSummary[]> {
		const params = { workflowId, limit: executionsPerPage };
		const page = pageSchema.parse((await this.api.get('/executions', { params })).data);
		return z.array(executionSummarySchema).parse(page.data);
	}

	/**
	 * Lists all executions of a workflow with their data, newest first. Throws a ZodError if one is
	 * still running.
	 */
	async executionsWithData(workflowId: string): Promise<Execution[]> {
		return await this.listExecutions(workflowId, true, executionSchema);
	}

	private async listExecutions<Schema extends z.ZodTypeAny>(
		workflowId: string,
		includeData: boolean,
		schema: Schema,
	): Promise<Array<z.infer<Schema>>> {
		const all: Array<z.infer<Schema>> = [];
		let cursor: string | undefined;
		do {
			const params = { workflowId, includeData, limit: executionsPerPage, cursor };
			const page = pageSchema.parse((await this.api.get('/executions', { params })).data);
			all.push(...z.array(schema).parse(page.data));
			cursor = page.nextCursor ?? undefined;
		} while (cursor !== undefined);
		return all;
	}
}

/** Whether an execution has finished, successful or not. */
export function hasEnded({ status }: ExecutionSummary): boolean {
	return !['new', 'running', 'waiting', 'unknown'].includes(status);
}

/** Whether an execution is running or about to, and not waiting for something. */
export function isRunning({ status }: ExecutionSummary): boolean {
	return ['new', 'running'].includes(status);
}

/** Signs in at a path of the editor's API. */
async function openEditor(url: string, path: string, body: object): Promise<AxiosInstance> {
	const { headers } = await createHttpClient(`${url}/rest`).post(path, body);
	const cookies = z.array(z.string()).parse(headers['set-cookie']);
	const cookie = cookies.map((text) => text.split(';')[0]).join('; ');
	return createHttpClient(`${url}/rest`, { Cookie: cookie });
}

function openApi(url: string, apiKey: string): AxiosInstance {
	return createHttpClient(`${url}/api/v1`, { 'X-N8N-API-KEY': apiKey });
}

function createHttpClient(baseURL: string, headers: Record<string, string> = {}): AxiosInstance {
	// A proxy in the environment is for the internet, not for the loopback address.
	const options = { baseURL, headers, timeout: patienceMs, proxy: false } as const;
	// A busy n8n may close a kept connection just when it is used again.
	const client = axios.create({ ...options, httpAgent: new Agent() });
	client.interceptors.response.use(undefined, async (error: unknown) => {
		if (!isAxiosError(error) || !error.response || !error.config) throw error;
		let response: AxiosResponse<unknown> = error.response;
		// n8n pings its database, and rejects all requests when a long computation delayed the ping.
		for (let left = notReadyRetries; left > 0 && isNotReady(response); left--) {
			await sleep(notReadyMs);
			response = await axios.request({ ...error.config, validateStatus: null });
		}
		if (response.status >= 300) throw toRejection(response);
		return response;
	});
	return client;
}

function isNotReady({ data }: AxiosResponse<unknown>): boolean {
	return JSON.stringify(data ?? '').includes(notReady);
}

function toRejection({ status, data }: { status: number; data: unknown }): N8nRejection {
	const body = z.object({ message: z.string() }).safeParse(data);
	const reason = body.success ? body.data.message : JSON.stringify(data);
	return new N8nRejection(`n8n rejected the request (${status}): ${reason}`, status);
}
