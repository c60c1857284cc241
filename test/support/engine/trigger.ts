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
	type WebhookAnswer,
	type WebhookRoute,
} from './webhookServer';

/** A trigger node with its settings, in a workflow of its own. */
export interface OpenTriggerOptions {
	/** `deliveryServiceTrigger` by default. */
	node?: string;
	parameters?: INodeParameters;
	/** The fields of the node's credential. */
	credential?: CredentialData;
	/** `workflow` by default. */
	workflowId?: string;
	/**
	 * Makes the webhook path, as n8n's random id does; derived from the workflow id by default. Null:
	 * none, as in some workflows that were not made in the editor.
	 */
	webhookId?: string | null;
	/** The node's name; the type's own by default. */
	name?: string;
	/**
	 * The address that n8n believes to be reached at (its WEBHOOK_URL). The server's own by default,
	 * so that the local service really reaches it.
	 */
	publicUrl?: string;
	/** The workflow's static data to begin with. */
	staticData?: IDataObject;
}

/** A workflow execution that a webhook request started. */
export interface WebhookExecution {
	mode: 'webhook' | 'manual';
	/** What the node gave to the workflow. */
	workflowData: INodeExecutionData[][];
	/** The execution itself. It never rejects. */
	finished: Promise<WorkflowRun>;
}

/** A request to the trigger's webhook. */
export interface ReceiveOptions {
	method?: 'DELETE' | 'GET' | 'HEAD' | 'PATCH' | 'POST' | 'PUT';
	/** Sent as JSON. */
	body?: unknown;
	/** Sent as it is, in place of `body`; name its content type in `headers`. */
	rawBody?: string | Buffer;
	headers?: Record<string, string>;
	query?: Record<string, string>;
	/** The address to post to; by default the production one when active, else the test one. */
	url?: string;
}

/** What came of a request to the trigger's webhook. */
export interface Received {
	status: number;
	headers: Record<string, unknown>;
	body: unknown;
	/** The items that went into the workflow; undefined when no execution was started. */
	workflowData?: INodeExecutionData[][];
	/** The finished execution; undefined when none was started. */
	run?: WorkflowRun;
}

const server = new WebhookServer();
const openTriggers = new Set<Trigger>();

/**
 * Sets up a trigger node in a workflow, not yet active. Its webhook is served by a real web server,
 * so that the local service can post to it.
 *
 * @throws Error when there is no such node type, or it has no webhook
 */
export async function openTrigger(options: OpenTriggerOptions): Promise<Trigger> {
	const trigger = new Trigger(options, await server.url());
	openTriggers.add(trigger);
	return trigger;
}

/** Takes all open triggers off, without calling their `delete`, and stops the web server. */
export async function closeTriggers(): Promise<void> {
	await Promise.all([...openTriggers].map(async (trigger) => await trigger.settled()));
	openTriggers.clear();
	await server.close();
}

/**
 * A trigger node in its workflow. `checkExists`, `create` and `delete` are the node's own methods;
 * `activate`, `deactivate`, `listen` and `stopListening` do with them what n8n does.
 */
export class Trigger {
	/** The executions that requests have started, in order. */
	readonly executions: WebhookExecution[] = [];
	/** The workflow's static data, which n8n keeps in its database while the workflow exists. */
	staticData: IDataObject;

