import { randomUUID } from 'node:crypto';

import axios, { isAxiosError, type AxiosInstance } from 'axios';
import axiosRetry from 'axios-retry';
import { z } from 'zod';

import {
	executionSchema,
	executionSummarySchema,
	type Execution,
	type ExecutionSummary,
} from './execution';
import { waitFor } from './progress';

const requestTimeoutMs = 60_000;
const executionTimeoutMs = 120_000;
const publicationTimeoutMs = 60_000;
const executionsPerPage = 100;
const rowsPerPage = 250;
const notFound = 404;
const notReady = 'Database is not ready';

/** The person that a fresh n8n is set up for. */
export interface Owner {
	email: string;
	firstName: string;
	lastName: string;
	password: string;
}

/** What a credential's connection test found, as the editor shows it. */
export type ConnectionTest = z.infer<typeof connectionTestSchema>['data'];

/** A workflow as the editor exports it. */
export type WorkflowFile = z.infer<typeof workflowFileSchema>;

/** A node as the editor's node picker knows it. */
export type NodeType = z.infer<typeof nodeTypesSchema>[number];

/** A workflow that n8n has stored. */
export type StoredWorkflow = z.infer<typeof storedWorkflowSchema>;

/** A row of a data table, by the names of its columns. */
export type TableRow = z.infer<typeof rowsSchema>['data']['data'][number];

type Publication = z.infer<typeof publicationSchema>['data'];

/** n8n refused a request, or a trigger could not be started; the message is n8n's own. */
export class N8nRefusal extends Error {
	override readonly name = 'N8nRefusal';

	constructor(
		message: string,
		/** The HTTP status, when there was one. */
		readonly status?: number,
	) {
		super(message);
	}
}

/** A workflow as the editor exports it, as far as it is looked at here. */
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
		pinData: z.record(z.array(z.object({ json: z.unknown() }))).nullish(),
	})
	.passthrough();

const storedSchema = z.object({ data: z.object({ id: z.string() }) });
const storedWorkflowSchema = workflowFileSchema.extend({ id: z.string() });
const apiKeySchema = z.object({ data: z.object({ rawApiKey: z.string() }) });
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
const pageSchema = z.object({ data: z.array(z.unknown()), nextCursor: z.string().nullish() });

/**
 * Talks to a running n8n: through its public API where that can do it, which is the same in both
 * n8n versions, else through the requests that its editor makes.
 */
export class N8nClient {
	private constructor(
		private readonly url: string,
		private readonly editor: AxiosInstance,
		private readonly api: AxiosInstance,
	) {}

	/**
	 * Sets a fresh n8n up for its first user, and signs in. Throws an N8nRefusal when it is set up
	 * already, or the password is too weak for it.
	 */
	static async setUp(url: string, owner: Owner): Promise<N8nClient> {
		return await N8nClient.enter(url, '/owner/setup', owner);
	}

	/** Signs in to an n8n that is set up. Throws an N8nRefusal when the password is wrong. */
	static async signIn(url: string, user: Pick<Owner, 'email' | 'password'>): Promise<N8nClient> {
		const body = { emailOrLdapLoginId: user.email, password: user.password };
		return await N8nClient.enter(url, '/login', body);
	}

	private static async enter(url: string, path: string, body: object): Promise<N8nClient> {
		const visitor = connect(`${url}/rest`);
		const { headers } = await visitor.post(path, body);
		const cookies = z.array(z.string()).parse(headers['set-cookie']);
		const cookie = cookies.map((text) => text.split(';')[0]).join('; ');
		const editor = connect(`${url}/rest`, { Cookie: cookie });
		const scopes = scopesSchema.parse((await editor.get('/api-keys/scopes')).data).data;
		const label = `client ${Date.now()}`;
		const key = await editor.post('/api-keys', { label, scopes, expiresAt: null });
		const { rawApiKey } = apiKeySchema.parse(key.data).data;
		return new N8nClient(url, editor, connect(`${url}/api/v1`, { 'X-N8N-API-KEY': rawApiKey }));
	}

