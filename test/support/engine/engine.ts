/**
 * Runs this package's nodes in n8n-core's real execution engine, with real HTTP. Tests import from
 * this file only.
 */
import { removeUserFolder } from './environment';
import type { INodeType } from 'n8n-workflow';
import { deduplicationStore } from './deduplicationStore';
import { registry } from './registry';
import { closeTriggers } from './trigger';

export { loadList, testCredential, type LoadListOptions } from './editor';
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

/** n8n's de-duplication store, kept from run to run within a test file. */
export { deduplicationStore };

/**
 * Makes a node type known to the engine, for instance a stub of a built-in node that a workflow
 * holds.
 */
export function addNodeType(type: string, nodeType: INodeType): void {
	registry.addNode(type, nodeType);
}

/**
 * Stops what the engine has started and deletes its temporary folder. In jest this happens after each
 * engine test file by itself; other programs call it at their end.
 */
export async function closeEngine(): Promise<void> {
	await closeTriggers();
	deduplicationStore.reset();
	removeUserFolder();
}
