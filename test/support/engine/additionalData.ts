import { ExternalSecretsProxy } from 'n8n-core';
import type { IWorkflowExecuteAdditionalData, INodeParameters } from 'n8n-workflow';
import type { EngineCredentials } from './credentials';

/** The settings of an execution besides its workflow and data. */
export interface ExecutionSettings {
	credentials: EngineCredentials;
	workflowId: string;
	/** The base URL of n8n, without a trailing slash. */
	instanceUrl?: string;
	/** The parameters in the editor, for list searches. */
	currentNodeParameters?: INodeParameters;
}

let lastExecution = 0;

/** The helpers and URLs that n8n provides to an execution, with n8n's default paths. */
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
		executeWorkflow: async () => await notSupported('sub-workflows'),
		getRunExecutionData: async () => await Promise.resolve(undefined),
		getRuntimeCredential: async () => await Promise.resolve(undefined),
		startRunnerTask: async () => await notSupported('task runners'),
	};
}

/** Rejects the use of a feature of n8n that the nodes do not need. */
export async function notSupported(feature: string): Promise<never> {
	return await Promise.reject(new Error(`This engine does not support ${feature}.`));
}