	/** Lists the nodes that the editor offers, one entry a version. */
	async nodeTypes(): Promise<NodeType[]> {
		const answer = await this.editor.get(`${this.url}/types/nodes.json`);
		return nodeTypesSchema.parse(answer.data);
	}

	/**
	 * Stores a credential. Gives its id. Throws an N8nRefusal when n8n does not know the type or the
	 * fields do not fit it.
	 */
	async createCredential(name: string, type: string, data: object): Promise<string> {
		// The public API of 1.x also wants fields there that the editor hides.
		const answer = await this.editor.post('/credentials', { name, type, data });
		return storedSchema.parse(answer.data).data.id;
	}

	/**
	 * Replaces a stored credential's fields. Throws an N8nRefusal when there is no such credential or
	 * the fields do not fit it.
	 */
	async updateCredential(id: string, name: string, type: string, data: object): Promise<void> {
		await this.editor.patch(`/credentials/${id}`, { name, type, data });
	}

	/**
	 * Runs a stored credential's connection test, as the editor does when it is saved. Gives what the
	 * test found; a failed test is not an error.
	 */
	async testCredential(
		id: string,
		name: string,
		type: string,
		data: object,
	): Promise<ConnectionTest> {
		const credentials = { id, name, type, data };
		const answer = await this.editor.post('/credentials/test', { credentials });
		return connectionTestSchema.parse(answer.data).data;
	}

	/** Imports a workflow, sample data pinned to its nodes included. Gives its id. */
	async createWorkflow(workflow: WorkflowFile): Promise<string> {
		const answer = await this.editor.post('/workflows', { ...workflow, active: false });
		return storedSchema.parse(answer.data).data.id;
	}

	/**
	 * Reads a workflow as it was saved last. Throws an N8nRefusal when there is none with this id.
	 */
	async workflow(workflowId: string): Promise<StoredWorkflow> {
		const answer = await this.editor.get(`/workflows/${workflowId}`);
		return z.object({ data: storedWorkflowSchema }).parse(answer.data).data;
	}

	/**
	 * Saves changes to a workflow, as the editor does. A published one goes on as it was until it is
	 * published again. Throws an N8nRefusal when there is none with this id.
	 */
	async updateWorkflow(
		workflowId: string,
		changes: Partial<Pick<WorkflowFile, 'name' | 'nodes' | 'connections'>>,
	): Promise<void> {
		await this.editor.patch(`/workflows/${workflowId}`, changes);
	}

	/**
	 * Archives a workflow, which the editor does in place of deleting it. One that is published is
	 * taken back. Throws an N8nRefusal when there is none with this id.
	 */
	async archive(workflowId: string): Promise<void> {
		await this.editor.post(`/workflows/${workflowId}/archive`, {});
	}

	/**
	 * Makes a data table in the owner's project. Throws an N8nRefusal when the name is taken.
	 *
	 * @param columns the types by the names
	 * @returns the table's id
	 */
	async createTable(name: string, columns: Readonly<Record<string, string>>): Promise<string> {
		const body = {
			name,
			columns: Object.entries(columns).map(([column, type]) => ({ name: column, type })),
		};
		const answer = await this.editor.post(await this.tablesPath(), body);
		return storedSchema.parse(answer.data).data.id;
	}

	/** Reads the rows of the data table with this name, the oldest first; none when there is none. */
	async tableRows(name: string): Promise<TableRow[]> {
		const path = await this.tablePath(name);
		if (path === undefined) return [];
		const params = { take: rowsPerPage, sortBy: 'id:asc' };
		const rows = await this.editor.get(`${path}/rows`, { params });
		return rowsSchema.parse(rows.data).data.data;
	}

	/** Adds a row to the data table with this name. Throws an Error when there is none. */
	async addTableRow(name: string, row: TableRow): Promise<void> {
		const path = await this.tablePath(name);
		if (path === undefined) throw new Error(`There is no table ${name}`);
		await this.editor.post(`${path}/insert`, { data: [row], returnType: 'count' });
	}

