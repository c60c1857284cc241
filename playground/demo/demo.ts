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

/** The owner account of the demo's n8n. */
export const owner: Owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'Local-demo-1',
};

/** The output of "Create delivery" for an order. */
const outcomeSchema = z.union([
	z.object({ skipped: z.literal(true), reason: z.string(), message: z.string().optional() }),
	z.object({ id: z.string(), statusDelivery: z.string() }),
]);

/** A sample order and the output of "Create delivery" for it. */
export interface OrderResult {
	readonly order: Order;
	readonly outcome: z.infer<typeof outcomeSchema>;
}

/** The result of the demo run. */
export interface DemoResult {
	/** The connection tests of the credentials. */
	readonly connections: readonly ConnectionTest[];
	/** The results of the orders when the shop reports them for the first time. */
	readonly firstRun: readonly OrderResult[];
	/** The results of the same orders when the shop reports them again. */
	readonly secondRun: readonly OrderResult[];
	/** The name of the order whose address was changed, in the shop and then in its delivery. */
	readonly readdressedOrder: string;
	/** The ID of the delivery that reached its last status. */
	readonly completedDelivery: string;
	/** The rows of the data table of deliveries. */
	readonly rows: readonly TableRow[];
}

/** The servers of the demo. */
export interface DemoServers {
	/** The URL of a new n8n with this package. */
	readonly n8nUrl: string;
	readonly service: LocalService;
	readonly shopify: Shopify;
}

/**
 * Does what a shop owner would do: stores and tests the credentials, imports and publishes the
 * examples, and lets customers place the sample orders. Then one delivery is delivered, and its order
 * fulfilled.
 *
 * @param servers a new n8n and the stand-ins
 * @returns the result, for the expectations and the report
 * @throws N8nRejection if n8n rejects a request; ZodError if an output is not as documented
 */
export async function runDemo({ n8nUrl, service, shopify }: DemoServers): Promise<DemoResult> {
	const { client, credentials, connections } = await step(
		'Setting up the account and credentials',
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

	const importExample = async (example: string, filled: FilledIn = {}) => {
		const all = { ...filledIn(shopify), ...filled };
		return await client.createWorkflow(await readExample(example, credentials, all));
	};
	const publish = async (example: string) => {
		const id = await importExample(example);
		await client.publish(id);
		return id;
	};
	const ordersId = await step('Publishing the workflows', async () => {
		await publish(examples.updates);
		return await publish(examples.orders);
	});

	const count = samples.length;
	const firstRun = await step(
		`${count} customers place orders: n8n creates deliveries`,
		async () => {
			shopify.control.placeOrders(count);
			return await waitForOrders(client, ordersId, { newest: count, total: count });
		},
	);
	const secondRun = await step('Shopify reports the same orders again', async () => {
		const { webhooks } = shopify;
		await webhooks.resend(webhooks.messages().filter(({ topic }) => topic === 'orders/create'));
		return await waitForOrders(client, ordersId, { newest: count, total: 2 * count });
	});
	const readdressedOrder = await step(
		'A customer changes the address: n8n updates the delivery',
		async () => {
			await publish(examples.changes);
			const order = findLastCreatedOrder(firstRun);
			const { shipping_address: address } = shopify.control.changeAddress(order.id);
			return await waitFor('the updated delivery', fulfillmentTimeoutMs, () => {
				const found = service.control
					.deliveries()
					.find(
						({ record, request }) =>
							record.referenceId === order.name &&
							JSON.stringify(request.dropoff).includes(String(address?.address1)),
					);
				return Promise.resolve(found && order.name);
			});
		},
	);
	const completedDelivery = await step(
		'A delivery arrives: n8n fulfills its order in Shopify',
		async () => {
			const id = findProcessingDelivery(firstRun);
			await advanceToLastStatus(service, id);
			await waitFor('the fulfillment', fulfillmentTimeoutMs, () => {
				const done = shopify.shop.orders().some((order) => order.fulfillment_status !== null);
				return Promise.resolve(done || undefined);
			});
			return id;
		},
	);
	const rows = await waitFor('the row of the fulfilled order', fulfillmentTimeoutMs, async () => {
		const all = await client.tableRows(tables.deliveries);
		return all.some(({ fulfillment }) => fulfillment === 'done') ? all : undefined;
	});
	// For people who open the editor. Not published, since it would run at night.
	await importExample(examples.catchUp, {
		[nodeNames.sendMissing]: { workflowId: { __rl: true, mode: 'list', value: ordersId } },
	});
	return { connections, firstRun, secondRun, readdressedOrder, completedDelivery, rows };
}

/** Waits for the executions of a workflow, and returns the order results of the newest ones. */
async function waitForOrders(
	client: N8nClient,
	workflowId: string,
	{ newest, total }: { newest: number; total: number },
): Promise<OrderResult[]> {
	await waitFor(`${total} executions`, executionsTimeoutMs, async () => {
		const all = await client.executions(workflowId);
		return (all.length >= total && all.every(hasEnded)) || undefined;
	});
	// n8n lists the newest execution first, and runs several concurrently.
	const executions = (await client.executionsWithData(workflowId)).slice(0, newest);
	return executions.map(toOrderResult).sort((one, other) => one.order.id - other.order.id);
}

function toOrderResult(execution: Execution): OrderResult {
	const [order] = outputOf(execution, nodeNames.newOrder);
	const [outcome] = outputOf(execution, nodeNames.createDelivery);
	if (order === undefined || outcome === undefined) throw new Error(failureMessage(execution));
	return { order: orderShape.parse(order), outcome: outcomeSchema.parse(outcome) };
}

function findProcessingDelivery(results: readonly OrderResult[]): string {
	for (const { outcome } of results) {
		// A delivery with an unclear address is pending review instead.
		if ('id' in outcome && outcome.statusDelivery === 'processing') return outcome.id;
	}
	throw new Error('No delivery was created');
}

/** The last order that has a delivery. */
function findLastCreatedOrder(results: readonly OrderResult[]): Order {
	const found = results.findLast(({ outcome }) => 'id' in outcome);
	if (found === undefined) throw new Error('No delivery was created');
	return found.order;
}

async function advanceToLastStatus({ control }: LocalService, id: string): Promise<void> {
	const hasNextStatus = () =>
		control
			.deliveries()
			.some(({ record }) => record.id === id && nextStatus(record.statusDelivery));
	while (hasNextStatus()) await control.advance(id);
}

function failureMessage({ status, data: { resultData } }: Execution): string {
	const { message = '', description } = resultData.error ?? {};
	return `The execution returned no order (${status}). ${message}${description ? `\n${description}` : ''}`;
}
