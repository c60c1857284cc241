import { randomUUID } from 'node:crypto';

import type { StoredWorkflow, WorkflowFile } from '../../../playground/n8n/client';
import { connection, node } from '../../../playground/n8n/workflowParts';
import type { Installation } from './installation';

type WorkflowNode = WorkflowFile['nodes'][number];

/** The names of the nodes in the workflows below. */
export const nodes = {
	start: 'When clicking Execute',
	action: 'Delivery Service',
	trigger: 'Delivery Service Trigger',
	done: 'Done',
	failed: 'Failed',
} as const;

/** The type of the action node. */
export const actionType = 'n8n-nodes-delivery-service.deliveryService';
const triggerType = 'n8n-nodes-delivery-service.deliveryServiceTrigger';

/** The settings of a workflow with an action node. */
export interface ActionWorkflow {
	parameters: Record<string, unknown>;
	/** The node's input items. Defaults to one empty item. */
	items?: object[];
	/** The node's On Error setting. Defaults to stopping the workflow. */
	onError?: 'continueErrorOutput' | 'continueRegularOutput';
	/** Whether n8n runs the node again when it fails. */
	retryOnFail?: boolean;
	/** Parameters of more action nodes with the same input, by node name. */
	otherActions?: Record<string, Record<string, unknown>>;
	/** The credential to use. Defaults to the installation's. */
	credentials?: Installation['credentials'];
}

/**
 * Builds a workflow that passes items to an action node, with a node after each of its outputs.
 *
 * @param installation the installation that runs it
 * @param setup its settings
 * @returns the workflow file
 */
export function actionWorkflow(
	installation: Installation,
	{
		parameters,
		items = [{}],
		onError,
		retryOnFail,
		otherActions = {},
		credentials,
	}: ActionWorkflow,
): WorkflowFile {
	const actionNode = (name: string, settings: Record<string, unknown>): WorkflowNode => ({
		...node(name, actionType, settings),
		credentials: credentials ?? installation.credentials,
		...(onError && { onError }),
		...(retryOnFail && { retryOnFail, maxTries: 3, waitBetweenTries: 100 }),
	});
	const outputs = [nodes.done, ...(onError === 'continueErrorOutput' ? [nodes.failed] : [])];
	const names = [nodes.action, ...Object.keys(otherActions)];
	return {
		name: 'Deliveries',
		nodes: [
			node(nodes.start, 'n8n-nodes-base.manualTrigger'),
			actionNode(nodes.action, parameters),
			...Object.entries(otherActions).map(([name, settings]) => actionNode(name, settings)),
			...outputs.map((name) => node(name, 'n8n-nodes-base.noOp')),
		],
		connections: {
			[nodes.start]: { main: [names.map(connection)] },
			[nodes.action]: { main: outputs.map((name) => [connection(name)]) },
		},
		pinData: { [nodes.start]: items.map((json) => ({ json })) },
		settings: { executionOrder: 'v1' },
	};
}

/**
 * Builds a workflow that starts with the trigger.
 *
 * @param installation the installation that runs it
 * @param parameters the trigger's parameters
 * @param credentials the credential to use; defaults to the installation's
 * @returns the workflow file
 */
export function triggerWorkflow(
	installation: Pick<Installation, 'credentials'>,
	parameters: Record<string, unknown>,
	credentials = installation.credentials,
): WorkflowFile {
	return {
		name: 'Delivery events',
		nodes: [
			{
				...node(nodes.trigger, triggerType, parameters),
				typeVersion: 2,
				credentials,
				webhookId: randomUUID(),
			},
			node(nodes.done, 'n8n-nodes-base.noOp'),
		],
		connections: { [nodes.trigger]: { main: [[connection(nodes.done)]] } },
		settings: { executionOrder: 'v1' },
	};
}

/** Returns the nodes of a workflow with changes to its trigger. */
export function withChangedTrigger(
	workflow: Pick<StoredWorkflow, 'nodes'>,
	changes: Partial<StoredWorkflow['nodes'][number]>,
): StoredWorkflow['nodes'] {
	return workflow.nodes.map((node) =>
		node.name === nodes.trigger ? { ...node, ...changes } : node,
	);
}
