import { z } from 'zod';

import { hasEnded, N8nClient, type ConnectionTest, type Owner } from '../n8n/client';
import { step, waitFor } from '../n8n/progress';
import { nextStatus } from '../service/delivery';
import type { LocalService } from '../service/server';
import { samples } from '../shopify/samples';
import type { Shopify } from '../shopify/server';
import type { Mailbox } from '../mailbox/mailbox';
import type { Order } from '../shopify/shapes';
import {
	credentialTypes,
	deliveriesTable,
	examples,
	filledIn,
	nodeNames,
	readExample,
	storeCredentials,
	type FilledIn,
} from '../examples';

/** The sample order that ships from two locations, and its parts. */
const splitSample = 1;
const twoLocations = [
	{ lines: [0], location: 'store' },
	{ lines: [1], location: 'warehouse' },
] as const;

/** The owner account of the demo's n8n. */
export const owner: Owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'Local-demo-1',
};

const rowSchema = z.object({
	orderName: z.string(),
	status: z.string(),
	message: z.string(),
	trackingLink: z.string(),
	deliveryId: z.string(),
	orderId: z.string(),
	fulfillmentOrderId: z.string(),
});

/** A row of the table Deliveries: the result for a fulfillment order. */
export type DeliveryRow = z.infer<typeof rowSchema>;

/** The result of the demo run. */
export interface DemoResult {
	/** The connection tests of the credentials. */
	readonly connections: readonly ConnectionTest[];
	/** The rows of the table after the shop reports the orders for the first time. */
	readonly firstRun: readonly DeliveryRow[];
	/** How many requests to create deliveries there were when the shop reported them again. */
	readonly requestsOfSecondRun: number;
	/** The name of the order whose address was changed, in the shop and then in its delivery. */
	readonly readdressedOrder: string;
	/** The split order: its fulfillment status in the shop before and after each of its deliveries. */
	readonly splitOrder: { readonly name: string; readonly fulfillmentStatuses: readonly string[] };
	/** The rows of the table at the end. */
	readonly rows: readonly DeliveryRow[];
	/** Connected to the n8n of the demo. */
	readonly client: N8nClient;
}

/** Returns the rows of the table Deliveries. */
export async function readRows(client: N8nClient): Promise<DeliveryRow[]> {
	return z.array(rowSchema).parse(await client.tableRows(deliveriesTable));
}

/** The servers of the demo. */
export interface DemoServers {
	/** The URL of a new n8n with this package. */
	readonly n8nUrl: string;
	readonly service: LocalService;
	readonly shopify: Shopify;
	readonly mailbox: Mailbox;
}

/**
 * Does what a shop owner would do: stores and tests the credentials, imports and publishes the
 * examples, and lets customers place the sample orders, one of which ships from two locations. Then
 * its deliveries arrive one after the other, and Shopify shows it.
 *
 * @param servers a new n8n and the stand-ins
 * @returns the result, for the expectations and the report
 * @throws N8nRejection if n8n rejects a request; ZodError if an output is not as documented
 */
