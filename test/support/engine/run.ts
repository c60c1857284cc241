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
 * An error as an execution keeps it and the editor shows it: `message` (the headline),
 * `description` (below it), `context.itemIndex`, and for a `NodeApiError` `httpCode`.
 */
export type RunError = z.infer<typeof runErrorSchema>;

/** How an execution is begun and ended. */
export interface RunControls {
	/** Aborting it is the user pressing Stop, or the workflow's timeout, which n8n treats the same. */
	signal?: AbortSignal;
	/**
	 * Aborting it kills the n8n process of this execution: nothing of it goes on, requests under way
	 * break off, and the result is `crashed`. The de-duplication store keeps what it has.
	 */
	kill?: AbortSignal;
	/** Where n8n is reached; decides the webhook addresses. */
	instanceUrl?: string;
	/** `manual` (the editor's button) by default. */
	mode?: WorkflowExecuteMode;
}

/** A workflow as the editor exports it. Fields beyond these are ignored. */
export interface WorkflowJson {
	id?: string;
	nodes: INode[];
	connections: IConnections;
	staticData?: IDataObject;
}

/** What came of an execution. */
export interface WorkflowRun {
	/** n8n's status, or `crashed` when the process was killed in the middle. */
	status: ExecutionStatus;
	/** The error that ended the execution. */
	error?: RunError;
	/** All that n8n recorded, by node name; empty after a crash. */
	runData: IRunData;
	/** The outputs of a node's last run: one list of items for each output. */
	outputsOf: (nodeName: string) => INodeExecutionData[][];
	/** The hints that a node's last run left. */
	hintsOf: (nodeName: string) => NodeExecutionHint[];
}

/** What came of running one node. */
export interface NodeRun {
	/** n8n's status, or `crashed` when the process was killed in the middle. */
	status: ExecutionStatus;
	/** A list of items for each output; with `continueErrorOutput` the last one is the error output. */
	outputs: INodeExecutionData[][];
	/** The items of the first output. */
	items: INodeExecutionData[];
	/** The node's error, also when the execution went on in spite of it. */
	error?: RunError;
	/** The hints that the node left. */
	hints: NodeExecutionHint[];
}

/** A node with its settings, as the user set them up. */
export interface RunNodeOptions extends RunControls {
	/** A node type, by its name in this package (`deliveryService`) or in full. */
	node: string;
	parameters?: INodeParameters;
	/** The items that come in: whole items, or only their JSON. One empty item by default. */
	items?: ReadonlyArray<INodeExecutionData | IDataObject>;
	/** The fields of the node's credential; left out, the node has none. */
	credential?: CredentialData;
	onError?: INode['onError'];
	/** More of the node's settings. */
	settings?: Partial<Pick<INode, 'id' | 'retryOnFail' | 'maxTries' | 'waitBetweenTries'>>;
	/** `workflow` by default. Executions of one workflow id share its de-duplication entries. */
	workflowId?: string;
}

/**
 * Runs one node in n8n's real execution engine, behind a Manual Trigger that emits the given items.
 * A failure of the node does not reject: it is the result's `error`.
 *
 * @throws Error when there is no such node type
 */
export async function runNode(options: RunNodeOptions): Promise<NodeRun> {
	const { parameters = {}, items = [{}], credential, onError, settings, workflowId } = options;
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

/** What a workflow is started with. */
export interface RunWorkflowOptions extends RunControls {
	/** The items that the start node emits: whole items, or only their JSON. One empty by default. */
	items?: ReadonlyArray<INodeExecutionData | IDataObject>;
	/** The node to start from; by default the one that n8n finds. */
	startNode?: string;
	/** The credential's fields for each credential type; every node of that type gets it. */
	credentials?: CredentialSet;
}

/**
 * Runs a whole workflow in n8n's real execution engine. Node types other than this package's and
 * Manual Trigger must be added with `addNodeType` first. A failing execution does not reject: it is
 * the result's `error`.
 *
 * @throws Error when the workflow holds a node type that is not known, or has no start node
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

/** What `execute` starts from. */
export interface ExecuteOptions extends RunControls {
	credentials: CredentialSet;
	/** The first node, with the data that it is given. */
	start: IExecuteData;
}

/**
 * Runs a workflow from a prepared first node. The rest of the engine is built on this.
 */
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
	// n8n-core asks for them; nothing is recorded in them.
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
		// A killed process closes its connections; so does a cancelled execution.
		whenAborted(hostProcess.killed, () => running.cancel());
		whenAborted(signal, () => running.cancel());
		return await Promise.race([
			crashed,
			running.then(({ status, data }) =>
				// n8n records `canceled` at once, whatever the node still makes of it.
				workflowRun(running.isCanceled ? 'canceled' : status, data),
			),
		]);
	} catch (error) {
		if (!(error instanceof Error)) throw error;
		// n8n records an execution that could not be started as a failed one.
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
		// An error's own name, message and stack are not among the members that are spread.
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
 * Makes n8n's workflow object from workflow JSON, with each node's credentials attached where its
 * type asks for a credential that is given.
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

/** Shared with all that reads it: whoever changes it throws. */
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
	if (first === undefined) throw new Error(`The node ${description.name} takes no credential.`);
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
