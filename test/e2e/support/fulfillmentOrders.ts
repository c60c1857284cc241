import { z } from 'zod';

import { outputOf } from '../../../playground/n8n/execution';
import type { HostName } from '../../../playground/n8n/host';
import type { OrderPart } from '../../../playground/shopify/fulfillmentOrders';
import { samples } from '../../../playground/shopify/samples';
import type { FulfillmentOrder, Order } from '../../../playground/shopify/shapes';
import type { LocalService } from '../../../playground/service/server';
import { eventCodes } from './events';
import {
	creationWorkflow,
	deliveryColumns,
	fulfillmentWorkflow,
	orderWorkflow,
	steps,
	type OrderToSend,
} from './fulfillmentWorkflows';
import { afterExecutions, openShopInstallation, type ShopInstallation } from './shop';

type StoredDelivery = ReturnType<LocalService['control']['deliveries']>[number];

const outputSchema = z
	.object({
		id: z.string().nullable(),
		referenceId: z.string().nullable(),
		outcome: z.string(),
		reason: z.string().nullable(),
		message: z.string(),
		actionNeeded: z.string(),
	})
	.passthrough();

/** An output item of the node that creates deliveries. */
export type CreateOutput = z.infer<typeof outputSchema>;

type RunItems = (parameters: object, ...items: object[]) => Promise<Array<Record<string, unknown>>>;

/** A real n8n with the workflows of `fulfillmentWorkflows.ts`. */
export interface FulfillmentEnvironment extends Pick<
	ShopInstallation,
	'installation' | 'shopify' | 'close'
> {
	/** Places an order like a sample with changes, and returns it with its fulfillment orders. */
	place(options?: {
		sample?: number;
		changes?: Partial<Order>;
		parts?: readonly OrderPart[];
	}): PlacedOrder;
	/** Runs the workflow that creates deliveries. Returns the output items of its action node. */
	create(...orders: OrderToSend[]): Promise<CreateOutput[]>;
	/** Creates a workflow. Each call of the result runs it with these parameters and items. */
	open(): Promise<RunItems>;
	/** Runs a new workflow that creates deliveries of these items, with these parameters. */
	send(items: readonly object[], parameters?: object): Promise<CreateOutput[]>;
	/** The deliveries at the service whose reference ID begins with an order's name. */
	deliveries(order: Pick<Order, 'name'>): StoredDelivery[];
	/** Makes the service report a status of a delivery, and waits for the workflow's execution. */
	report(deliveryId: string, status: string): Promise<void>;
}

/** An order with its fulfillment orders, as placed. */
export interface PlacedOrder {
	readonly order: Order;
	readonly parts: readonly FulfillmentOrder[];
	/** The reference IDs of the deliveries of its fulfillment orders. */
	readonly references: readonly string[];
}

/** Starts n8n, the local service and a shop, and stores and publishes the workflows. */
export async function openFulfillmentEnvironment(name: HostName): Promise<FulfillmentEnvironment> {
	const opened = await openShopInstallation(name);
	const { installation, shopify, close } = opened;
	const { client, service } = installation;
	try {
		const auth = { name: 'X-Shopify-Access-Token', value: shopify.credential.accessToken };
		const header = await client.createCredential('Shopify token', 'httpHeaderAuth', auth);
		const context = {
			shopify,
			tableId: await client.createTable('Deliveries', deliveryColumns),
			credentials: {
				...opened.credentials,
				httpHeaderAuth: { id: header, name: 'Shopify token' },
			},
		};
		const creation = await client.createWorkflow(creationWorkflow(context));
		const fulfillment = await client.createWorkflow(fulfillmentWorkflow(context));
		const open = async (): Promise<RunItems> => {
			const id = await client.createWorkflow(orderWorkflow(context, {}));
			return async (parameters, ...items) => {
				const { nodes } = orderWorkflow(context, parameters);
				const pinData = { [steps.start]: items.map((json) => ({ json })) };
				await client.updateWorkflow(id, { nodes, pinData });
				const execution = await client.run(id, steps.start);
				if (execution.status !== 'success')
					throw new Error(JSON.stringify(execution.data.resultData.error));
				return z.array(z.record(z.unknown())).parse(outputOf(execution, steps.create));
			};
		};
		await client.publish(fulfillment);

		return {
			installation,
			shopify,
			close,
			place({ sample = 0, changes = {}, parts } = {}) {
				const order = shopify.shop.place({ ...samples[sample]!, ...changes }, parts);
				const placed = shopify.shop.fulfillmentOrders(order.id);
				const references = placed.map(({ id }) => `${order.name}-${id}`);
				return { order, parts: placed, references };
			},
			async create(...orders) {
				const pinned = orders.map(({ id, form }) => ({ json: { id, form } }));
				await client.updateWorkflow(creation, { pinData: { [steps.start]: pinned } });
				const execution = await client.run(creation, steps.start);
				if (execution.status !== 'success')
					throw new Error(JSON.stringify(execution.data.resultData.error));
				return z.array(outputSchema).parse(outputOf(execution, steps.create));
			},
			open,
			async send(items, parameters = {}) {
				const run = await open();
				return z.array(outputSchema).parse(await run(parameters, ...items));
			},
			deliveries: (order) =>
				service.control.deliveries().filter(({ record: { referenceId = '' } }) => {
					return referenceId === order.name || referenceId.startsWith(`${order.name}-`);
				}),
			async report(id, status) {
				const payload = { id, status, company_id: '1001', city_id: '7' };
				await afterExecutions(client, fulfillment, 1, async () => {
					await service.control.fireEvent(eventCodes.updateTask, payload);
				});
			},
		};
	} catch (error) {
		await close();
		throw error;
	}
}
