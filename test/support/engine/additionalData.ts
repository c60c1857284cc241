import { ExecutionLifecycleHooks, ExternalSecretsProxy } from 'n8n-core';
import type {
	IWorkflowBase,
	IWorkflowExecuteAdditionalData,
	INodeParameters,
	WorkflowExecuteMode,
} from 'n8n-workflow';
import type { EngineCredentials } from './credentials';

/** What n8n knows of an execution besides its workflow and data. */
export interface ExecutionSettings {
	credentials: EngineCredentials;
	workflowId: string;
	executionId?: string;
	/** Where n8n is reached, without a slash at the end. */
	instanceUrl?: string;
	/** When the execution's time is up, in ms since 1970. */
	timeoutAt?: number;
	/** The parameters that the editor shows, for lists and credential tests. */
	currentNodeParameters?: INodeParameters;
}

/** The services and addresses that n8n gives to an execution, with n8n's default path names. */
export function createAdditionalData(settings: ExecutionSettings): IWorkflowExecuteAdditionalData {
	const { instanceUrl = 'http://127.0.0.1:5678' } = settings;
	return {
		currentNodeExecutionIndex: 0,
		credentialsHelper: settings.credentials,
		externalSecretsProxy: new ExternalSecretsProxy(),
		variables: {},
		workflowId: settings.workflowId,
		executionId: settings.executionId,
		executionTimeoutTimestamp: settings.timeoutAt,
		currentNodeParameters: settings.currentNodeParameters,
		instanceBaseUrl: `${instanceUrl}/`,
		restApiUrl: `${instanceUrl}/rest`,
		webhookBaseUrl: `${instanceUrl}/webhook`,
		webhookTestBaseUrl: `${instanceUrl}/webhook-test`,
		webhookWaitingBaseUrl: `${instanceUrl}/webhook-waiting`,
		formBaseUrl: `${instanceUrl}/form`,
		formTestBaseUrl: `${instanceUrl}/form-test`,
		formWaitingBaseUrl: `${instanceUrl}/form-waiting`,
		mcpBaseUrl: `${instanceUrl}/mcp`,
		mcpTestBaseUrl: `${instanceUrl}/mcp-test`,
		logAiEvent: () => undefined,
		setExecutionStatus: () => undefined,
		executeWorkflow: async () => await notServed('sub-workflows'),
		getRunExecutionData: async () => await Promise.resolve(undefined),
		getRuntimeCredential: async () => await Promise.resolve(undefined),
		startRunnerTask: async () => await notServed('task runners'),
	};
}

/** The lifecycle hooks that n8n-core asks for; nothing is recorded in them. */
export function createHooks(
	mode: WorkflowExecuteMode,
	executionId: string,
	workflow: IWorkflowBase,
): ExecutionLifecycleHooks {
	return new ExecutionLifecycleHooks(mode, executionId, workflow);
}

async function notServed(what: string): Promise<never> {
	return await Promise.reject(new Error(`This engine does not serve ${what}.`));
}
