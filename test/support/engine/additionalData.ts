import { ExternalSecretsProxy } from 'n8n-core';
import type { IWorkflowExecuteAdditionalData, INodeParameters } from 'n8n-workflow';
import type { EngineCredentials } from './credentials';

/** What n8n knows of an execution besides its workflow and data. */
export interface ExecutionSettings {
	credentials: EngineCredentials;
	workflowId: string;
	/** Where n8n is reached, without a slash at the end. */
	instanceUrl?: string;
	/** The parameters that the editor shows, for lists. */
	currentNodeParameters?: INodeParameters;
}

let lastExecution = 0;

/** The services and addresses that n8n gives to an execution, with n8n's default path names. */
export function createAdditionalData(settings: ExecutionSettings): IWorkflowExecuteAdditionalData {
	const { instanceUrl = 'http://127.0.0.1:5678' } = settings;
	return {
		currentNodeExecutionIndex: 0,
		credentialsHelper: settings.credentials,
		externalSecretsProxy: new ExternalSecretsProxy(),
		variables: {},
		workflowId: settings.workflowId,
		executionId: String(++lastExecution),
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

/** Rejects: our nodes use nothing of what this engine does not serve. */
export async function notServed(what: string): Promise<never> {
	return await Promise.reject(new Error(`This engine does not serve ${what}.`));
}
