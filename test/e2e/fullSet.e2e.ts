/** The example workflows of the full set, which keep their deliveries in a table, without status updates. */
import { z } from 'zod';

import { workflowFileSchema, type WorkflowFile } from '../../playground/n8n/client';
import { outputOf } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import {
	credentialTypes,
	deliveriesTable,
	filledIn,
	nodeNames,
	pickup,
} from '../../playground/examples';
import type { OrderPart } from '../../playground/shopify/fulfillmentOrders';
import { samples } from '../../playground/shopify/samples';
import type { FulfillmentOrder, Order } from '../../playground/shopify/shapes';
import { deliveriesOf, noCourier, openShopEnvironment, type ShopEnvironment } from './support/shop';

const nodesSchema = workflowFileSchema.shape.nodes;
const openParts = 'Get Open Fulfillment Orders';

/** Parameters of the nodes that run one example from another. */
const calling = (workflowId: string) => ({
	[nodeNames.createMissed]: { workflowId: { __rl: true, mode: 'list', value: workflowId } },
});

describe('examples with the table Deliveries in the newest n8n', () => {
	let env: ShopEnvironment;
	let orders: string;

	beforeAll(async () => {
		env = await openShopEnvironment('newest');
		await env.createTable();
		orders = await env.publish('orders');
	});
	afterAll(async () => await env?.close());

	const control = () => env.installation.service.control;

	/** Places an order like a sample, and waits until the workflow has run for it. */
	const placeOrder = async (sample = samples[0], parts?: readonly OrderPart[]) =>
		await env.afterExecutions(orders, 1, () => env.shopify.shop.place(sample, parts));

	const fulfillmentOrderOf = (order: Order) => env.shopify.shop.fulfillmentOrders(order.id)[0]!;

	const rowsOf = async ({ name }: Order) => await env.rows({ orderName: name });

	/** Waits for the only row of an order with the given values. */
	const rowOf = async ({ name }: Order, values = {}) =>
		await env.row({ orderName: name, ...values });

	async function catchUp(workflowId = orders) {
		const id = await env.store('catchUp', calling(workflowId));
		const execution = await env.installation.client.run(id, nodeNames.everyNight);
		expect(execution.status).toBe('success');
		return outputOf(execution, 'Summary');
	}

	async function report(order: Order): Promise<void> {
		const { webhooks } = env.shopify;
		const messages = webhooks
			.messages()
			.filter(({ topic, subject }) => topic === 'orders/create' && subject === order.name);
		await webhooks.resend(messages.slice(0, 1));
	}

	test('a shop switches from the starter to the full set, and each order has one delivery', async () => {
		const { client } = env.installation;
		const { shop } = env.shopify;
		await client.unpublish(orders);
		const starter = await env.publish('starter');
		const place = () => Array.from({ length: 3 }, () => shop.place(samples[0]));
		const before = await env.afterExecutions(starter, 3, place);
		await client.unpublish(starter);
		// Shopify's times have no milliseconds.
		const switched = Date.parse(before.at(-1)!.created_at) + 1000;
		const startDate = new Date(switched).toISOString();
		await expect(env.createTable({ startDate: '' })).rejects.toThrow(
			'Set startDate to the time when you unpublished your earlier workflow, or to the current time',
		);
		await env.createTable({ startDate });
		await waitFor('the start date', () => Date.now() >= switched);
		const missed = place();
		await env.shopify.webhooks.settled();
		await client.publish(orders);
		const after = await env.afterExecutions(orders, 3, place);
		await catchUp();
		await catchUp();
		for (const order of [...before, ...missed, ...after])
			expect(deliveriesOf(env, order)).toHaveLength(1);
		for (const order of before) {
			expect(await rowsOf(order)).toEqual([]);
			// With an earlier start date, the next test would send it again.
			shop.cancel(order.id);
		}
		await env.createTable();
	});

	test('creates one delivery with its row for each fulfillment order of a split order', async () => {
		const parts = [
			{ lines: [0], location: 'store' },
			{ lines: [1], location: 'warehouse' },
		] as const;
		const order = await placeOrder(samples[1], parts);
		const fulfillmentOrders = env.shopify.shop.fulfillmentOrders(order.id);
		const deliveries = deliveriesOf(env, order);
		expect(deliveries).toHaveLength(2);
		const rows = await rowsOf(order);
		expect(rows).toHaveLength(2);
		for (const { id } of fulfillmentOrders) {
			const referenceId = `${order.name}-${id}`;
			const { record } = deliveries.find(({ record }) => record.referenceId === referenceId)!;
			expect(await env.row({ fulfillmentOrderId: String(id) })).toMatchObject({
				orderName: order.name,
				status: 'processing',
				message: '',
				whatToDo: '',
				solved: 'yes',
				trackingLink: record.trackLink,
				email: order.email,
				deliveryId: record.id,
				referenceId,
				orderId: String(order.id),
			});
		}
		expect(env.emails(order.name)).toEqual([]);
	});

	test('creates nothing in a second copy of the workflow', async () => {
		const copy = await env.publish('orders');
		const { shop } = env.shopify;
		const placed = await env.afterExecutions(
			copy,
			5,
			async () =>
				await env.afterExecutions(orders, 5, () =>
					Array.from({ length: 5 }, () => shop.place(samples[0])),
				),
		);
		await env.installation.client.unpublish(orders);
		await env.afterExecutions(copy, 1, async () => await report(placed[0]!));
		await env.installation.client.publish(orders);
		await env.installation.client.unpublish(copy);
		for (const order of placed) {
			expect(deliveriesOf(env, order)).toHaveLength(1);
			expect(await rowsOf(order)).toMatchObject([{ status: 'processing' }]);
		}
	});

	test('creates one delivery when two copies have each added a row for it, as PostgreSQL allows', async () => {
		const { client } = env.installation;
		await client.unpublish(orders);
		const order = env.shopify.shop.place(samples[0]);
		const fulfillmentOrderId = String(fulfillmentOrderOf(order).id);
		const newRow = { orderName: order.name, orderId: String(order.id), fulfillmentOrderId };
		for (let copy = 1; copy <= 2; copy += 1) await client.addTableRow(deliveriesTable, newRow);
		const start = [{ json: { id: order.id } }];
		const runCopy = async (id: string, pinned = {}) => {
			await client.updateWorkflow(id, { pinData: { [nodeNames.fromCatchUp]: start, ...pinned } });
			expect((await client.run(id, nodeNames.fromCatchUp)).status).toBe('success');
			expect(deliveriesOf(env, order)).toHaveLength(1);
		};
		const copies: string[] = [];
		for (const json of await rowsOf(order)) {
			const id = await env.store('orders');
			copies.push(id);
			await runCopy(id, { [nodeNames.addToTable]: [{ json }] });
		}
		for (const id of copies.slice(1)) await runCopy(id);
		await client.publish(orders);
	});

	test('emails the owner about a rejected order, and sends it at night', async () => {
		control().addFault(noCourier);
		const order = await placeOrder();
		const row = await rowOf(order, { solved: 'no' });
		expect(row).toMatchObject({
			status: 'not created',
			message: expect.stringContaining('No courier drives there'),
			whatToDo: expect.stringContaining('The next night sends it'),
			deliveryId: '',
		});
		const { subject, text } = await env.email(order.name);
		expect(subject).toBe(`Order ${order.name} was not sent`);
		const { shopSubdomain } = env.shopify.credential;
		const [{ id } = { id: '' }] = await env.installation.client.executions(orders);
		for (const part of [
			row.message,
			`What to do:\n1. ${String(row.whatToDo)}\n2. To send now`,
			`https://${shopSubdomain}.myshopify.com/admin/orders/${order.id}\n`,
			`/workflow/${orders}/executions/${id}`,
		])
			expect(text).toContain(part);
		expect(deliveriesOf(env, order)).toEqual([]);
		expect(await catchUp()).toMatchObject([
			{ created: [`${order.name}-${fulfillmentOrderOf(order).id}`] },
		]);
		expect(await rowOf(order)).toMatchObject({ status: 'processing', solved: 'yes', message: '' });
		expect(deliveriesOf(env, order)).toHaveLength(1);
	});

	test("shows a rejected order as failed, and n8n's retry sends it", async () => {
		const { client } = env.installation;
		control().addFault(noCourier);
		const order = await placeOrder();
		expect((await env.email(order.name)).text).toContain('No courier drives there');
		const [failed] = await client.executions(orders);
		expect(failed).toMatchObject({ status: 'error' });
		control().addFault(noCourier);
		expect((await client.retry(failed!.id)).status).toBe('error');
		expect(deliveriesOf(env, order)).toEqual([]);
		expect(env.emails(order.name)).toHaveLength(2);
		expect((await client.retry(failed!.id)).status).toBe('success');
		expect(await rowOf(order)).toMatchObject({ status: 'processing', solved: 'yes', message: '' });
		await catchUp();
		expect(deliveriesOf(env, order)).toHaveLength(1);
	});

	test('emails the owner about a pending review without cash, and once about 20 orders and a wrong key', async () => {
		const { client, service } = env.installation;
		const create = filledIn(env.shopify)[nodeNames.createDelivery];
		await client.unpublish(orders);
		const any = await env.publish('orders', {
			[nodeNames.createDelivery]: { ...create, filters: { payment: 'any' } },
		});
		const unpaid = {
			...samples[8]!,
			financial_status: 'pending',
			total_outstanding: '29.00',
			payment_gateway_names: ['Bank Deposit'],
		};
		const order = await env.afterExecutions(any, 1, () => env.shopify.shop.place(unpaid));
		expect(await rowOf(order)).toMatchObject({
			status: 'pending review',
			message: expect.stringMatching(
				/^The pickup or delivery address was not found\..* No cash is collected/,
			),
			solved: 'no',
		});
		expect(
			await env.email(`${order.name}: The pickup or delivery address was not found.`),
		).toMatchObject({
			subject: `Order ${order.name} is pending review`,
			text: expect.stringContaining('Then set solved to yes'),
		});
		await client.unpublish(any);
		const placed = Array.from({ length: 20 }, () => env.shopify.shop.place(samples[0]));
		const type = credentialTypes.deliveryService;
		const id = await client.createCredential('Wrong key', type, {
			...service.credential,
			apiSecret: 'wrong',
		});
		const rejected = await env.store('orders', {}, { [type]: { id, name: 'Wrong key' } });
		await client.publish(rejected);
		const emailCount = () => env.emails('').length;
		const count = emailCount();
		await catchUp(rejected);
		expect(emailCount()).toBe(count + 1);
		const { subject, text } = await env.email('20 orders need you');
		expect(subject).toMatch(/^20 orders need you: #\d+, #\d+, #\d+$/);
		expect(text).toContain('the Delivery Service rejected the API key');
		for (const { name } of placed) expect(text).toContain(`${name}-`);
		await client.unpublish(rejected);
		await client.publish(orders);
		await catchUp();
		for (const one of placed) {
			expect(deliveriesOf(env, one)).toHaveLength(1);
			// Each later night would look them up again.
			env.shopify.shop.cancel(one.id);
		}
	});

	test('emails the owner about a partly paid order, and tries again until it is solved', async () => {
		const { shop } = env.shopify;
		const payment = { financial_status: 'partially_paid', total_outstanding: '54.00' };
		const order = await placeOrder({ ...samples[0]!, ...payment });
		expect(await rowOf(order)).toMatchObject({ status: 'skipped', solved: 'no' });
		expect((await env.email(order.name)).text).toMatch(/\n1\. Not sent: it is only partly paid/);
		const row = { orderName: order.name };
		await env.installation.client.changeTableRow(deliveriesTable, row, { solved: 'Yes ' });
		shop.pay(order.id);
		await catchUp();
		expect(deliveriesOf(env, order)).toEqual([]);
	});

	test('emails the owner about an unknown delivery, and never sends it again', async () => {
		control().addFault({ kind: 'resetAfter', method: 'POST', path: '/v1/deliveries' });
		const order = await placeOrder();
		const reference = `${order.name}-${fulfillmentOrderOf(order).id}`;
		expect(await rowOf(order, { solved: 'no' })).toMatchObject({
			status: 'unknown',
			whatToDo: expect.stringContaining(`Search for ${reference} in the Delivery Service`),
			deliveryId: '',
		});
		expect((await env.email(order.name)).text).toContain('in the Delivery Service');
		await env.afterExecutions(orders, 2, async () => {
			await Promise.all([catchUp(), report(order)]);
		});
		expect(deliveriesOf(env, order)).toHaveLength(1);
		expect(await rowOf(order)).toMatchObject({ status: 'unknown', solved: 'no' });
		// Each later night would wait a minute for the execution that may be sending it.
		env.shopify.shop.cancel(order.id);
	});

	test('emails the owner when Shopify rejects the access token', async () => {
		const { client } = env.installation;
		const type = credentialTypes.shopify;
		const data = { ...env.shopify.credential, accessToken: 'wrong' };
		const id = await client.createCredential('Wrong token', type, data);
		const catchUpId = await env.store('catchUp', calling(orders), {
			[type]: { id, name: 'Wrong token' },
		});
		await client.run(catchUpId, nodeNames.everyNight);
		expect((await env.email('Catch up at night failed')).text).toContain(
			'Invalid API key or access token',
		);
	});

	test('emails the owner when the called workflow is missing or fails, and reports no success', async () => {
		const { client } = env.installation;
		await client.unpublish(orders);
		const order = env.shopify.shop.place(samples[0]);
		await env.shopify.webhooks.settled();
		const countEmails = () => env.emails('Catch up at night failed').length;
		const before = countEmails();
		expect(await catchUp('deleted')).toEqual([]);
		expect(countEmails()).toBe(before + 1);

		const failing = await env.publish('orders', {
			[nodeNames.saveResult]: {
				dataTableId: { __rl: true, mode: 'name', value: 'A missing table' },
			},
		});
		expect(await catchUp(failing)).toMatchObject([
			{ summary: expect.stringMatching(/^Failed: .*A missing table/), created: [] },
		]);
		expect(countEmails()).toBe(before + 2);
		expect(env.emails('A missing table')).toHaveLength(1);
		await client.unpublish(failing);
		await client.publish(orders);
		expect(deliveriesOf(env, order)).toHaveLength(1);
		// The order is reserved for the other workflow, so it is not sent twice.
		await catchUp();
		expect(deliveriesOf(env, order)).toHaveLength(1);
		await client.changeTableRow(deliveriesTable, { orderName: order.name }, { solved: 'yes' });
	});

	test('asks Shopify again until it has the fulfillment orders of a new order', async () => {
		const { client } = env.installation;
		await client.unpublish(orders);
		const { nodes } = await client.workflow(orders);
		const hasty = JSON.stringify(nodes).replace('100000', '100');
		await client.updateWorkflow(orders, { nodes: nodesSchema.parse(JSON.parse(hasty)) });
		await client.publish(orders);
		const { shop } = env.shopify;
		shop.emptyReads = 3;
		const order = await env.afterExecutions(orders, 1, () => shop.place(samples[0]));
		expect(deliveriesOf(env, order)).toHaveLength(1);
		await client.unpublish(orders);
		await client.updateWorkflow(orders, { nodes });
		await client.publish(orders);
	});

	test('does not create an order that is canceled within the grace period', async () => {
		await env.installation.client.unpublish(orders);
		await env.createTable({ graceMinutes: 0.1 });
		const waiting = await env.publish('orders');
		const { shop } = env.shopify;
		const [canceled, kept] = await env.afterExecutions(waiting, 2, () => {
			const placed = [shop.place(samples[0]), shop.place(samples[0])] as const;
			shop.cancel(placed[0].id);
			return placed;
		});
		await env.createTable();
		await env.installation.client.unpublish(waiting);
		await env.installation.client.publish(orders);
		expect(deliveriesOf(env, canceled)).toEqual([]);
		expect(await rowOf(canceled)).toMatchObject({
			status: 'skipped',
			message: expect.stringContaining('canceled'),
			solved: '',
		});
		expect(env.emails(canceled.name)).toEqual([]);
		expect(deliveriesOf(env, kept)).toHaveLength(1);
	});

	test('names at night an order of 100 days ago that it meets for the first time', async () => {
		const { shop } = env.shopify;
		await env.installation.client.unpublish(orders);
		const order = shop.place(samples[0]);
		await env.shopify.webhooks.settled();
		const { id } = fulfillmentOrderOf(order);
		shop.hold(id);
		shop.backdate(order.id, 100 * 86_400_000);
		await env.createTable({ startDate: new Date(Date.now() - 200 * 86_400_000).toISOString() });
		await env.installation.client.publish(orders);
		await catchUp();
		expect(await rowsOf(order)).toEqual([]);
		expect(deliveriesOf(env, order)).toEqual([]);
		shop.hold(id, false);
		const { app } = env.shopify;
		const access = app.access.bind(app);
		const withoutOldOrders = jest.spyOn(app, 'access').mockImplementation((token) => {
			return { ...access(token)!, sees: (one) => one.id !== order.id };
		});
		await catchUp();
		withoutOldOrders.mockRestore();
		const { text } = await env.email(`/admin/orders/${order.id}\n`);
		expect(text).toContain('add the scope read_all_orders');
		expect(deliveriesOf(env, order)).toEqual([]);
		await catchUp();
		expect(await rowOf(order)).toMatchObject({ status: 'skipped', solved: 'no' });
		expect(deliveriesOf(env, order)).toEqual([]);
		await env.createTable();
	});

	test('asks the owner to look up a delivery whose ID was lost when n8n ended', async () => {
		const order = await placeOrder();
		const [delivery] = deliveriesOf(env, order);
		const { client } = env.installation;
		await client.changeTableRow(
			deliveriesTable,
			{ orderName: order.name },
			{ deliveryId: '', solved: '', status: '' },
		);
		await catchUp();
		expect(env.emails(order.name)).toEqual([]);
		const { nodes } = await client.workflow(orders);
		const publishWith = async (changed: WorkflowFile['nodes']) => {
			await client.unpublish(orders);
			await client.updateWorkflow(orders, { nodes: changed });
			await client.publish(orders);
		};
		await publishWith(withoutWait(nodes));
		await catchUp();
		await publishWith(nodes);
		expect(await rowOf(order)).toMatchObject({
			status: 'created',
			solved: 'no',
			whatToDo: expect.stringContaining(`Search for ${String(delivery?.record.referenceId)}`),
		});
		await env.email(order.name);
		expect(deliveriesOf(env, order)).toHaveLength(1);
	});

	test('sends the orders missed during a restart of n8n, alongside new orders', async () => {
		await env.installation.stopN8n();
		const { shop, webhooks } = env.shopify;
		const missed = shop.place(samples[1]);
		const repeated = shop.place(samples[2]);
		await webhooks.settled();
		await env.installation.startN8n();
		const placed = await env.afterExecutions(orders, 2, async () => {
			const nightlyRun = catchUp();
			await waitFor('the workflow to be active', async () => {
				await report(repeated);
				const [message] = webhooks.messages().filter(({ subject }) => subject === repeated.name);
				return message?.statuses.includes(200);
			});
			const newOrder = shop.place(samples[0]);
			await nightlyRun;
			return newOrder;
		});
		for (const order of [missed, repeated, placed]) {
			await rowOf(order, { solved: 'yes', status: 'processing' });
			expect(deliveriesOf(env, order)).toHaveLength(1);
			expect(env.emails(order.name)).toEqual([]);
		}
	});

	test('catches up orders from several pages with one request to Shopify per page', async () => {
		await env.installation.client.unpublish(orders);
		const { shop } = env.shopify;
		const missed = Array.from({ length: 3 }, () => shop.place(samples[0]));
		await env.installation.client.publish(orders);
		const id = await env.store('catchUp', calling(orders));
		const { nodes } = await env.installation.client.workflow(id);
		const smallPages = nodes.map((node) =>
			node.name === openParts ? { ...node, parameters: withPageSize(node.parameters, 2) } : node,
		);
		await env.installation.client.updateWorkflow(id, { nodes: smallPages });
		const calls = env.shopify.calls().length;
		const execution = await env.installation.client.run(id, nodeNames.everyNight);
		const isOpen = ({ status }: FulfillmentOrder) => ['open', 'in_progress'].includes(status);
		const open = shop.orders().flatMap(({ id }) => shop.fulfillmentOrders(id).filter(isOpen));
		const pages = Math.ceil(open.length / 2);
		expect(pages).toBeGreaterThan(1);
		expect(outputOf(execution, openParts)).toHaveLength(pages);
		const lookedUp = outputOf(execution, 'One Item per Order').length;
		expect(env.shopify.calls().length - calls).toBe(pages + lookedUp);
		for (const order of missed) expect(deliveriesOf(env, order)).toHaveLength(1);
	});

	test('emails the owner if Dry Run was left on, and the next night sends the order', async () => {
		const { client } = env.installation;
		await client.unpublish(orders);
		// The example itself has Dry Run on.
		const trying = await env.publish('orders', { [nodeNames.createDelivery]: pickup });
		const order = await env.afterExecutions(trying, 1, () => env.shopify.shop.place(samples[0]));
		expect(await rowOf(order)).toMatchObject({ status: 'not created', solved: 'no' });
		const { subject, text } = await env.email(`${order.name}-`);
		expect(subject).toBe(`Order ${order.name} was not sent`);
		expect(text).toContain('was not sent: Dry Run is on. If this was your test');
		await client.unpublish(trying);
		await client.publish(orders);
		await catchUp();
		expect(deliveriesOf(env, order)).toHaveLength(1);
	});

	test('creates deliveries for three days with tokens that end after one day', async () => {
		const { client, n8n } = env.installation;
		const { app, credential } = env.shopify;
		const { id } = env.credentials[credentialTypes.shopify]!;
		const appData = { client_id: app.clientId, client_secret: app.clientSecret };
		const customAuth = await client.createCredential('App', 'httpCustomAuth', {
			json: JSON.stringify({ body: appData }),
		});
		const renew = await env.store(
			'renewToken',
			{
				[nodeNames.settings]: {
					shopSubdomain: credential.shopSubdomain,
					n8nUrl: n8n.url,
					credentialId: id,
				},
			},
			{ httpCustomAuth: { id: customAuth, name: 'App' } },
		);
		const halfDayMs = 43_200_000;
		for (let halfDay = 0; halfDay < 6; halfDay += 1) {
			expect((await client.run(renew, nodeNames.everyTwelveHours)).status).toBe('success');
			const order = await placeOrder();
			expect(deliveriesOf(env, order)).toHaveLength(1);
			if (halfDay % 2 === 1) await catchUp();
			await env.shopify.passTime(halfDayMs);
		}
		await env.shopify.passTime(halfDayMs);
		const failed = await env.store('catchUp', calling(orders));
		const before = env.emails('Invalid API key or access token').length;
		await client.run(failed, nodeNames.everyNight);
		expect(env.emails('Invalid API key or access token')).toHaveLength(before + 1);
		expect((await client.run(renew, nodeNames.everyTwelveHours)).status).toBe('success');
		await catchUp();
	});

	test('delivers no fulfillment order twice in all tests above', () => {
		for (const order of env.shopify.shop.orders()) {
			const references = deliveriesOf(env, order).map(({ record }) => record.referenceId);
			expect(new Set(references).size).toBe(references.length);
			expect(references.length).toBeLessThanOrEqual(
				env.shopify.shop.fulfillmentOrders(order.id).length,
			);
		}
	});
});

/** Has the workflow regard each row as old, whose delivery no other execution is about to save. */
function withoutWait(nodes: WorkflowFile['nodes']): WorkflowFile['nodes'] {
	const text = JSON.stringify(nodes);
	expect(text).toContain('minutes: 15');
	return workflowFileSchema.shape.nodes.parse(
		JSON.parse(text.replaceAll('minutes: 15', 'minutes: 0')),
	);
}

const bodySchema = z.object({
	bodyParameters: z.object({
		parameters: z.array(z.object({ name: z.string(), value: z.string() })),
	}),
});

/** Changes the page size of a query in the parameters of an HTTP Request node. */
function withPageSize(parameters: Record<string, unknown>, size: number) {
	const { bodyParameters } = bodySchema.parse(parameters);
	const changed = bodyParameters.parameters.map(({ name, value }) => ({
		name,
		value: name === 'query' ? value.replace('first: 50', `first: ${size}`) : value,
	}));
	return { ...parameters, bodyParameters: { parameters: changed } };
}