	readonly #credentials: CredentialSet;
	readonly #json: WorkflowJson;
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
		this.#publicUrl = options.publicUrl ?? serverUrl;
		this.#serverUrl = serverUrl;
		this.staticData = options.staticData ?? {};
	}

	/** The production address of the node's (first) webhook, as the service would know it. */
	get url(): string {
		return `${this.#publicUrl}/webhook/${this.#path()}`;
	}

	/** The test address of the node's (first) webhook. */
	get testUrl(): string {
		return `${this.#publicUrl}/webhook-test/${this.#path()}`;
	}

	/** Whether the production address is served. */
	get active(): boolean {
		return this.#active;
	}
	#active = false;

	/** Whether the test address is served. */
	get listening(): boolean {
		return this.#listening;
	}
	#listening = false;

	/** The node's `checkExists`, for its default webhook, as on activation (or on "Listen"). */
	async checkExists(isTest = false): Promise<boolean> {
		return await this.#hook('checkExists', isTest);
	}

	/** The node's `create`. */
	async create(isTest = false): Promise<boolean> {
		return await this.#hook('create', isTest);
	}

	/** The node's `delete`. */
	async delete(isTest = false): Promise<boolean> {
		return await this.#hook('delete', isTest);
	}

	/**
	 * What n8n does when the workflow is published, or with `init` when n8n starts: for each webhook
	 * `checkExists`, then `create` only when that gave false. When one fails, n8n deletes them all.
	 *
	 * @throws the node's error, which n8n shows to the user; the workflow is not active then
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
	 * What n8n does when the workflow is unpublished, or before a changed version is published: the
	 * node's `delete` for each webhook. The workflow ends up inactive whatever happens.
	 *
	 * @returns the error that the node's `delete` threw, which n8n only logs
	 */
	async deactivate(): Promise<Error | undefined> {
		this.#active = false;
		const workflow = this.#workflow(true, this.staticData);
		const webhooks = this.#webhooks(workflow, false);
		for (const webhook of webhooks) server.deregister(routeOf(webhook, false));
		return await loggedOnly(async () => {
			for (const webhook of webhooks) {
				await this.#run('delete', workflow, webhook, 'internal', 'update');
			}
			this.staticData = workflow.staticData;
		});
	}

	/**
	 * What n8n does when an active workflow is published with changed parameters: the old version is
	 * taken off first, then the new one is activated.
	 *
	 * @throws the node's error on activation
	 */
	async republish(parameters: INodeParameters): Promise<void> {
		await this.deactivate();
		this.#node.parameters = parameters;
		await this.activate('update');
	}

	/**
	 * What n8n does on "Listen for test event": as `activate`, with the test address. After the first
	 * request that starts an execution n8n stops listening by itself.
	 *
	 * @throws the node's error, which n8n shows to the user
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
	 * What n8n does on "Stop listening", or when the test's time is up: the node's `delete`.
	 *
	 * @returns the error that the node's `delete` threw, which n8n only logs
	 */
	async stopListening(): Promise<Error | undefined> {
		return await loggedOnly(async () => await this.#deleteTest());
	}

	/**
	 * Posts to the trigger's webhook over HTTP, as the service would, and waits for the execution that
	 * it starts.
	 */
	async receive(options: ReceiveOptions = {}): Promise<Received> {
		const correlation = newCorrelation();
		const known = options.url ?? (this.#active || !this.#listening ? this.url : this.testUrl);
		const response = await axios.request<unknown>({
			url: known.replace(this.#publicUrl, this.#serverUrl),
			method: options.method ?? 'POST',
			data: options.rawBody ?? options.body,
			headers: { ...options.headers, [correlationHeader]: correlation },
			params: options.query,
			validateStatus: () => true,
			maxRedirects: 0,
			// The bytes that the test asked for, with no header or conversion of axios' own.
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

	/** Waits until all executions that were started so far have ended. */
	async settled(): Promise<void> {
		await Promise.all(this.#handling.values());
		await Promise.all(this.executions.map(async ({ finished }) => await finished));
	}

	async #hook(method: WebhookSetupMethodNames, isTest: boolean): Promise<boolean> {
		const workflow = this.#workflow(!isTest, isTest ? this.#testStaticData : this.staticData);
		const webhook = this.#webhooks(workflow, isTest).find(
			({ webhookDescription }) => webhookDescription.name === 'default',
		);
		if (webhook === undefined) throw new Error('The trigger has no webhook with these methods.');
		const [mode, activation] = hookModes(method, isTest);
		const result = await this.#run(method, workflow, webhook, mode, activation);
		if (isTest) this.#testStaticData = workflow.staticData;
		else this.staticData = workflow.staticData;
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
			typeVersion: this.#node.typeVersion,
			handle: async (request, response, answer, correlation) => {
				const work = this.#handle(isTest, webhook, { request, response, answer, correlation });
				// `receive` waits for this, also when the node has answered before it was done.
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

	/** What n8n does with a request to a registered webhook. */
	async #handle(isTest: boolean, webhook: IWebhookData, exchange: Exchange): Promise<void> {
		const workflow = this.#workflow(!isTest, isTest ? this.#testStaticData : this.staticData);
		const mode = isTest ? 'manual' : 'webhook';
		let answered = false;
		const answer = (value: WebhookAnswer) => {
			if (!answered) exchange.answer(value);
			answered = true;
		};
		const result = await this.#callNode(workflow, webhook, exchange, mode);
		const { noWebhookResponse, workflowData } = result;
		const given: unknown = result.webhookResponse;
		if (!isTest) this.staticData = workflow.staticData;
		if (noWebhookResponse === true) answer({});
		if (workflowData === undefined) {
			answer({ body: { value: given ?? { message: 'Webhook call received' }, status: 200 } });
			return;
		}
		this.#start(workflow, workflowData, mode, exchange.correlation);
		answer({ body: { value: given ?? { message: 'Workflow was started' }, status: 200 } });
		if (isTest) await this.stopListening();
	}

	async #callNode(
		workflow: Workflow,
		webhook: IWebhookData,
		{ request, response }: Exchange,
		mode: 'webhook' | 'manual',
	): Promise<IWebhookResponseData> {
		const node = this.#nodeOf(workflow);
		const nodeType = registry.getByName(node.type);
		if (!nodeType.webhook) throw new Error(`The node ${node.name} has no method for its webhook.`);
		const additionalData = {
			...webhook.workflowExecuteAdditionalData,
			httpRequest: request,
			httpResponse: response,
		};
		const context = new WebhookContext(workflow, node, additionalData, mode, webhook, [], null);
		return await nodeType.webhook.call(context);
	}

	#start(
		workflow: Workflow,
		workflowData: INodeExecutionData[][],
		mode: 'webhook' | 'manual',
		correlation: string | undefined,
	): void {
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
		if (node === null) throw new Error('The trigger node is gone.');
		return node;
	}

	/** The node's webhooks as n8n registers them: one a description. */
	#webhooks(workflow: Workflow, isTest: boolean): IWebhookData[] {
		const node = this.#nodeOf(workflow);
		return (registry.getByName(node.type).description.webhooks ?? []).map((webhookDescription) => {
			const { httpMethod, path, responseMode } = webhookDescription;
			if (responseMode !== 'onReceived')
				throw new Error(`This engine does not serve the response mode "${responseMode}".`);
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

interface Exchange {
	request: Parameters<WebhookRoute['handle']>[0];
	response: Parameters<WebhookRoute['handle']>[1];
	answer: (answer: WebhookAnswer) => void;
	correlation: string | undefined;
}

const methodSchema = z.enum(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']);

function routeOf({ httpMethod, path }: IWebhookData, isTest: boolean) {
	const kind: WebhookRoute['kind'] = isTest ? 'webhook-test' : 'webhook';
	return { kind, method: httpMethod, path };
}

function hookModes(
	method: WebhookSetupMethodNames,
	isTest: boolean,
): [WorkflowExecuteMode, WorkflowActivateMode] {
	if (method === 'delete') return ['internal', 'update'];
	return isTest ? ['manual', 'manual'] : ['trigger', 'activate'];
}

async function loggedOnly(work: () => Promise<void>): Promise<Error | undefined> {
	try {
		await work();
		return undefined;
	} catch (error) {
		return error instanceof Error ? error : new Error(String(error));
	}
}
