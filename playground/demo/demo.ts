import { z } from 'zod';

import { N8nClient, type ConnectionTest, type Owner } from '../n8n/client';
import { outputOf, type Execution } from '../n8n/execution';
import { step, waitFor } from '../n8n/progress';
import type { LocalService } from '../service/server';
import { samples } from '../shopify/samples';
import { nodeNames, ordersWorkflow, updatesWorkflow } from './workflows';

const credentialName = 'Local service';
const credentialType = 'deliveryServiceApi';
const triggerTimeoutMs = 30_000;

/** Who signs in to the demo's n8n. */
export const owner: Owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'Local-demo-1',
};

/** What "Create delivery" puts out for an order. */
const outcomeSchema = z.union([
	z.object({ skipped: z.literal(true), reason: z.string(), message: z.string().optional() }),
	z.object({ id: z.string(), statusDelivery: z.string(), trackLink: z.string().optional() }),
]);

/** What "Delivery updated" puts out for an event. */
const eventSchema = z.object({ event: z.string(), id: z.string(), status: z.string() });

/** A sample order and what became of it. */
export interface OrderResult {
	order: string;
	outcome: z.infer<typeof outcomeSchema>;
}

/** A run of "Shopify orders to deliveries". */
export interface OrdersRun {
	execution: Execution;
	orders: OrderResult[];
}

/** What happened in the run-through. */
export interface DemoResult {
	connection: ConnectionTest;
	/** The run of "Shopify orders to deliveries" on the sample orders, and once more on the same. */
	first: OrdersRun;
	second: OrdersRun;
	/** The delivery that was moved on at the service, to fire an event. */
	advanced: { id: string; status: string };
	/** The runs of the workflow that the event should start, and what they received. */
	updates: Array<{ execution: Execution; event: z.infer<typeof eventSchema> }>;
}

/**
 * Does in n8n what a shop owner would: stores a credential and tests it, imports both examples,
 * publishes "Delivery updates", sends the sample orders, and sees an update arrive. `url` is the
 * address of a fresh n8n with this package. Throws an N8nRefusal, or a ZodError for an output that is
 * not as documented.
 */
export async function runDemo(url: string, service: LocalService): Promise<DemoResult> {
	const { client, credential, connection } = await step('Setting up account and credential', () =>
		setUp(url, service),
	);

	const updatesId = await step('Publishing the workflow "Delivery updates"', async () => {
		const id = await client.createWorkflow(await updatesWorkflow(credential));
		await client.publish(id);
		return id;
	});

	const orders = [...samples];
	const ordersId = await client.createWorkflow(await ordersWorkflow(credential, orders));
	const runOrders = async () => {
		const execution = await client.run(ordersId, nodeNames.newOrder);
		const results = outputOf(execution, nodeNames.createDelivery).map((json, index) => ({
			order: orders[index]?.name ?? `item ${index}`,
			outcome: outcomeSchema.parse(json),
		}));
		return { execution, orders: results };
	};
	const title = `"Shopify orders to deliveries" on ${orders.length} orders`;
	const first = await step(`Running ${title}`, runOrders);
	const second = await step(`Running ${title} again`, runOrders);

	const delivery = service.control.deliveries()[0];
	if (delivery === undefined) throw new Error(failure(first.execution));
	const { advanced, updates } = await step('Moving a delivery on at the service', async () => {
		const { id, status } = await service.control.advance(delivery.record.id);
		return { advanced: { id, status }, updates: await updateRuns(client, updatesId) };
	});
	return { connection, first, second, advanced, updates };
}

async function setUp(url: string, { credential: data }: LocalService) {
	const client = await N8nClient.setUp(url, owner);
	const id = await client.createCredential(credentialName, credentialType, data);
	const connection = await client.testCredential(id, credentialName, credentialType, data);
	return { client, credential: { id, name: credentialName }, connection };
}

async function updateRuns(client: N8nClient, workflowId: string): Promise<DemoResult['updates']> {
	const runs = await waitFor('a run of "Delivery updates"', triggerTimeoutMs, async () => {
		const found = await client.executions(workflowId);
		return found.length > 0 ? found : undefined;
	});
	const executions = await Promise.all(runs.map(async ({ id }) => await client.endOf(id)));
	return executions.map((execution) => {
		const [json] = outputOf(execution, nodeNames.deliveryUpdated);
		return { execution, event: eventSchema.parse(json) };
	});
}

function failure({ status, data: { resultData } }: Execution): string {
	const { message = '', description } = resultData.error ?? {};
	return `No delivery was created (${status}). ${message}${description ? `\n${description}` : ''}`;
}
