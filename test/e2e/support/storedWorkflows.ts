/** Changes of workflows that are stored in n8n. */
import type { WorkflowFile } from '../../../playground/n8n/client';
import type { ShopEnvironment } from './shop';
import { zones } from './zones';

/** Publishes a workflow again, as after a change. */
export async function publishAgain({ installation }: ShopEnvironment, id: string): Promise<void> {
	await installation.client.unpublish(id);
	await installation.client.publish(id);
}

/** Sets the day on which a published workflow runs, by its time zone; undefined for that of n8n. */
export async function setDay(
	env: ShopEnvironment,
	id: string,
	day: keyof typeof zones | undefined,
): Promise<void> {
	const settings = { executionOrder: 'v1', timezone: day && zones[day] };
	await env.installation.client.updateWorkflow(id, { settings });
	await publishAgain(env, id);
}

/** Changes a node of a stored workflow. */
export async function changeNode(
	{ installation: { client } }: ShopEnvironment,
	id: string,
	name: string,
	changes: (node: WorkflowFile['nodes'][number]) => object,
): Promise<void> {
	const { nodes } = await client.workflow(id);
	await client.updateWorkflow(id, {
		nodes: nodes.map((node) => (node.name === name ? { ...node, ...changes(node) } : node)),
	});
}
