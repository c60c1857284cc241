/** The example workflows of the full set, which keep their deliveries in a table, without status updates. */
import { z } from 'zod';

import { workflowFileSchema } from '../../playground/n8n/client';
import { outputOf } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import {
	credentialTypes,
	deliveriesTable,
	examples,
	filledIn,
	nodeNames,
	pickup,
	readExample,
	type FilledIn,
} from '../../playground/examples';
import type { OrderPart } from '../../playground/shopify/fulfillmentOrders';
import { samples } from '../../playground/shopify/samples';
import { startShopify, type Shopify } from '../../playground/shopify/server';
import type { Order } from '../../playground/shopify/shapes';
import { eventCodes, fireUpdates } from './support/events';
import { deliveriesOf, openShopEnvironment, type ShopEnvironment } from './support/shop';
import { changeNode, setDay } from './support/storedWorkflows';
import { publishTrigger } from './support/webhookRepair';
import { nodes } from './support/workflows';

const nodesSchema = workflowFileSchema.shape.nodes;
const pagesOfOrders = ['Get Open Fulfillment Orders', 'Get Changed Orders'];

/** Parameters of the nodes that run one example from another. */
const calling = (workflowId: string) => ({
	[nodeNames.createMissed]: { workflowId: { __rl: true, mode: 'list', value: workflowId } },
});