	/** The path of the data table with this name, if there is one. */
	private async tablePath(name: string): Promise<string | undefined> {
		const path = await this.tablesPath();
		const { data } = tablesSchema.parse((await this.editor.get(path)).data);
		const table = data.data.find((found) => found.name === name);
		return table && `${path}/${table.id}`;
	}

	private async tablesPath(): Promise<string> {
		const answer = await this.editor.get('/projects/personal');
		return `/projects/${storedSchema.parse(answer.data).data.id}/data-tables`;
	}

	/**
	 * Publishes a workflow, which 1.x called activating it. Resolves once its triggers listen. Throws
	 * an N8nRefusal with the trigger's own reason when one cannot start.
	 */
	async publish(workflowId: string): Promise<void> {
		await this.api.post(`/workflows/${workflowId}/activate`, {});
		await this.settled(workflowId, 'published');
	}

	/**
	 * Takes a published workflow back. Resolves once its triggers no longer listen. Throws an
	 * N8nRefusal with the trigger's own reason when one cannot end.
	 */
	async unpublish(workflowId: string): Promise<void> {
		await this.api.post(`/workflows/${workflowId}/deactivate`, {});
		await this.settled(workflowId, 'not_published');
	}

	/** 1.x starts and ends triggers within the request; 2.x does it afterwards. */
	private async settled(workflowId: string, wanted: 'published' | 'not_published'): Promise<void> {
		await waitFor(`workflow ${workflowId} to be ${wanted}`, publicationTimeoutMs, async () => {
			const { status, triggers } = await this.publication(workflowId, wanted);
			if (status === 'failed' || status === 'partial') {
				throw new N8nRefusal(triggers.map(({ errorMessage }) => errorMessage).join('\n'));
			}
			return status === wanted || undefined;
		});
	}

	private async publication(
		workflowId: string,
		statusWithout: 'published' | 'not_published',
	): Promise<Publication> {
		try {
			const answer = await this.editor.get(`/workflows/${workflowId}/publication-status`);
			return publicationSchema.parse(answer.data).data;
		} catch (error) {
			if (error instanceof N8nRefusal && error.status === notFound) {
				return { status: statusWithout, triggers: [] };
			}
			throw error;
		}
	}

	/**
	 * Runs a workflow as the editor's button does. `destination` is the node to run up to, as a
	 * node's own button does; without it all nodes run. Gives the execution, once it has ended well
	 * or badly. Throws an Error when it does not end in time.
	 */
	async run(workflowId: string, trigger: string, destination?: string): Promise<Execution> {
		return await this.endOf(await this.begin(workflowId, trigger, destination));
	}

	/** Begins to run a workflow as {@link run} does. Gives the ID of the execution. */
	async begin(workflowId: string, trigger: string, destination?: string): Promise<string> {
		const answer = await this.start(workflowId, trigger, destination);
		return runSchema.parse(answer).data.executionId;
	}

	/** Stops an execution, as the editor's button does. */
	async stop(executionId: string): Promise<void> {
		await this.editor.post(`/executions/${executionId}/stop`);
	}

	/**
	 * Listens for a test event, as the button of a webhook trigger does. Throws an N8nRefusal with
	 * the trigger's own reason when it cannot start.
	 */
	async listen(workflowId: string, trigger: string): Promise<void> {
		listeningSchema.parse(await this.start(workflowId, trigger, trigger));
	}

	/** Stops listening for a test event. n8n takes the trigger's test webhook off afterwards. */
	async stopListening(workflowId: string): Promise<void> {
		await this.editor.delete(`/test-webhook/${workflowId}`);
	}

