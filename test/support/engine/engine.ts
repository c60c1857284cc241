/**
 * Runs this package's nodes in n8n-core's real execution engine, with real HTTP. Tests import from
 * this file only.
 */
import { removeUserFolder } from './environment';
import type { INodeType } from 'n8n-workflow';
import { deduplicationStore } from './deduplicationStore';
import { registry } from './registry';
import { closeTriggers } from './trigger';

export { testCredential } from './editor';
export type { CredentialData, CredentialSet } from './credentials';
export type { StoreCall, StoreFault, StoreSnapshot } from './deduplicationStore';
export {
	runNode,
	runWorkflow,
	type NodeRun,
	type RunControls,
	type RunError,
	type RunNodeOptions,
	type RunWorkflowOptions,
	type WorkflowJson,
	type WorkflowRun,
} from './run';
export {
	openTrigger,
	type OpenTriggerOptions,
	type Received,
	type ReceiveOptions,
	type Trigger,
	type WebhookExecution,
} from './trigger';

/** n8n's deduplication store, which keeps its entries between the runs of a test file. */
export { deduplicationStore };

/** Adds a node type to the engine, e.g. a stub of a built-in node of a workflow. */
export function addNodeType(type: string, nodeType: INodeType): void {
	registry.addNode(type, nodeType);
}

/**
 * Stops everything that the engine has started, and deletes its temporary folder. jest calls it after
 * each engine test file; other programs call it before they exit.
 */
export async function closeEngine(): Promise<void> {
	await closeTriggers();
	deduplicationStore.reset();
	removeUserFolder();
}