describe('examples with the table Deliveries in the newest n8n', () => {
	let env: ShopEnvironment;
	let orders: string;
	let second: Shopify | undefined;
	/** By ID, the orders whose test is over, with their fulfillment orders that are on hold only because of that. */
	const putAway = new Map<number, { placed: number; held: number[] }>();
	/** The reference IDs of the second shop, whose orders have the same names. */
	const ofSecondShop: unknown[] = [];

	beforeAll(async () => {
		env = await openShopEnvironment('newest');
		await env.createTable();
		orders = await env.publish('orders');
	});
	// Each later night would read the orders of this test again.
	afterEach(() => {
		const { shop } = env.shopify;
		for (const { id, created_at } of shop.orders().filter((order) => !putAway.has(order.id))) {
			const open = shop.fulfillmentOrders(id).filter(({ status }) => status === 'open');
			for (const part of open) shop.hold(part.id);
			shop.backdate(id, 3 * 86_400_000);
			putAway.set(id, { placed: Date.parse(created_at), held: open.map((part) => part.id) });
		}
	});
	afterAll(async () => {
		await second?.close();
		await env?.close();
	});

	const control = () => env.installation.service.control;

	/** Places an order like a sample, and waits until the workflow has run for it. */
	const placeOrder = async (sample = samples[0], parts?: readonly OrderPart[]) =>
		await afterReports(() => env.shopify.shop.place(sample, parts));

	/** Runs a function, then waits for the two executions that each new order causes: it is new, and updated. */
	const afterReports = async <T>(place: () => T | Promise<T>, workflowId = orders, count = 1) =>
		await env.afterExecutions(workflowId, 2 * count, place);

	const shopDomain = () => `${env.shopify.credential.shopSubdomain}.myshopify.com`;

	const fulfillmentOrderOf = (order: Order) => env.shopify.shop.fulfillmentOrders(order.id)[0]!;

	const rowsOf = async ({ name }: Order) => await env.rows({ orderName: name });

	/** Waits for the only row of an order with the given values. */
	const rowOf = async ({ name }: Order, values = {}) =>
		await env.row({ orderName: name, ...values });

	async function catchUp(workflowId = orders): Promise<void> {
		const id = await env.store('catchUp', calling(workflowId));
		const { status } = await env.installation.client.run(id, nodeNames.everyTwelveHours);
		expect(status).toBe('success');
	}

	async function sendByHand({ id }: Order) {
		const filled = { ...calling(orders), [nodeNames.orderToSend]: { id: String(id) } };
		const workflow = await env.store('catchUp', filled);
		return await env.installation.client.run(workflow, nodeNames.sendOneOrder);
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
		const before = await afterReports(place, starter, 3);
		await client.unpublish(starter);
		for (const { id } of before) shop.backdate(id, 25 * 3_600_000);
		const missed = place();
		await env.shopify.webhooks.settled();
		await client.publish(orders);
		const after = await afterReports(place, orders, 3);
		await catchUp();
		await catchUp();
		for (const order of [...before, ...missed, ...after])
			expect(deliveriesOf(env, order)).toHaveLength(1);
		for (const order of before) {
			expect(await rowOf(order)).toMatchObject({ status: 'skipped', deliveryId: '' });
			expect(env.emails(order.name)).toMatchObject([
				{ text: expect.stringContaining('this workflow did not see it in time') },
			]);
		}
	});

	// The steps of "Switch setups" in docs/change.md.
	test('a starter that becomes the full set sends no order again, and does not repeat its emails', async () => {
		const { client } = env.installation;
		const { shop } = env.shopify;
		await client.unpublish(orders);
		const workflow = await env.publish('starter');
		const place = () => shop.place(samples[0]);
		const [open, canceled] = await env.afterExecutions(workflow, 4, () => [place(), place()]);
		await client.unpublish(workflow);
		shop.cancel(canceled.id);
		await client.updateWorkflow(workflow, { nodes: [], connections: {} });
		const values = filledIn(env.shopify);
		const { nodes, connections } = await readExample(examples.orders, env.credentials, values);
		await client.updateWorkflow(workflow, { nodes, connections });
		await client.publish(workflow);
		await catchUp(workflow);
		const told = env.emails(`Order ${canceled.name}`).length;
		expect(told).toBeGreaterThan(0);
		await catchUp(workflow);
		expect(env.emails(`Order ${canceled.name}`)).toHaveLength(told);
		expect(await rowOf(open)).toMatchObject({ status: 'skipped', deliveryId: '' });
		expect(env.emails(open.name)).toEqual([]);
		for (const order of [open, canceled]) expect(deliveriesOf(env, order)).toHaveLength(1);
		await client.unpublish(workflow);
		await client.publish(orders);
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
				actionNeeded: '',
				trackingLink: record.trackLink,
				email: order.email,
				deliveryId: record.id,
				referenceId,
				orderId: String(order.id),
				orderUrl: `https://${shopDomain()}/admin/orders/${order.id}`,
				shop: shopDomain(),
				price: String(record.price),
			});
		}
		expect(env.emails(order.name)).toEqual([]);
	});

	test('emails the owner once in two days about a part whose items went with another delivery', async () => {
		const { shop } = env.shopify;
		const order = await placeOrder(samples[1]);
		shop.split(order.id);
		for (const day of ['today', 'tomorrow'] as const) {
			await setDay(env, orders, day);
			await catchUp();
		}
		expect(env.emails(order.name)).toMatchObject([
			{ text: expect.stringContaining('may have been, with another fulfillment order. Look in') },
		]);
		expect(deliveriesOf(env, order)).toHaveLength(1);
		await setDay(env, orders, undefined);
	});

	test('creates nothing in a second copy of the workflow', async () => {
		const copy = await env.publish('orders');
		const { shop } = env.shopify;
		const placed = await afterReports(
			async () =>
				await afterReports(
					() => Array.from({ length: 5 }, () => shop.place(samples[0])),
					orders,
					5,
				),
			copy,
			5,
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
		const newRow = { orderName: order.name, shop: shopDomain(), fulfillmentOrderId };
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

	const unpaid = {
		...samples[0]!,
		financial_status: 'pending',
		total_outstanding: '54.00',
		payment_gateway_names: ['bank transfer'],
	};

	test('emails the owner about a rejected order, again when it was sent by hand, and catches up', async () => {
		const { client } = env.installation;
		control().toggleProblem('rejection');
		const order = await placeOrder();
		const row = await rowOf(order, { status: 'rejected' });
		expect(row).toMatchObject({
			message: expect.stringContaining('No courier drives there'),
			deliveryId: '',
		});
		const executions = await client.executions(orders);
		expect(executions.slice(0, 2).map(({ status }) => status)).toContain('error');
		expect(deliveriesOf(env, order)).toEqual([]);
		for (let run = 0; run < 2; run += 1) await catchUp();
		const [{ subject, text } = { subject: '', text: '' }, ...others] = env.emails(order.name);
		expect(others).toEqual([]);
		expect((await sendByHand(order)).status).toBe('success');
		expect(env.emails(order.name)).toHaveLength(2);
		control().toggleProblem('rejection');
		await catchUp();
		expect(env.emails(order.name)).toHaveLength(2);
		expect(subject).toBe(`Action needed: ${String(row.referenceId)}`);
		for (const part of [
			row.actionNeeded,
			`https://${shopDomain()}/admin/orders/${order.id}\n`,
			'enter its ID (the end of its URL in Shopify) in Order to Send',
			`/workflow/${orders}/executions/`,
		])
			expect(text).toContain(part);
		expect(await rowOf(order)).toMatchObject({ status: 'processing', message: '' });
		expect(deliveriesOf(env, order)).toHaveLength(1);
	});

	test('sends an order that waits for its payment with Send One Order, once', async () => {
		const order = await placeOrder(unpaid);
		expect(await rowOf(order)).toMatchObject({ status: 'skipped', actionNeeded: '' });
		expect(env.emails(order.name)).toEqual([]);
		for (let times = 0; times < 2; times += 1)
			expect((await sendByHand(order)).status).toBe('success');
		expect(deliveriesOf(env, order)).toHaveLength(1);
		expect(await rowOf(order)).toMatchObject({ status: 'processing' });
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
		const order = await afterReports(() => env.shopify.shop.place(unpaid), any);
		expect(await rowOf(order)).toMatchObject({
			status: 'pending review',
			actionNeeded: expect.stringMatching(
				/ is pending review: the Delivery Service did not find an address.* no cash is collected, but 29\.00 USD is not paid/,
			),
		});
		expect(
			env.emails('is pending review: the Delivery Service did not find an address'),
		).toMatchObject([{ subject: expect.stringContaining(`Action needed: ${order.name}-`) }]);
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
		const { subject, text } = env.emails('').at(-1)!;
		expect(subject).toMatch(/^Action needed: (#\d+-\d+, ){4}#\d+-\d+$/);
		expect(text).toContain('the Delivery Service rejected the API key');
		for (const { name } of placed) expect(text).toContain(`${name}-`);
		// A later execution with the same cause is silent, also about other orders.
		await afterReports(() => env.shopify.shop.place(samples[0]), rejected);
		await catchUp(rejected);
		expect(emailCount()).toBe(count + 1);
		await client.unpublish(rejected);
		await client.publish(orders);
		await catchUp();
		for (const one of placed) expect(deliveriesOf(env, one)).toHaveLength(1);
	});

	test('emails the owner once about a partly paid order, and does not send it once it is solved', async () => {
		const { shop } = env.shopify;
		const payment = { financial_status: 'partially_paid', total_outstanding: '54.00' };
		const order = await placeOrder({ ...samples[0]!, ...payment });
		// Of the two executions of a new order, which run at the same moment, both may email.
		await env.email(`${order.name} (Main Street Store) was not sent: it is only partly paid`);
		const { length } = env.emails(order.name);
		await catchUp();
		expect(await rowOf(order)).toMatchObject({ status: 'skipped' });
		expect(env.emails(order.name)).toHaveLength(length);
		const row = { orderName: order.name };
		await env.installation.client.changeTableRow(deliveriesTable, row, { solved: 'Yes ' });
		await env.afterExecutions(orders, 1, () => shop.pay(order.id));
		await catchUp();
		expect(deliveriesOf(env, order)).toEqual([]);
	});

	test('emails the owner about an unknown delivery, and never sends it again', async () => {
		control().addFault({ kind: 'resetAfter', method: 'POST', path: '/v1/deliveries' });
		const order = await placeOrder();
		const reference = `${order.name}-${fulfillmentOrderOf(order).id}`;
		expect(await rowOf(order, { status: 'unknown' })).toMatchObject({
			message: expect.stringContaining(reference),
			deliveryId: '',
		});
		expect(env.emails(order.name)).toMatchObject([
			{ text: expect.stringContaining('in the Delivery Service') },
		]);
		await env.afterExecutions(orders, 2, async () => {
			await Promise.all([catchUp(), report(order)]);
		});
		expect(deliveriesOf(env, order)).toHaveLength(1);
		expect(await rowOf(order)).toMatchObject({ status: 'unknown' });
		expect(env.emails(order.name)).toHaveLength(1);
		// What docs/email.md says if the delivery is there. An event then brings another status.
		const { client } = env.installation;
		const deliveryId = deliveriesOf(env, order)[0]?.record.id;
		const status = { status: 'assigned', message: '', actionNeeded: '' };
		const found = { solved: 'yes', deliveryId: String(deliveryId), ...status };
		await client.changeTableRow(deliveriesTable, { orderName: order.name }, found);
		await catchUp();
		const [last] = await client.executions(orders);
		const execution = await client.execution(last!.id);
		const namesOf = (node: string) =>
			outputOf(execution, node).map(({ referenceId }) => referenceId);
		expect(namesOf(nodeNames.createDelivery)).toContain(reference);
		expect(namesOf('Needs Attention?')).not.toContain(reference);
		expect(await rowOf(order)).toMatchObject(found);
		// The last night would wait a minute for the execution that may be sending it.
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
		await client.run(catchUpId, nodeNames.everyTwelveHours);
		expect((await env.email('Catch up at night failed')).text).toContain(
			'Invalid API key or access token',
		);
		const { app } = env.shopify;
		const { permanentToken } = app;
		app.permanentToken = 'another';
		const placed = [await placeOrder()];
		const unread = 'An order could not be read from Shopify: ';
		expect((await env.email(unread)).text).toContain('Invalid API key or access token');
		// Of the executions of one order, which run at the same time, both may email.
		const { length } = env.emails(unread);
		placed.push(await placeOrder());
		expect(env.emails(unread)).toHaveLength(length);
		app.permanentToken = permanentToken;
		for (const order of placed) {
			await report(order);
			await waitFor('its delivery', () => deliveriesOf(env, order).length > 0);
		}
	});

	test('emails the owner when the called workflow is missing or fails, and reports no success', async () => {
		const { client } = env.installation;
		await client.unpublish(orders);
		const order = env.shopify.shop.place(samples[0]);
		await env.shopify.webhooks.settled();
		const countEmails = () => env.emails('Catch up at night failed').length;
		const before = countEmails();
		await catchUp('deleted');
		expect(countEmails()).toBe(before + 1);

		const failing = await env.publish('orders', {
			[nodeNames.saveResult]: {
				dataTableId: { __rl: true, mode: 'name', value: 'A missing table' },
			},
		});
		await catchUp(failing);
		expect(countEmails()).toBe(before + 2);
		expect(env.emails('A missing table')).toHaveLength(1);
		await client.unpublish(failing);
		await client.publish(orders);
		expect(deliveriesOf(env, order)).toHaveLength(1);
		// The order is reserved for the other workflow, so it is not sent twice.
		await catchUp();
		expect(deliveriesOf(env, order)).toHaveLength(1);
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
		const order = await placeOrder();
		expect(deliveriesOf(env, order)).toHaveLength(1);
		await client.unpublish(orders);
		await client.updateWorkflow(orders, { nodes });
		await client.publish(orders);
	});

	test('names at night an order of 100 days ago that it sees for the first time', async () => {
		const { shop } = env.shopify;
		await env.installation.client.unpublish(orders);
		const order = shop.place(samples[0]);
		await env.shopify.webhooks.settled();
		const { id } = fulfillmentOrderOf(order);
		shop.hold(id);
		shop.backdate(order.id, 100 * 86_400_000);
		await env.installation.client.publish(orders);
		await catchUp();
		expect(deliveriesOf(env, order)).toEqual([]);
		shop.hold(id, false);
		const { app } = env.shopify;
		const access = app.access.bind(app);
		const withoutOldOrders = jest.spyOn(app, 'access').mockImplementation((token) => {
			return { ...access(token)!, sees: (one) => one.id !== order.id };
		});
		await catchUp();
		withoutOldOrders.mockRestore();
		expect((await env.email('there is no such order')).text).toContain('scope read_all_orders');
		expect(deliveriesOf(env, order)).toEqual([]);
		await catchUp();
		expect(await rowOf(order)).toMatchObject({
			status: 'skipped',
			actionNeeded: expect.stringContaining('this workflow did not see it in time'),
		});
		await catchUp();
		expect(env.emails(order.name)).toHaveLength(1);
		expect(deliveriesOf(env, order)).toEqual([]);
	});

	test('keeps the row of another shop, whose fulfillment order has the same ID', async () => {
		const { client } = env.installation;
		await client.unpublish(orders);
		const order = env.shopify.shop.place(samples[0]);
		await env.shopify.webhooks.settled();
		const fulfillmentOrderId = String(fulfillmentOrderOf(order).id);
		const shop = 'another-shop.myshopify.com';
		const values = { workflowId: 'of-that-shop', deliveryId: 'D-1', message: 'Look at it' };
		const other = { orderName: order.name, fulfillmentOrderId, shop, ...values };
		await client.addTableRow(deliveriesTable, other);
		await client.publish(orders);
		await catchUp();
		expect(deliveriesOf(env, order)).toHaveLength(1);
		expect(await env.rows({ fulfillmentOrderId, shop })).toMatchObject([other]);
		expect(await env.row({ fulfillmentOrderId, shop: shopDomain() })).toMatchObject({
			status: 'processing',
			orderName: order.name,
		});
	});

	test.each<[string, number, (order: Order) => void, (order: Order) => string]>([
		[
			'is paid by link',
			2,
			({ id }) =>
				env.shopify.shop.edit(id, {
					financial_status: 'paid',
					total_outstanding: '0.00',
					payment_gateway_names: ['Cash on Delivery (COD)', 'shopify_payments'],
				}),
			() => '"cod":0',
		],
		[
			'gets another address',
			0,
			({ id }) => env.shopify.control.changeAddress(id),
			({ id }) => String(env.shopify.shop.order(id).shipping_address?.address1),
		],
	])('updates the delivery of a sent order that %s', async (_, sample, change, expected) => {
		const order = await placeOrder(samples[sample]);
		const patches = () =>
			control()
				.requests()
				.filter(({ method }) => method === 'PATCH').length;
		const before = patches();
		for (const edit of [
			() => env.shopify.shop.edit(order.id, { tags: 'vip' }),
			() => change(order),
			() => env.shopify.shop.edit(order.id, { tags: 'vip, seen' }),
			// Older than the change: the workflow reads the order as it is now.
			async () => await report(order),
		])
			await env.afterExecutions(orders, 1, () => edit());
		expect(patches()).toBe(before + 1);
		const [delivery, ...others] = deliveriesOf(env, order);
		expect(others).toEqual([]);
		expect(JSON.stringify(delivery?.request)).toContain(expected(order));
		expect(env.emails(order.name)).toEqual([]);
	});

	test.each<[string, number, (order: Order) => void, string]>([
		['is canceled', 0, ({ id }) => env.shopify.shop.cancel(id), 'was canceled. Ask the Delivery'],
		[
			'is refunded',
			0,
			({ id }) => env.shopify.shop.edit(id, { financial_status: 'refunded' }),
			'was fully refunded. Ask the Delivery',
		],
		[
			'is put on hold',
			0,
			(order) => {
				env.shopify.shop.hold(fulfillmentOrderOf(order).id);
				env.shopify.shop.edit(order.id, { tags: 'held' });
			},
			'is on hold. Ask the Delivery',
		],
	])('emails the owner once if a sent order %s', async (_, sample, change, text) => {
		const order = await placeOrder(samples[sample]);
		const tagged = () => env.shopify.shop.edit(order.id, { tags: 'vip' });
		await env.afterExecutions(orders, 1, tagged);
		expect(env.emails(order.name)).toEqual([]);
		const before = await rowOf(order);
		await env.afterExecutions(orders, 1, () => change(order));
		await env.afterExecutions(orders, 1, tagged);
		await catchUp();
		const [email, ...others] = env.emails(order.name);
		expect(others).toEqual([]);
		expect(email?.text).toContain(text);
		expect(email?.text).toContain(`/admin/orders/${order.id}\n`);
		expect(deliveriesOf(env, order)).toHaveLength(1);
		expect(await rowOf(order)).toEqual({ ...before, updatedAt: expect.any(String) });
	});

	test('reads an order of 120 lines with 30 refunds completely, and updates its delivery when a line is removed', async () => {
		const sample = samples[2]!;
		const lines = Array.from({ length: 120 }, (_, index) => {
			const left = index < 30 ? 2 : 3;
			return {
				...sample.line_items[0]!,
				id: 13_000_000_000_001 + index,
				quantity: 3,
				current_quantity: left,
				fulfillable_quantity: left,
				price: '1.25',
				grams: 100,
			};
		});
		const refunds = lines.slice(0, 30).map(({ id }, index) => ({
			id: 900_001 + index,
			refund_line_items: [{ line_item_id: id, quantity: 1, restock_type: 'cancel' }],
		}));
		const owed = (amount: string) => ({ total_outstanding: amount, current_total_price: amount });
		const order = await placeOrder({ ...sample, line_items: lines, refunds, ...owed('412.50') });
		const sent = () => deliveriesOf(env, order)[0]?.request;
		expect(deliveriesOf(env, order)).toHaveLength(1);
		// 330 units: 30 lines of 2, and 90 of 3.
		expect(sent()).toMatchObject({ cod: 412.5, packages: [{ qty: 1, price: 412.5, weight: 33 }] });
		await rowOf(order, { status: 'processing' });
		env.shopify.shop.removeLine(order.id, order.line_items.at(-1)!.id, owed('408.75'));
		await waitFor('the update', () => sent()?.packages[0]?.price === 408.75);
		expect(sent()).toMatchObject({ packages: [{ qty: 1, price: 408.75, weight: 32.7 }] });
		const { subject } = await env.email('the customer now owes 408.75 USD');
		expect(subject).toContain(order.name);
	});

	test('two shops with the same order names have their own deliveries, rows, updates and emails', async () => {
		const { client } = env.installation;
		const other = (second = await startShopify({ beside: env.shopify }));
		const { shopify: type } = credentialTypes;
		const name = 'Second shop';
		const id = await client.createCredential(name, type, other.credential);
		const publishSecond = async (example: 'orders' | 'updates', filled: FilledIn = {}) => {
			const workflow = await env.store(
				example,
				{ ...filledIn(other), ...filled },
				{ [type]: { id, name } },
			);
			await client.publish(workflow);
			return workflow;
		};
		const quick = { 'Wait for Table Row': { amount: 1, unit: 'seconds' } };
		const order = await placeOrder();
		// Orders from before the workflow, so that the next one has the same name.
		const earlier = Number(order.name.slice(1)) - 1001;
		for (let count = 0; count < earlier; count += 1) other.shop.place(samples[0]);
		const secondOrders = await publishSecond('orders');
		const otherOrder = await afterReports(() => other.shop.place(samples[1]), secondOrders);
		expect(otherOrder.name).toBe(order.name);

		const [delivery, otherDelivery] = deliveriesOf(env, order);
		ofSecondShop.push(otherDelivery?.record.referenceId);
		expect(deliveriesOf(env, order)).toHaveLength(2);
		await env.afterExecutions(orders, 1, () => env.shopify.shop.cancel(order.id));
		await env.afterExecutions(secondOrders, 1, () => other.control.changeAddress(otherOrder.id));
		const pickUp = async () => {
			const status = { status: 'picked up', company_id: '1001', city_id: '7' };
			await control().fireEvent(eventCodes.updateTask, { id: otherDelivery?.record.id, ...status });
		};
		const updates = await env.publish('updates', quick);
		await env.afterExecutions(updates, 1, pickUp);
		const secondUpdates = await publishSecond('updates', quick);
		await env.afterExecutions(updates, 1, async () => {
			await env.afterExecutions(secondUpdates, 1, pickUp);
		});

		expect(await rowsOf(order)).toMatchObject([
			{ shop: shopDomain(), deliveryId: delivery?.record.id, status: 'processing' },
			{ shop: other.domain, deliveryId: otherDelivery?.record.id, status: 'picked up' },
		]);
		const addresses = deliveriesOf(env, order).map(({ request }) => JSON.stringify(request));
		const newStreet = String(other.shop.order(otherOrder.id).shipping_address?.address1);
		expect(addresses.map((text) => text.includes(newStreet))).toEqual([false, true]);
		expect(env.shopify.shop.order(order.id).fulfillments).toEqual([]);
		expect(other.shop.order(otherOrder.id).fulfillments).toMatchObject([
			{ tracking_url: otherDelivery?.record.trackLink },
		]);
		const [email, ...others] = env.emails(order.name);
		expect(others).toEqual([]);
		expect(email?.text).toContain(`\nhttps://${shopDomain()}/admin/orders/${order.id}\n`);
		for (const workflow of [secondOrders, updates, secondUpdates]) await client.unpublish(workflow);
	});

	test('finds a cancellation that Shopify did not report', async () => {
		const order = await placeOrder();
		const { client } = env.installation;
		await client.unpublish(orders);
		env.shopify.shop.cancel(order.id);
		await env.shopify.webhooks.settled();
		await client.publish(orders);
		await catchUp();
		await catchUp();
		expect(env.emails(order.name)).toMatchObject([
			{ text: expect.stringContaining('Ask the Delivery Service to stop it') },
		]);
	});

	test('sends the orders missed during a restart of n8n, alongside new orders', async () => {
		await env.installation.stopN8n();
		const { shop, webhooks } = env.shopify;
		const missed = shop.place(samples[1]);
		const repeated = shop.place(samples[2]);
		await webhooks.settled();
		await env.installation.startN8n();
		const placed = await env.afterExecutions(orders, 3, async () => {
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
			await rowOf(order, { status: 'processing' });
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
			pagesOfOrders.includes(node.name)
				? { ...node, parameters: withPageSize(node.parameters, 2) }
				: node,
		);
		await env.installation.client.updateWorkflow(id, { nodes: smallPages });
		const calls = env.shopify.calls().length;
		const execution = await env.installation.client.run(id, nodeNames.everyTwelveHours);
		const pages = pagesOfOrders.map((name) => outputOf(execution, name).length);
		for (const count of pages) expect(count).toBeGreaterThan(1);
		const [found] = await env.installation.client.executions(orders);
		expect(
			outputOf(await env.installation.client.execution(found!.id), nodeNames.getOrder).length,
		).toBe(outputOf(execution, 'One Item per Order').length);
		expect(env.shopify.calls().length - calls).toBe(
			pages.reduce((sum, count) => sum + count, outputOf(execution, 'One Item per Order').length),
		);
		for (const order of missed) expect(deliveriesOf(env, order)).toHaveLength(1);
	});

	test('emails the owner if Dry Run was left on, and the next night sends the order', async () => {
		const { client } = env.installation;
		await client.unpublish(orders);
		// The example itself has Dry Run on.
		const trying = await env.publish('orders', { [nodeNames.createDelivery]: pickup });
		const order = await afterReports(() => env.shopify.shop.place(samples[0]), trying);
		expect(await rowOf(order)).toMatchObject({ status: 'notSent' });
		const [{ text } = { text: '' }, ...others] = env.emails(`${order.name}-`);
		expect(others).toEqual([]);
		expect(text).toContain('was not sent: Dry Run is on. If you created this order only as a test');
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
				[nodeNames.requestToken]: {
					url: `https://${credential.shopSubdomain}.myshopify.com/admin/oauth/access_token`,
				},
				[nodeNames.updateCredential]: { url: `${n8n.url}/api/v1/credentials/${id}` },
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
		await client.run(failed, nodeNames.everyTwelveHours);
		expect(env.emails('Invalid API key or access token')).toHaveLength(before + 1);
		expect((await client.run(renew, nodeNames.everyTwelveHours)).status).toBe('success');
		await catchUp();
	});

	test('reports in the morning what was sent, what waits, which events came, and what the week cost', async () => {
		const { client } = env.installation;
		const triggered = await publishTrigger(env, 'Statuses');
		const events = ['D-1', 'D-2'];
		await env.afterExecutions(triggered, 2, async () => await fireUpdates(control(), events, 1));
		await changeNode(env, triggered, nodes.done, () => ({
			type: 'n8n-nodes-base.stopAndError',
			parameters: { errorMessage: 'No such table' },
		}));
		await client.publish(triggered);
		await env.afterExecutions(triggered, 1, async () => await fireUpdates(control(), ['D-3'], 1));
		const quiet = await publishTrigger(env, 'Quiet');
		const { shop } = env.shopify;
		const place = () => [shop.place(unpaid), shop.place(samples[0])] as const;
		const [waiting] = await afterReports(place, orders, 2);
		expect(await rowOf(waiting)).toMatchObject({ status: 'skipped' });
		const report = await env.store('report', {
			[nodeNames.getExecutions]: {
				filters: { workflowId: { __rl: true, mode: 'id', value: orders } },
			},
		});
		expect((await client.run(report, nodeNames.everyMorning)).status).toBe('success');
		const { subject, text } = await env.email('Deliveries of the last 24 hours');
		expect(subject).toContain(`(${shopDomain()})`);
		expect(text).toMatch(/^Sent in the last 24 hours: [1-9]/);
		expect(text).toMatch(/\nWaiting or left out:\n[^]*1 × not paid: bank transfer\n/);
		const week = (await env.rows({ workflowId: orders })).filter(({ deliveryId }) => deliveryId);
		const cost = week.reduce((sum, { price }) => sum + Number(price), 0);
		expect(cost).toBeGreaterThan(0);
		expect(text).toContain(
			`Last 7 days: ${week.length} deliveries, cost ${cost.toFixed(2)}, cash that drivers collected 0.00`,
		);
		const [, counts] = /\nEvents from the Delivery Service:\n([^]*)\nIf some/.exec(text) ?? [];
		expect(counts?.split('\n').toSorted()).toEqual([
			'Quiet: 0',
			'Statuses, failed executions: 1',
			'Statuses: 3',
		]);
		for (const id of [triggered, quiet]) await client.unpublish(id);
	});

	test('delivers no fulfillment order twice in all tests above', async () => {
		const { shop } = env.shopify;
		await env.installation.client.unpublish(orders);
		for (const [id, { placed, held }] of putAway) {
			shop.backdate(id, Date.now() - placed);
			for (const part of held) shop.hold(part, false);
			shop.edit(id, {});
		}
		await env.installation.client.publish(orders);
		await catchUp();
		for (const order of shop.orders()) {
			const references = deliveriesOf(env, order)
				.map(({ record }) => record.referenceId)
				.filter((reference) => !ofSecondShop.includes(reference));
			expect(new Set(references).size).toBe(references.length);
			expect(references.length).toBeLessThanOrEqual(shop.fulfillmentOrders(order.id).length);
		}
	});
});

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
		value: name === 'query' ? value.replace(/first: \d+/, `first: ${size}`) : value,
	}));
	return { ...parameters, bodyParameters: { parameters: changed } };
}