	/**
	 * Says something in the editor's chat. Gives the execution that answers it, once it has ended well
	 * or badly.
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
		const answer = await this.start(workflowId, trigger, undefined, data);
		return await this.endOf(runSchema.parse(answer).data.executionId);
	}

	private async start(
		workflowId: string,
		trigger: string,
		destination?: string,
		data?: object,
	): Promise<unknown> {
		const answer = await this.editor.post(`/workflows/${workflowId}/run`, {
			// 1.x runs the workflow in the request, 2.x the stored one.
			workflowData: await this.workflow(workflowId),
			triggerToStartFrom: { name: trigger, ...(data && { data }) },
			...(destination !== undefined && {
				destinationNode: { nodeName: destination, mode: 'inclusive' },
			}),
		});
		return answer.data;
	}

	/**
	 * Runs an execution that failed again, from the node that failed. Gives the new execution, once
	 * it has ended well or badly. Throws an N8nRefusal when the execution did not fail.
	 */
	async retry(executionId: string): Promise<Execution> {
		const answer = await this.api.post(`/executions/${executionId}/retry`, { loadWorkflow: false });
		return await this.endOf(z.object({ id: z.coerce.string() }).parse(answer.data).id);
	}

	/**
	 * Waits for an execution to end. Gives the execution with its data. Throws an Error when it does
	 * not end in time.
	 */
	async endOf(executionId: string, timeoutMs = executionTimeoutMs): Promise<Execution> {
		await waitFor(`the end of execution ${executionId}`, timeoutMs, async () => {
			const answer = await this.api.get(`/executions/${executionId}`);
			return hasEnded(executionSummarySchema.parse(answer.data)) || undefined;
		});
		return await this.execution(executionId);
	}

	/**
	 * Reads an execution that has ended. Gives the execution with its data. Throws an N8nRefusal when
	 * there is none with this id; ZodError while it is running.
	 */
	async execution(executionId: string): Promise<Execution> {
		const params = { includeData: true };
		return executionSchema.parse(
			(await this.api.get(`/executions/${executionId}`, { params })).data,
		);
	}

	/**
	 * Lists a workflow's executions, also those that are running. Gives all of them, the newest
	 * first.
	 */
	async executions(workflowId: string): Promise<ExecutionSummary[]> {
		return await this.listed(workflowId, false, executionSummarySchema);
	}

	/** Lists a workflow's executions that were started last, up to a hundred of them. */
	async newestExecutions(workflowId: string): Promise<ExecutionSummary[]> {
		const params = { workflowId, limit: executionsPerPage };
		const page = pageSchema.parse((await this.api.get('/executions', { params })).data);
		return z.array(executionSummarySchema).parse(page.data);
	}

	/**
	 * Reads a workflow's executions, all of which have ended. Gives all of them with their data, the
	 * newest first. Throws a ZodError while one is running.
	 */
	async executionsWithData(workflowId: string): Promise<Execution[]> {
		return await this.listed(workflowId, true, executionSchema);
	}

	private async listed<Schema extends z.ZodTypeAny>(
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

/** Whether an execution has ended, well or badly. */
export function hasEnded({ status }: ExecutionSummary): boolean {
	return !['new', 'running', 'waiting', 'unknown'].includes(status);
}

function connect(baseURL: string, headers: Record<string, string> = {}): AxiosInstance {
	// A proxy in the environment is for the internet, not for this machine.
	const client = axios.create({ baseURL, headers, timeout: requestTimeoutMs, proxy: false });
	// n8n pings its database, and rejects everything after a computation that held up the ping.
	axiosRetry(client, {
		retries: 40,
		retryDelay: () => 500,
		retryCondition: ({ response }) => JSON.stringify(response?.data ?? '').includes(notReady),
	});
	client.interceptors.response.use(undefined, (error: unknown) => {
		throw isAxiosError(error) && error.response ? refusal(error.response) : error;
	});
	return client;
}

function refusal({ status, data }: { status: number; data: unknown }): N8nRefusal {
	const body = z.object({ message: z.string() }).safeParse(data);
	const reason = body.success ? body.data.message : JSON.stringify(data);
	return new N8nRefusal(`n8n refused the request (${status}): ${reason}`, status);
}
