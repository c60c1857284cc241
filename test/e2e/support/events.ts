import { hasEnded, type N8nClient, type StoredWorkflow } from '../../../playground/n8n/client';
import { outputOf, type Execution } from '../../../playground/n8n/execution';
import type { N8n } from '../../../playground/n8n/n8n';
import { waitFor } from '../../../playground/n8n/progress';
import type { LocalService } from '../../../playground/service/server';

type Control = LocalService['control'];
type Webhook = ReturnType<Control['webhooks']>[number];

/** The service's event codes (docs/api.md, section 6). */
export const eventCodes = { createTask: 1, createRoute: 2, updateTask: 3 } as const;

export type EventName = keyof typeof eventCodes;

/** Describes the webhook of a published workflow's trigger for an event. */
export function productionWebhook(workflow: StoredWorkflow, event: EventName): string {
	return describeWebhook('webhook', workflow, event);
}

/** Describes the webhook of a trigger that listens for a test event. */
export function testWebhook(workflow: StoredWorkflow, event: EventName): string {
	return describeWebhook('webhook-test', workflow, event);
}

function describeWebhook(kind: string, workflow: StoredWorkflow, event: EventName): string {
	const trigger = workflow.nodes.find(({ type }) => type.endsWith('deliveryServiceTrigger'));
	return `${kind}/${String(trigger?.webhookId)}/webhook ${event}`;
}

/** Lists all webhooks of the service by event, since a trigger subscribes to its events in parallel. */
export function webhooksByEvent(control: Control): Webhook[] {
	return [...control.webhooks()].sort((one, other) => one.action - other.action);
}

/**
 * Lists all webhooks of the service, sorted, as `productionWebhook` describes them. A webhook that is
 * inactive, unsigned, or whose event doesn't match its code is listed as JSON.
 */
export function listSubscriptions(control: Control, n8n: Pick<N8n, 'url'>): string[] {
	return control
		.webhooks()
		.map((webhook) => describeIfValid(webhook, n8n.url) ?? JSON.stringify(webhook))
		.sort();
}

function describeIfValid({ url, action, status }: Webhook, n8nUrl: string): string | undefined {
	const { origin, pathname, searchParams } = new URL(url);
	const { event, workflow = '', signature = '', ...others } = Object.fromEntries(searchParams);
	const isValid =
		origin === n8nUrl &&
		status === 'Active' &&
		Object.entries(eventCodes).some(([name, code]) => name === event && code === action) &&
		workflow !== '' &&
		/^[0-9a-f]{64}$/.test(signature) &&
		Object.keys(others).length === 0;
	return isValid ? `${pathname.slice(1)} ${event}` : undefined;
}

/**
 * Waits until a workflow has the given number of executions and all have ended.
 *
 * @returns the executions, the oldest first
 * @throws Error when there are more, or fewer before the timeout
 */
export async function waitForExecutions(
	client: N8nClient,
	workflowId: string,
	count: number,
): Promise<Execution[]> {
	await waitFor(`${count} executions`, async () => {
		const all = await client.executions(workflowId);
		return all.length >= count && all.every(hasEnded);
	});
	const executions = await client.executionsWithData(workflowId);
	if (executions.length > count)
		throw new Error(`Expected ${count} executions, got ${executions.length}`);
	return executions.reverse();
}

/**
 * Makes the service report an update of each of the given deliveries.
 *
 * @param concurrency how many events to send in parallel
 * @returns the response statuses, or the error where there was no response
 */
export async function fireUpdates(
	control: Control,
	ids: readonly string[],
	concurrency: number,
): Promise<Array<number | string | undefined>> {
	const waiting = [...ids];
	const statuses: Array<number | string | undefined> = [];
	const fire = async () => {
		for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
			const payload = { id, status: 'assigned', company_id: '1001', city_id: '7' };
			const postings = await control.fireEvent(eventCodes.updateTask, payload);
			statuses.push(...postings.map(({ status, error }) => status ?? error));
		}
	};
	await Promise.all(Array.from({ length: concurrency }, fire));
	return statuses;
}

/** Lists the IDs in a node's output over several executions, sorted. */
export function outputIds(node: string, executions: readonly Execution[]): unknown[] {
	return executions
		.flatMap((execution) => outputOf(execution, node))
		.map(({ id }) => id)
		.sort();
}
