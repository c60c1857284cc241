import axios from 'axios';
import { HookContext, WebhookContext } from 'n8n-core';
import {
	NodeHelpers,
	type IDataObject,
	type INode,
	type INodeExecutionData,
	type INodeParameters,
	type IWebhookData,
	type IWebhookResponseData,
	type WebhookSetupMethodNames,
	type Workflow,
	type WorkflowActivateMode,
	type WorkflowExecuteMode,
} from 'n8n-workflow';
import { z } from 'zod';
import { createAdditionalData } from './additionalData';
import { EngineCredentials, type CredentialData, type CredentialSet } from './credentials';
import { HostProcess } from './hostProcess';
import { registry } from './registry';
import {
	createWorkflow,
	credentialsFor,
	execute,
	type WorkflowJson,
	type WorkflowRun,
} from './run';
import {
	correlationHeader,
	newCorrelation,
	WebhookServer,
	type WebhookResponse,
	type WebhookRoute,
} from './webhookServer';
import type { N8nLine } from './requestBody';

/** A trigger node with its settings, in its own workflow. */
export interface OpenTriggerOptions {
	/** Defaults to `deliveryServiceTrigger`. */
	node?: string;
	parameters?: INodeParameters;
	/** The fields of the node's credential. */
	credential?: CredentialData;
	/** Defaults to `workflow`. */
	workflowId?: string;
	/**
	 * Part of the webhook path, instead of n8n's random ID. Defaults to one from the workflow ID. Null for
	 * none, as in some workflows that were not created in the editor.
	 */
	webhookId?: string | null;
	/** The name of the node. Defaults to that of its type. */
	name?: string;
	/**
	 * The public URL that n8n is configured with (WEBHOOK_URL). Defaults to that of the web server, which
	 * the local service can reach.
	 */
	publicUrl?: string;
	/** The initial static data of the workflow. */
	staticData?: IDataObject;
	/** The n8n whose treatment of calls to simulate. Defaults to n8n 2. */
	n8n?: N8nLine;
}

/** A workflow execution that a webhook request started. */
export interface WebhookExecution {
	mode: 'webhook' | 'manual';
	/** The items that the node passed to the workflow. */
	workflowData: INodeExecutionData[][];
	/** The execution itself. It never rejects. */
	finished: Promise<WorkflowRun>;
}

/** A request to the trigger's webhook. */
export interface ReceiveOptions {
	method?: 'DELETE' | 'GET' | 'HEAD' | 'PATCH' | 'POST' | 'PUT';
	/** Sent as JSON. */
	body?: unknown;
	/** Sent unchanged instead of `body`. Set its content type in `headers`. */
	rawBody?: string | Buffer;
	headers?: Record<string, string>;
	/** The URL to call. Defaults to the production URL, or to the test URL while only listening. */
	url?: string;
}

/** The outcome of a request to the trigger's webhook. */
export interface Received {
	status: number;
	headers: Record<string, unknown>;
	body: unknown;
	/** The items that were passed to the workflow; undefined if no execution was started. */
	workflowData?: INodeExecutionData[][];
	/** The finished execution; undefined if none was started. */
	run?: WorkflowRun;
}

const server = new WebhookServer();
const openTriggers = new Set<Trigger>();

/**
 * Creates an inactive trigger node in a workflow. A real web server serves its webhook, so that the local
 * service can call it.
 *
 * @throws Error if there is no such node type, or it has no webhook
 */
export async function openTrigger(options: OpenTriggerOptions): Promise<Trigger> {
	const trigger = new Trigger(options, await server.url());
	openTriggers.add(trigger);
	return trigger;
}

/** Closes all open triggers without calling their `delete`, and stops the web server. */
export async function closeTriggers(): Promise<void> {
	await Promise.all([...openTriggers].map(async (trigger) => await trigger.settled()));
	openTriggers.clear();
	await server.close();
}

/**
 * A trigger node in its workflow. `create` and `delete` call the methods of the node directly; `activate`, `deactivate`, `listen` and `stopListening` call them like n8n.
 */
export class Trigger {
	/** The executions that requests started, in order. */
	readonly executions: WebhookExecution[] = [];
	/** The static data of the workflow, which n8n stores in its database. */
	staticData: IDataObject;

