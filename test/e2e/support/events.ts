import { hasEnded, type N8nClient, type StoredWorkflow } from '../../../playground/n8n/client';
import { outputOf, type Execution } from '../../../playground/n8n/execution';
import type { N8n } from '../../../playground/n8n/n8n';
import { waitFor } from '../../../playground/n8n/progress';
import type { LocalService } from '../../../playground/service/server';

type Control = LocalService['control'];
type Webhook = ReturnType<Control['webhooks']>[number];

const executionsTimeoutMs = 120_000;

/** The codes of the events (service document, section 6). */
export const codes = { createTask: 1, createRoute: 2, updateTask: 3 } as const;

export type EventName = keyof typeof codes;

/** The address of a published workflow's trigger for an event, without its signature. */
export function liveAddress(workflow: StoredWorkflow, event: EventName): string {
	return addressOf('webhook', workflow, event);
}

/** The address of a trigger that listens for a test event. */
export function testAddress(workflow: StoredWorkflow, event: EventName): string {
	return addressOf('webhook-test', workflow, event);
}

function addressOf(kind: string, workflow: StoredWorkflow, event: EventName): string {
	const trigger = workflow.nodes.find(({ type }) => type.endsWith('deliveryServiceTrigger'));
	return `${kind}/${String(trigger?.webhookId)}/webhook ${event}`;
}

/**
 * The service's whole list of subscriptions, sorted, in the form of `liveAddress`. One that is not
 * active, not signed, or not for the event that its code means, is given as it is.
 */
export function subscriptionsOf(control: Control, n8n: Pick<N8n, 'url'>): string[] {
	return control
		.webhooks()
		.map((webhook) => described(webhook, n8n.url) ?? JSON.stringify(webhook))
		.sort();
}

function described({ url, action, status }: Webhook, n8nUrl: string): string | undefined {
	const { origin, pathname, searchParams } = new URL(url);
	const { event, workflow = '', signature = '', ...others } = Object.fromEntries(searchParams);
	const isWhole =
		origin === n8nUrl &&
		status === 'Active' &&
		Object.entries(codes).some(([name, code]) => name === event && code === action) &&
		workflow !== '' &&
		/^[0-9a-f]{64}$/.test(signature) &&
		Object.keys(others).length === 0;
	return isWhole ? `${pathname.slice(1)} ${event}` : undefined;
}

/**
 * Waits until a workflow has run so often, and no execution of it is left.
 *
 * @returns its executions, the oldest first
 * @throws Error when there are fewer in time, or more
 */
export async function executionsOf(
	client: N8nClient,
	workflowId: string,
	count: number,
): Promise<Execution[]> {
	await waitFor(`${count} executions`, executionsTimeoutMs, async () => {
		const all = await client.executions(workflowId);
		return (all.length >= count && all.every(hasEnded)) || undefined;
	});
	const found = await client.executionsWithData(workflowId);
	if (found.length > count) throw new Error(`${found.length} executions instead of ${count}`);
	return found.reverse();
}

/**
 * Has the service report an update of each of these deliveries, so many at a time.
 *
 * @returns the statuses of the answers, and why there was none
 */
export async function fireUpdates(
	control: Control,
	ids: readonly string[],
	atATime: number,
): Promise<Array<number | string | undefined>> {
	const waiting = [...ids];
	const statuses: Array<number | string | undefined> = [];
	const fire = async () => {
		for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
			const payload = { id, status: 'assigned', company_id: '1001', city_id: '7' };
			const postings = await control.fireEvent(codes.updateTask, payload);
			statuses.push(...postings.map(({ status, error }) => status ?? error));
		}
	};
	await Promise.all(Array.from({ length: atATime }, fire));
	return statuses;
}

/** The IDs in what a node put out in executions, sorted. */
export function idsAt(node: string, executions: readonly Execution[]): unknown[] {
	return executions
		.flatMap((execution) => outputOf(execution, node))
		.map(({ id }) => id)
		.sort();
}
