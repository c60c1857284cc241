import { z } from 'zod';

import { hasEnded, N8nClient, type ConnectionTest, type Owner, type TableRow } from '../n8n/client';
import { outputOf, type Execution } from '../n8n/execution';
import { step, waitFor } from '../n8n/progress';
import { nextStatus } from '../service/delivery';
import type { LocalService } from '../service/server';
import { samples } from '../shopify/samples';
import type { Shopify } from '../shopify/server';
import { orderShape, type Order } from '../shopify/shapes';
import {
	credentialTypes,
	examples,
	filledIn,
	nodeNames,
	readExample,
	storeCredentials,
	tables,
	type FilledIn,
} from '../examples';

const executionsTimeoutMs = 120_000;
const fulfillmentTimeoutMs = 60_000;

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
	z.object({ id: z.string(), statusDelivery: z.string() }),
]);

/** A sample order and what "Create delivery" made of it. */
export interface OrderResult {
	readonly order: Order;
	readonly outcome: z.infer<typeof outcomeSchema>;
}

/** What happened in the run-through. */
export interface DemoResult {
	/** The connection tests of the credentials. */
	readonly connections: readonly ConnectionTest[];
	/** Each order that the shop reported, and once more when it reported all of them again. */
	readonly first: readonly OrderResult[];
	readonly second: readonly OrderResult[];
	/** The order whose address was edited, once its delivery had the new one. */
	readonly moved: string;
	/** The delivery that was moved on at the service until it arrived. */
	readonly arrived: string;
	/** The rows of the table that the workflows keep. */
	readonly rows: readonly TableRow[];
}

/** The places at which the demo happens. */
export interface Places {
	/** The address of a fresh n8n with this package. */
	readonly n8nUrl: string;
	readonly service: LocalService;
	readonly shopify: Shopify;
}

/**
 * Does in n8n what a shop owner would: stores the credentials and tests them, imports and publishes
 * the examples, and lets customers place the sample orders. Then a delivery arrives, and its order is
 * fulfilled. Throws an N8nRefusal, or a ZodError for an output that is not as documented.
 */
export async function runDemo({ n8nUrl, service, shopify }: Places): Promise<DemoResult> {
	const { client, credentials, connections } = await step(
		'Setting up account and credentials',
		async () => {
			const created = await N8nClient.setUp(n8nUrl, owner);
			const stored = await storeCredentials(created, service, shopify);
			const data = {
				[credentialTypes.deliveryService]: service.credential,
				[credentialTypes.shopify]: shopify.credential,
			};
			const tests = Object.entries(data).map(async ([type, fields]) => {
				const { id = '', name = '' } = stored[type] ?? {};
				return await created.testCredential(id, name, type, fields);
			});
			return { client: created, credentials: stored, connections: await Promise.all(tests) };
		},
	);

	const store = async (example: string, filled: FilledIn = {}) => {
		const all = { ...filledIn(shopify), ...filled };
		return await client.createWorkflow(await readExample(example, credentials, all));
	};
	const publish = async (example: string) => {
		const id = await store(example);
		await client.publish(id);
		return id;
	};
	const ordersId = await step('Publishing the workflows', async () => {
		await publish(examples.updates);
		return await publish(examples.orders);
	});

	const count = samples.length;
	const first = await step(`${count} customers place orders, which become deliveries`, async () => {
		shopify.control.placeOrders(count);
		return await ordersIn(client, ordersId, { last: count, of: count });
	});
	const second = await step('Shopify reports them a second time', async () => {
		const { webhooks } = shopify;
		await webhooks.repeat(webhooks.messages().filter(({ topic }) => topic === 'orders/create'));
		return await ordersIn(client, ordersId, { last: count, of: 2 * count });
	});
	const moved = await step('A customer moves: the delivery follows', async () => {
		await publish(examples.changes);
		const order = orderToMove(first);
		const { shipping_address: address } = shopify.control.changeAddress(order.id);
		return await waitFor('the change of the delivery', fulfillmentTimeoutMs, () => {
			const found = service.control
				.deliveries()
				.find(
					({ record, request }) =>
						record.referenceId === order.name &&
						JSON.stringify(request.dropoff).includes(String(address?.address1)),
				);
			return Promise.resolve(found && order.name);
		});
	});
	const arrived = await step('A delivery arrives: its order is fulfilled in Shopify', async () => {
		const id = firstCreated(first);
		await moveToTheEnd(service, id);
		await waitFor('the fulfillment', fulfillmentTimeoutMs, () => {
			const done = shopify.shop.orders().some((order) => order.fulfillment_status !== null);
			return Promise.resolve(done || undefined);
		});
		return id;
	});
	const rows = await waitFor('the row of the fulfilled order', fulfillmentTimeoutMs, async () => {
		const all = await client.tableRows(tables.deliveries);
		return all.some(({ fulfilment }) => fulfilment === 'done') ? all : undefined;
	});
	// For who opens the editor: not published, since it would run at night.
	await store(examples.catchUp, {
		[nodeNames.sendMissing]: { workflowId: { __rl: true, mode: 'list', value: ordersId } },
	});
	return { connections, first, second, moved, arrived, rows };
}

/** Waits until a workflow has run so often; gives what became of the orders of the last runs. */
async function ordersIn(
	client: N8nClient,
	workflowId: string,
	{ last, of: count }: { last: number; of: number },
): Promise<OrderResult[]> {
	await waitFor(`${count} executions`, executionsTimeoutMs, async () => {
		const all = await client.executions(workflowId);
		return (all.length >= count && all.every(hasEnded)) || undefined;
	});
	// n8n lists the newest first, and runs several at once.
	const executions = (await client.executionsWithData(workflowId)).slice(0, last);
	return executions.map(resultOf).sort((one, other) => one.order.id - other.order.id);
}

function resultOf(execution: Execution): OrderResult {
	const [order] = outputOf(execution, nodeNames.newOrder);
	const [outcome] = outputOf(execution, nodeNames.createDelivery);
	if (order === undefined || outcome === undefined) throw new Error(failure(execution));
	return { order: orderShape.parse(order), outcome: outcomeSchema.parse(outcome) };
}

function firstCreated(results: readonly OrderResult[]): string {
	for (const { outcome } of results) {
		// One whose address is not understood waits for a person at the service.
		if ('id' in outcome && outcome.statusDelivery === 'processing') return outcome.id;
	}
	throw new Error('No delivery was created');
}

/** The last order that is on its way. */
function orderToMove(results: readonly OrderResult[]): Order {
	const found = results.findLast(({ outcome }) => 'id' in outcome);
	if (found === undefined) throw new Error('No delivery was created');
	return found.order;
}

async function moveToTheEnd({ control }: LocalService, id: string): Promise<void> {
	const isUnderWay = () =>
		control
			.deliveries()
			.some(({ record }) => record.id === id && nextStatus(record.statusDelivery));
	while (isUnderWay()) await control.advance(id);
}

function failure({ status, data: { resultData } }: Execution): string {
	const { message = '', description } = resultData.error ?? {};
	return `No order came out (${status}). ${message}${description ? `\n${description}` : ''}`;
}
