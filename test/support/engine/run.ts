import { ExecutionLifecycleHooks, WorkflowExecute } from 'n8n-core';
import {
	createRunExecutionData,
	deepCopy,
	Workflow,
	type ExecutionStatus,
	type IConnections,
	type IDataObject,
	type IExecuteData,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type INodeType,
	type IRunData,
	type IRunExecutionData,
	type IWorkflowBase,
	type NodeExecutionHint,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { z } from 'zod';
import { createAdditionalData } from './additionalData';
import { EngineCredentials, type CredentialData, type CredentialSet } from './credentials';
import { registerDeduplicationStore } from './deduplicationStore';
import { assignProcess, HostProcess } from './hostProcess';
import { manualTriggerType, registry } from './registry';

const runErrorSchema = z
	.object({
		name: z.string().catch('Error'),
		message: z.string(),
		description: z.string().nullish(),
		httpCode: z.string().nullish(),
		messages: z.array(z.string()).optional(),
		context: z.record(z.unknown()).catch({}),
	})
	.passthrough();

/**
 * An error as an execution stores it and the editor shows it: `message`, `description` below it,
 * `context.itemIndex`, and `httpCode` of a `NodeApiError`.
 */
export type RunError = z.infer<typeof runErrorSchema>;

/** How an execution starts and ends. */
export interface RunControls {
	/** Aborting it stops the execution, as the Stop button and the timeout of the workflow do. */
	signal?: AbortSignal;
	/**
	 * Aborting it kills the n8n process of the execution: its code stops, requests in flight are
	 * aborted, and the result is `crashed`. The deduplication store keeps its entries.
	 */
	kill?: AbortSignal;
	/** The base URL of n8n and of its webhook URLs. */
	instanceUrl?: string;
	/** Defaults to `manual`, the button in the editor. */
	mode?: WorkflowExecuteMode;
}

/** A workflow as the editor exports it. Other fields are ignored. */
export interface WorkflowJson {
	id?: string;
	nodes: INode[];
	connections: IConnections;
	staticData?: IDataObject;
}

/** The result of an execution. */
export interface WorkflowRun {
	/** n8n's status, or `crashed` if the process was killed. */
	status: ExecutionStatus;
	/** The error that ended the execution. */
	error?: RunError;
	/** The data that n8n recorded, by node name; empty after a crash. */
	runData: IRunData;
	/** The outputs of the last run of a node: one list of items per output. */
	outputsOf: (nodeName: string) => INodeExecutionData[][];
	/** The hints of the last run of a node. */
	hintsOf: (nodeName: string) => NodeExecutionHint[];
}

/** The result of running one node. */
export interface NodeRun {
	/** n8n's status, or `crashed` if the process was killed. */
	status: ExecutionStatus;
	/** One list of items per output; with `continueErrorOutput`, the last one is the error output. */
	outputs: INodeExecutionData[][];
	/** The items of the first output. */
	items: INodeExecutionData[];
	/** The error of the node, even if the execution continued after it. */
	error?: RunError;
	/** The hints of the node. */
	hints: NodeExecutionHint[];
}

/** A node with its settings. */
export interface RunNodeOptions extends RunControls {
	/** The node type: its name in this package (`deliveryService`), or its full name. */
	node: string;
	parameters?: INodeParameters;
	/** The input items, or only their JSON. Defaults to one empty item. */
	items?: ReadonlyArray<INodeExecutionData | IDataObject>;
	/** The fields of the node's credential. Undefined if it has none. */
	credential?: CredentialData;
	onError?: INode['onError'];
	/** Other settings of the node. */
	settings?: Partial<
		Pick<INode, 'id' | 'executeOnce' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>
	>;
	/** Defaults to `workflow`. Executions of the same workflow share its deduplication entries. */
	workflowId?: string;
	/** What earlier executions have stored for the node. */
	staticData?: IDataObject;
}

/**
 * Runs one node in n8n's real execution engine, after a Manual Trigger that outputs the items. If the
 * node fails, the result contains its `error`.
 *
 * @throws Error if there is no such node type
 */
export async function runNode(options: RunNodeOptions): Promise<NodeRun> {
	const { parameters = {}, items = [{}], credential, onError, settings, workflowId } = options;
	const { staticData } = options;
	const type = registry.fullName(options.node);
	const { description } = registry.getByName(type);
	const node: INode = {
		id: 'node',
		name: description.displayName,
		type,
		typeVersion: 1,
		position: [200, 0],
		parameters: deepCopy(parameters),
		onError,
		...settings,
	};
	const trigger: INode = {
		id: 'start',
		name: 'Start',
		type: manualTriggerType,
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const run = await runWorkflow(
		{
			id: workflowId,
			staticData: staticData && { [`node:${node.name}`]: staticData },
			nodes: [trigger, node],
			connections: { Start: { main: [[{ node: node.name, type: 'main', index: 0 }]] } },
		},
		{ ...options, items, credentials: credentialsFor(description, credential) },
	);
	const outputs = run.outputsOf(node.name);
	const task = run.runData[node.name]?.at(-1);
	return {
		status: run.status,
		outputs,
		items: outputs[0] ?? [],
		error: task?.error === undefined ? run.error : runErrorSchema.parse(task.error),
		hints: run.hintsOf(node.name),
	};
}

/** How to start a workflow. */
export interface RunWorkflowOptions extends RunControls {
	/** The items that the start node outputs, or only their JSON. Defaults to one empty item. */
	items?: ReadonlyArray<INodeExecutionData | IDataObject>;
	/** The node to start with. Defaults to the one that n8n selects. */
	startNode?: string;
	/** One credential per credential type, which all nodes with this type share. */
	credentials?: CredentialSet;
}

/**
 * Runs a whole workflow in n8n's real execution engine. Add node types other than Manual Trigger and
 * those of this package. If the execution fails, the result contains its
 * `error`.
 *
 * @throws Error if the workflow contains an unknown node type or has no start node
 */
export async function runWorkflow(
	json: WorkflowJson,
	options: RunWorkflowOptions = {},
): Promise<WorkflowRun> {
	const { items = [{}], credentials = {} } = options;
	const workflow = createWorkflow(json, credentials, false);
	const start =
		options.startNode === undefined ? workflow.getStartNode() : workflow.getNode(options.startNode);
	if (!start) throw new Error('The workflow has no node to start from.');
	return await execute(workflow, {
		...options,
		credentials,
		start: { node: start, data: { main: [items.map(asItem)] }, source: null },
	});
}

/** How to start `execute`. */
export interface ExecuteOptions extends RunControls {
	credentials: CredentialSet;
	/** The first node with its input data. */
	start: IExecuteData;
}

/** Runs a workflow from a prepared first node. */
export async function execute(workflow: Workflow, options: ExecuteOptions): Promise<WorkflowRun> {
	const { mode = 'manual', signal, kill, start } = options;
	await registerDeduplicationStore();
	const hostProcess = new HostProcess();
	assignProcess(workflow, hostProcess);
	const additionalData = createAdditionalData({
		credentials: new EngineCredentials(options.credentials, hostProcess),
		workflowId: workflow.id,
		instanceUrl: options.instanceUrl,
	});
	// n8n-core requires hooks. These do nothing.
	additionalData.hooks = new ExecutionLifecycleHooks(mode, '1', workflowBase(workflow));
	const runExecutionData = createRunExecutionData({
		executionData: { nodeExecutionStack: [start] },
	});

	const ended = new AbortController();
	const whenAborted = (source: AbortSignal | undefined, action: () => void) => {
		if (source?.aborted) action();
		else source?.addEventListener('abort', action, { once: true, signal: ended.signal });
	};
	const crashed = new Promise<WorkflowRun>((resolve) => {
		whenAborted(hostProcess.killed, () =>
			resolve(workflowRun('crashed', createRunExecutionData())),
		);
	});
	try {
		const running = new WorkflowExecute(
			additionalData,
			mode,
			runExecutionData,
		).processRunExecutionData(workflow);
		whenAborted(kill, () => hostProcess.kill());
		// A killed process closes its connections, as a canceled execution does.
		whenAborted(hostProcess.killed, () => running.cancel());
		whenAborted(signal, () => running.cancel());
		return await Promise.race([
			crashed,
			running.then(({ status, data }) =>
				// n8n records `canceled` immediately, whatever the node does afterwards.
				workflowRun(running.isCanceled ? 'canceled' : status, data),
			),
		]);
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		// n8n records an execution that could not start as a failed one.
		return workflowRun('error', runExecutionData, error);
	} finally {
		ended.abort();
	}
}

function workflowRun(
	status: ExecutionStatus,
	{ resultData }: IRunExecutionData,
	thrown?: Error,
): WorkflowRun {
	const error = thrown ?? resultData.error;
	const { runData } = resultData;
	return {
		status,
		// Spreading an error does not copy its name, message and stack.
		error:
			error &&
			runErrorSchema.parse({
				...error,
				name: error.name,
				message: error.message,
				stack: error.stack,
			}),
		runData,
		outputsOf: (name) => (runData[name]?.at(-1)?.data?.main ?? []).map((items) => items ?? []),
		hintsOf: (name) => runData[name]?.at(-1)?.hints ?? [],
	};
}

/**
 * Creates n8n's workflow object from workflow JSON. Nodes get the credentials that their type uses, if
 * there are any.
 */
export function createWorkflow(
	json: WorkflowJson,
	credentials: CredentialSet,
	active: boolean,
): Workflow {
	const nodes = json.nodes.map((node): INode => {
		const { description } = registry.getByName(node.type);
		const attached = (description.credentials ?? [])
			.filter(({ name }) => name in credentials)
			.map(({ name }): [string, { id: string; name: string }] => [name, { id: name, name }]);
		return {
			...deepCopy(node),
			credentials: attached.length > 0 ? Object.fromEntries(attached) : undefined,
		};
	});
	const workflow = new Workflow({
		id: json.id ?? 'workflow',
		name: 'Workflow',
		nodes,
		connections: json.connections,
		active,
		nodeTypes: registry,
		staticData: deepCopy(json.staticData),
		settings: { executionOrder: 'v1' },
	});
	for (const { parameters } of Object.values(workflow.nodes)) frozen(parameters);
	return workflow;
}

/** Freezes a value that several readers share, so that changing it throws. */
function frozen<Value>(value: Value): Value {
	if (typeof value === 'object' && value !== null)
		Object.values(Object.freeze(value)).forEach(frozen);
	return value;
}

/** The credential of a node's first credential type, by that type's name. */
export function credentialsFor(
	description: INodeType['description'],
	credential: CredentialData | undefined,
): CredentialSet {
	if (credential === undefined) return {};
	const [first] = description.credentials ?? [];
	if (first === undefined) throw new Error(`The node ${description.name} uses no credential.`);
	return { [first.name]: credential };
}

function asItem(item: INodeExecutionData | IDataObject): INodeExecutionData {
	const copy = deepCopy(isItem(item) ? item : { json: item });
	frozen(copy.json);
	return copy;
}

function isItem(item: INodeExecutionData | IDataObject): item is INodeExecutionData {
	return 'json' in item && typeof item.json === 'object';
}

function workflowBase(workflow: Workflow): IWorkflowBase {
	const now = new Date();
	return {
		id: workflow.id,
		name: workflow.name ?? '',
		active: workflow.active,
		isArchived: false,
		activeVersionId: null,
		createdAt: now,
		updatedAt: now,
		nodes: Object.values(workflow.nodes),
		connections: workflow.connectionsBySourceNode,
		settings: workflow.settings,
	};
}
