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

const action = 'n8n-nodes-delivery-service.deliveryService';
const trigger = 'n8n-nodes-delivery-service.deliveryServiceTrigger';

/** What a workflow with an action node is made from. */
export interface ActionWorkflow {
	parameters: Record<string, unknown>;
	/** The input of the node, one item each; by default one empty item. */
	items?: object[];
	/** What the node does when an item fails; by default the execution ends. */
	onError?: 'continueErrorOutput' | 'continueRegularOutput';
	/** Further action nodes beside the first one, by name, with the same input. */
	beside?: Record<string, Record<string, unknown>>;
	/** The credential to use; by default the installation's. */
	credentials?: Installation['credentials'];
}

/**
 * A workflow that gives items to an action node, and on to a node for each of its outputs.
 *
 * @param installation where it is to run
 * @param setup what is in it
 */
export function actionWorkflow(
	installation: Installation,
	{ parameters, items = [{}], onError, beside = {}, credentials }: ActionWorkflow,
): WorkflowFile {
	const actionNode = (name: string, settings: Record<string, unknown>): WorkflowNode => ({
		...node(name, action, settings),
		credentials: credentials ?? installation.credentials,
		...(onError && { onError }),
	});
	const outputs = [nodes.done, ...(onError === 'continueErrorOutput' ? [nodes.failed] : [])];
	const names = [nodes.action, ...Object.keys(beside)];
	return {
		name: 'Deliveries',
		nodes: [
			node(nodes.start, 'n8n-nodes-base.manualTrigger'),
			actionNode(nodes.action, parameters),
			...Object.entries(beside).map(([name, settings]) => actionNode(name, settings)),
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
 * A workflow that the trigger starts.
 *
 * @param installation where it is to run
 * @param parameters the trigger's
 * @param credentials the credential to use; by default the installation's
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
				...node(nodes.trigger, trigger, parameters),
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

/** The nodes of a workflow, its trigger changed. */
export function withTrigger(
	workflow: StoredWorkflow,
	changes: Partial<StoredWorkflow['nodes'][number]>,
): StoredWorkflow['nodes'] {
	return workflow.nodes.map((node) =>
		node.name === nodes.trigger ? { ...node, ...changes } : node,
	);
}