export async function runDemo({
	n8nUrl,
	service,
	shopify,
	mailbox,
}: DemoServers): Promise<DemoResult> {
	const { client, credentials, connections } = await step(
		'Setting up the account and credentials',
		async () => {
			const created = await N8nClient.setUp(n8nUrl, owner);
			const stored = await storeCredentials(created, { service, shopify, mailbox });
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
	const createRequests = () =>
		service.control.requests().filter(({ path }) => path === '/v1/deliveries').length;

	const { updatesId, ordersId } = await step(
		'Creating the table and publishing the workflows',
		async () => {
			await client.run(await importExample(examples.table), nodeNames.createTable);
			return {
				updatesId: await publish(examples.updates),
				ordersId: await publish(examples.orders),
			};
		},
	);
	const { shop, webhooks } = shopify;
	const newOrderMessages = () =>
		webhooks.messages().filter(({ topic }) => topic === 'orders/create');
	/** How many messages about new and updated orders n8n has received. */
	const reportCount = () =>
		webhooks.messages().flatMap(({ statuses }) => statuses.filter((status) => status === 200))
			.length;
	const splitOrder = await step(
		`${samples.length} customers place orders: n8n creates deliveries`,
		async () => {
			const placed = samples.map((sample, index) =>
				shop.place(sample, index === splitSample ? twoLocations : undefined),
			);
			await webhooks.settled();
			// A busy n8n may miss some.
			await webhooks.resend();
			await waitForExecutions(client, ordersId, reportCount());
			return placed[splitSample]!;
		},
	);
	const firstRun = await readRows(client);
	const requestsOfSecondRun = await step('Shopify reports the same orders again', async () => {
		const before = createRequests();
		await webhooks.resend(newOrderMessages());
		await waitForExecutions(client, ordersId, reportCount());
		return createRequests() - before;
	});
	const readdressedOrder = await step(
		'A customer changes the address: n8n updates the delivery',
		async () => {
			const { orderId, orderName, deliveryId } = findLastCreated(firstRun);
			const { shipping_address: address } = shopify.control.changeAddress(Number(orderId));
			return await waitFor('the updated delivery', () => {
				const { request } =
					service.control.deliveries().find(({ record }) => record.id === deliveryId) ?? {};
				const isUpdated = JSON.stringify(request?.dropoff).includes(String(address?.address1));
				return isUpdated ? orderName : undefined;
			});
		},
	);
	const statusOf = ({ id }: Order) => shop.order(id).fulfillment_status ?? 'unfulfilled';
	const fulfillmentStatuses = await step(
		'The parts of an order arrive one after the other: n8n shows it in Shopify',
		async () => {
			const statuses = [statusOf(splitOrder)];
			const parts = firstRun.filter(({ orderName }) => orderName === splitOrder.name);
			for (const [index, { deliveryId }] of parts.entries()) {
				await advanceToLastStatus(service, deliveryId, async (status) => {
					const executions = await client.executions(updatesId);
					const row = (await readRows(client)).find((one) => one.deliveryId === deliveryId);
					return row?.status === status && executions.every(hasEnded);
				});
				await waitFor('the delivered fulfillment', () => {
					const { fulfillments } = shop.order(splitOrder.id);
					const delivered = fulfillments.filter(
						({ shipment_status: status }) => status === 'delivered',
					);
					return delivered.length > index;
				});
				statuses.push(statusOf(splitOrder));
			}
			return statuses;
		},
	);
	// For people who open the editor. Not published, since they would send the orders again.
	for (const example of [examples.webhook, examples.starter]) await importExample(example);
	await importExample(examples.catchUp, {
		[nodeNames.createMissed]: { workflowId: { __rl: true, mode: 'list', value: ordersId } },
	});
	return {
		connections,
		firstRun,
		requestsOfSecondRun,
		readdressedOrder,
		splitOrder: { name: splitOrder.name, fulfillmentStatuses },
		rows: await readRows(client),
		client,
	};
}

async function waitForExecutions(client: N8nClient, workflowId: string, count: number) {
	await waitFor(`${count} executions`, async () => {
		const all = await client.executions(workflowId);
		return all.length >= count && all.every(hasEnded);
	});
}

/** The row of the last order that has a delivery. */
function findLastCreated(rows: readonly DeliveryRow[]): DeliveryRow {
	const found = rows
		.filter(({ deliveryId }) => deliveryId !== '')
		.sort((one, other) => Number(one.orderId) - Number(other.orderId))
		.at(-1);
	if (found === undefined) throw new Error('No delivery was created');
	return found;
}

/** Lets a courier do everything, each step when n8n is done with the one before, as it is in a real day. */
async function advanceToLastStatus(
	{ control }: LocalService,
	id: string,
	isDone: (status: unknown) => Promise<boolean>,
): Promise<void> {
	const status = () =>
		control.deliveries().find(({ record }) => record.id === id)?.record.statusDelivery;
	while (nextStatus(status() ?? '')) {
		await control.advance(id);
		await waitFor(`n8n to save "${status()}"`, async () => await isDone(status()));
	}
}