	readonly #credentials: CredentialSet;
	readonly #json: WorkflowJson;
	readonly #n8n: N8nLine;
	readonly #node: INode;
	readonly #publicUrl: string;
	readonly #serverUrl: string;
	readonly #byCorrelation = new Map<string, WebhookExecution>();
	readonly #handling = new Map<string, Promise<void>>();
	#testStaticData: IDataObject = {};

	/** Use `openTrigger`. */
	constructor(options: OpenTriggerOptions, serverUrl: string) {
		const type = registry.fullName(options.node ?? 'deliveryServiceTrigger');
		const { description } = registry.getByName(type);
		if (!description.webhooks?.length) {
			throw new Error(`The node ${description.name} has no webhook.`);
		}
		const { workflowId = 'workflow', webhookId = `webhook-of-${workflowId}` } = options;
		this.#node = {
			id: 'trigger',
			name: options.name ?? description.displayName,
			type,
			typeVersion: [description.version].flat().at(-1) ?? 1,
			position: [0, 0],
			parameters: options.parameters ?? {},
			...(webhookId !== null && { webhookId }),
		};
		this.#json = { id: workflowId, nodes: [this.#node], connections: {} };
		this.#credentials = credentialsFor(description, options.credential);
		this.#n8n = options.n8n ?? '2';
		this.#publicUrl = options.publicUrl ?? serverUrl;
		this.#serverUrl = serverUrl;
		this.staticData = options.staticData ?? {};
	}

	/** The production URL of the node's first webhook, as the service sees it. */
	get url(): string {
		return `${this.#publicUrl}/webhook/${this.#path()}`;
	}

	/** The test URL of the node's first webhook. */
	get testUrl(): string {
		return `${this.#publicUrl}/webhook-test/${this.#path()}`;
	}

	#active = false;

	/** Whether the trigger listens for a test event. */
	get listening(): boolean {
		return this.#listening;
	}
	#listening = false;

	/** The node's `create`. */
	async create(): Promise<boolean> {
		return await this.#hook('create', 'trigger', 'activate');
	}

	/** The node's `delete`. */
	async delete(): Promise<boolean> {
		return await this.#hook('delete', 'internal', 'update');
	}

	/**
	 * Publishes the workflow like n8n, or activates it with `init` like a starting n8n: calls `checkExists`
	 * for each webhook, and `create` if it returned false. If a call fails, n8n deletes all webhooks.
	 *
	 * @throws the error of the node, which n8n shows to the user; the workflow then stays inactive
	 */
	async activate(activation: WorkflowActivateMode = 'activate'): Promise<void> {
		const workflow = this.#workflow(true, this.staticData);
		try {
			for (const webhook of this.#webhooks(workflow, false)) {
				this.#serve(webhook, false);
				await this.#createIfNotExists(workflow, webhook, 'trigger', activation);
			}
		} catch (error) {
			await this.deactivate();
			throw error;
		}
		this.staticData = workflow.staticData;
		this.#active = true;
	}

	/**
	 * Unpublishes the workflow like n8n, which also does so before it publishes a changed version: calls
	 * `delete` for each webhook. The workflow becomes inactive even if that fails.
	 *
	 * @returns the error of the node's `delete`, which n8n only logs
	 */
	async deactivate(): Promise<Error | undefined> {
		this.#active = false;
		const workflow = this.#workflow(true, this.staticData);
		const webhooks = this.#webhooks(workflow, false);
		for (const webhook of webhooks) server.deregister(routeOf(webhook, false));
		return await errorOf(async () => {
			for (const webhook of webhooks) {
				await this.#run('delete', workflow, webhook, 'internal', 'update');
			}
			this.staticData = workflow.staticData;
		});
	}

	/**
	 * Publishes an active workflow with changed parameters like n8n: deactivates the old version first,
	 * then activates the new one.
	 *
	 * @throws the error of the node on activation
	 */
	async republish(parameters: INodeParameters): Promise<void> {
		await this.deactivate();
		this.#node.parameters = parameters;
		await this.activate('update');
	}

	/**
	 * Listens for a test event like n8n: as `activate`, with the test URL. n8n stops listening after the
	 * first request that starts an execution.
	 *
	 * @throws the error of the node, which n8n shows to the user
	 */
	async listen(): Promise<void> {
		const workflow = this.#workflow(false, {});
		try {
			for (const webhook of this.#webhooks(workflow, true)) {
				this.#serve(webhook, true);
				await this.#createIfNotExists(workflow, webhook, 'manual', 'manual');
			}
		} catch (error) {
			this.#testStaticData = workflow.staticData;
			await this.#deleteTest();
			throw error;
		}
		this.#testStaticData = workflow.staticData;
		this.#listening = true;
	}

	/**
	 * Stops listening like n8n, which also does so after a timeout: calls `delete`.
	 *
	 * @returns the error of the node's `delete`, which n8n only logs
	 */
	async stopListening(): Promise<Error | undefined> {
		return await errorOf(async () => await this.#deleteTest());
	}

	/**
	 * Calls the trigger's webhook over HTTP like the service, and waits for the execution that the call
	 * starts.
	 */
	async receive(options: ReceiveOptions = {}): Promise<Received> {
		const correlation = newCorrelation();
		const publicUrl = options.url ?? (this.#active || !this.#listening ? this.url : this.testUrl);
		const response = await axios.request<unknown>({
			url: publicUrl.replace(this.#publicUrl, this.#serverUrl),
			method: options.method ?? 'POST',
			data: options.rawBody ?? options.body,
			headers: { ...options.headers, [correlationHeader]: correlation },
			validateStatus: () => true,
			maxRedirects: 0,
			// Sends exactly these bytes: axios must not convert them or add a content type.
			...(options.rawBody === undefined ? {} : { transformRequest: [(data: unknown) => data] }),
		});
		await this.#handling.get(correlation);
		this.#handling.delete(correlation);
		const execution = this.#byCorrelation.get(correlation);
		return {
			status: response.status,
			headers: { ...response.headers },
			body: response.data,
			workflowData: execution?.workflowData,
			run: await execution?.finished,
		};
	}

	/** Waits for all executions that were started so far. */
	async settled(): Promise<void> {
		await Promise.all(this.#handling.values());
		await Promise.all(this.executions.map(async ({ finished }) => await finished));
	}

	async #hook(
		method: WebhookSetupMethodNames,
		mode: WorkflowExecuteMode,
		activation: WorkflowActivateMode,
	): Promise<boolean> {
		const workflow = this.#workflow(true, this.staticData);
		const webhook = this.#webhooks(workflow, false).find(
			({ webhookDescription }) => webhookDescription.name === 'default',
		);
		if (webhook === undefined) throw new Error('The trigger has no webhook with these methods.');
		const result = await this.#run(method, workflow, webhook, mode, activation);
		this.staticData = workflow.staticData;
		return result === true;
	}

	async #createIfNotExists(
		workflow: Workflow,
		webhook: IWebhookData,
		mode: WorkflowExecuteMode,
		activation: WorkflowActivateMode,
	): Promise<void> {
		const exists = await this.#run('checkExists', workflow, webhook, mode, activation);
		if (!exists) await this.#run('create', workflow, webhook, mode, activation);
	}

	async #run(
		method: WebhookSetupMethodNames,
		workflow: Workflow,
		webhook: IWebhookData,
		mode: WorkflowExecuteMode,
		activation: WorkflowActivateMode,
	): Promise<boolean | undefined> {
		const node = this.#nodeOf(workflow);
		const { webhookMethods } = registry.getByName(node.type);
		const additionalData = webhook.workflowExecuteAdditionalData;
		const context = new HookContext(workflow, node, additionalData, mode, activation, webhook);
		return await webhookMethods?.[webhook.webhookDescription.name]?.[method]?.call(context);
	}

	async #deleteTest(): Promise<void> {
		this.#listening = false;
		const workflow = this.#workflow(false, this.#testStaticData);
		for (const webhook of this.#webhooks(workflow, true)) {
			server.deregister(routeOf(webhook, true));
			await this.#run('delete', workflow, webhook, 'internal', 'update');
		}
	}

	#serve(webhook: IWebhookData, isTest: boolean): void {
		server.register({
			...routeOf(webhook, isTest),
			n8n: this.#n8n,
			handle: async (request, response, respond, correlation) => {
				const work = this.#handle(isTest, webhook, { request, response, respond, correlation });
				// `receive` waits for this, even if the node responds before it is done.
				if (correlation !== undefined) {
					this.#handling.set(
						correlation,
						work.then(
							() => undefined,
							() => undefined,
						),
					);
				}
				await work;
			},
		});
	}

	/** Handles a request to a registered webhook like n8n. */
	async #handle(isTest: boolean, webhook: IWebhookData, exchange: WebhookExchange): Promise<void> {
		const workflow = this.#workflow(!isTest, isTest ? this.#testStaticData : this.staticData);
		const mode = isTest ? 'manual' : 'webhook';
		const { correlation, respond } = exchange;
		const result = await this.#callNode(workflow, webhook, exchange, mode);
		const { noWebhookResponse, workflowData } = result;
		const webhookResponse: unknown = result.webhookResponse;
		if (noWebhookResponse === true) return respond({});
		if (workflowData !== undefined) this.#start({ workflowData, mode, correlation });
		respond({ body: webhookResponse });
		if (isTest && workflowData !== undefined) await this.stopListening();
	}

	async #callNode(
		workflow: Workflow,
		webhook: IWebhookData,
		{ request, response }: WebhookExchange,
		mode: 'webhook' | 'manual',
	): Promise<IWebhookResponseData> {
		const node = this.#nodeOf(workflow);
		const nodeType = registry.getByName(node.type);
		if (!nodeType.webhook) throw new Error(`The node ${node.name} has no "webhook" method.`);
		const additionalData = {
			...webhook.workflowExecuteAdditionalData,
			httpRequest: request,
			httpResponse: response,
		};
		const context = new WebhookContext(workflow, node, additionalData, mode, webhook, [], null);
		return await nodeType.webhook.call(context);
	}

	#start({ workflowData, mode, correlation }: Start): void {
		const workflow = this.#workflow(mode === 'webhook', this.staticData);
		const finished = execute(workflow, {
			mode,
			credentials: this.#credentials,
			instanceUrl: this.#publicUrl,
			start: { node: this.#nodeOf(workflow), data: { main: workflowData }, source: null },
		});
		const execution = { mode, workflowData, finished };
		this.executions.push(execution);
		if (correlation !== undefined) this.#byCorrelation.set(correlation, execution);
	}

	#workflow(active: boolean, staticData: IDataObject): Workflow {
		return createWorkflow({ ...this.#json, staticData }, this.#credentials, active);
	}

	#nodeOf(workflow: Workflow): INode {
		const node = workflow.getNode(this.#node.name);
		if (node === null) throw new Error('The workflow has no trigger node.');
		return node;
	}

	/** The node's webhooks as n8n registers them: one per description. */
	#webhooks(workflow: Workflow, isTest: boolean): IWebhookData[] {
		const node = this.#nodeOf(workflow);
		return (registry.getByName(node.type).description.webhooks ?? []).map((webhookDescription) => {
			const { httpMethod, path, responseMode } = webhookDescription;
			if (responseMode !== 'onReceived')
				throw new Error(`This engine does not support the response mode "${responseMode}".`);
			return {
				httpMethod: methodSchema.parse(httpMethod),
				node: node.name,
				path: NodeHelpers.getNodeWebhookPath(workflow.id, node, path, false),
				webhookDescription,
				workflowId: workflow.id,
				workflowExecuteAdditionalData: createAdditionalData({
					credentials: new EngineCredentials(this.#credentials, new HostProcess()),
					workflowId: workflow.id,
					instanceUrl: this.#publicUrl,
				}),
				isTest,
			};
		});
	}

	#path(): string {
		const [webhook] = this.#webhooks(this.#workflow(false, {}), false);
		return webhook?.path ?? '';
	}
}

/** What an execution starts with. */
interface Start {
	workflowData: INodeExecutionData[][];
	mode: 'webhook' | 'manual';
	correlation: string | undefined;
}

interface WebhookExchange {
	request: Parameters<WebhookRoute['handle']>[0];
	response: Parameters<WebhookRoute['handle']>[1];
	respond: (webhookResponse: WebhookResponse) => void;
	correlation: string | undefined;
}

const methodSchema = z.enum(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']);

function routeOf({ httpMethod, path }: IWebhookData, isTest: boolean) {
	const kind: WebhookRoute['kind'] = isTest ? 'webhook-test' : 'webhook';
	return { kind, method: httpMethod, path };
}

/** Returns an error that n8n only logs. */
async function errorOf(work: () => Promise<void>): Promise<Error | undefined> {
	try {
		await work();
		return undefined;
	} catch (error) {
		return error instanceof Error ? error : new Error(String(error));
	}
}
