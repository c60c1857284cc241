import { createHmac } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { projectFolder } from '../../playground/n8n/folders';
import { outputOf } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import {
	credentialTypes,
	filledIn,
	nodeNames,
	tables,
	type Credentials,
	type FilledIn,
} from '../../playground/examples';
import { samples } from '../../playground/shopify/samples';
import type { Order } from '../../playground/shopify/shapes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';
import { openShopEnvironment, type ShopEnvironment } from './support/shop';

const updateTask = 3;
const timeoutMs = 60_000;

describe.each(['newest', '1.123'] as const)('example workflows in n8n %s', (version) => {
	let env: ShopEnvironment;
	let orders: string;
	let updates: string;

	beforeAll(async () => {
		env = await openShopEnvironment(version);
		updates = await env.publish('updates');
		orders = await env.publish('orders');
	});
	afterAll(async () => await env?.close());

	const control = () => env.installation.service.control;

	/** Places an order like a sample, and waits until the workflow has run for it. */
	async function placeOrder(sample = samples[0]): Promise<Order> {
		return await env.afterExecutions(orders, 1, () => env.shopify.shop.place(sample));
	}

	const deliveryRow = async ({ id }: Order, otherValues = {}) =>
		await env.row(tables.deliveries, { orderId: String(id), ...otherValues });

	/** Waits for the only delivery of an order at the service. */
	async function deliveryOfOrder(order: Order) {
		const deliveries = await waitFor(`the delivery of ${order.name}`, timeoutMs, () => {
			const all = control().deliveries();
			const own = all.filter(({ record }) => record.referenceId === order.name);
			return Promise.resolve(own.length > 0 ? own : undefined);
		});
		expect(deliveries).toHaveLength(1);
		return deliveries[0]!;
	}

	/** Makes the service report a status of a delivery, once or several times in parallel. */
	async function reportStatus(id: string, status: unknown, times = 1): Promise<void> {
		const payload = { id, status, company_id: '1001', city_id: '7' };
		await env.afterExecutions(updates, times, async () => {
			const fire = async () => await control().fireEvent(updateTask, payload);
			const postings = await Promise.all(Array.from({ length: times }, fire));
			expect(postings.flat().map((posting) => posting.status)).toEqual(Array(times).fill(200));
		});
	}

	const trackingUrls = ({ id }: Order) =>
		env.shopify.shop.order(id).fulfillments.map(({ tracking_url: url }) => url);

	/** Fulfills the first fulfillment order of an order manually, without tracking. */
	function fulfillManually({ id }: Order): void {
		const { shop } = env.shopify;
		const [open] = shop.fulfillmentOrders(id);
		shop.fulfill({
			line_items_by_fulfillment_order: [{ fulfillment_order_id: open?.id ?? 0 }],
			tracking_info: {},
			notify_customer: false,
		});
	}

	const entriesToReview = async (order: Order) =>
		await env.rows(tables.toLookAt, { orderName: order.name, solved: 'no' });

	test('creates a delivery and its row for an order, and fulfills the order on delivery', async () => {
		const order = await placeOrder();
		const { record } = await deliveryOfOrder(order);
		expect(await deliveryRow(order)).toMatchObject({
			deliveryId: record.id,
			referenceId: order.name,
			orderName: order.name,
			email: order.email,
			trackingLink: record.trackLink,
			status: 'processing',
			fulfillment: 'open',
		});
		await reportStatus(record.id, 'picked up');
		expect(await deliveryRow(order)).toMatchObject({ status: 'picked up', fulfillment: 'open' });
		expect(trackingUrls(order)).toEqual([]);
		await reportStatus(record.id, 'delivered');
		expect(trackingUrls(order)).toEqual([record.trackLink]);
		expect(env.shopify.shop.notifications()).toContainEqual({
			orderId: order.id,
			to: order.email,
			trackingUrl: record.trackLink,
		});
		expect(await deliveryRow(order)).toMatchObject({ status: 'delivered', fulfillment: 'done' });
		expect(await env.rows(tables.statuses)).toMatchObject([
			{ status: 'picked up', fulfills: 'no' },
			{ status: 'delivered', fulfills: 'yes' },
		]);
		expect(await env.rows(tables.earlyEvents)).toEqual([]);
		expect(await env.rows(tables.toLookAt)).toEqual([]);
	});

	test('fulfills an order once when events arrive late, repeatedly or simultaneously', async () => {
		const order = await placeOrder(samples[1]);
		const { record } = await deliveryOfOrder(order);
		await deliveryRow(order);
		await reportStatus(record.id, 'delivered', 3);
		await reportStatus(record.id, 'picked up');
		await reportStatus(record.id, 'delivered');
		expect(await deliveryRow(order)).toMatchObject({ status: 'delivered', fulfillment: 'done' });
		expect(trackingUrls(order)).toEqual([record.trackLink]);
		expect(await entriesToReview(order)).toEqual([]);
		expect(await env.rows(tables.earlyEvents)).toEqual([]);
	});

	test('stores an event that arrives before the row of its delivery, and applies it later', async () => {
		control().addFault({ kind: 'holdAfter', method: 'POST', path: '/v1/deliveries' });
		const order = await env.afterExecutions(orders, 1, async () => {
			const placed = env.shopify.shop.place(samples[0]);
			const { record } = await deliveryOfOrder(placed);
			await reportStatus(record.id, 'delivered');
			expect(await env.rows(tables.earlyEvents)).toMatchObject([
				{ deliveryId: record.id, status: 'delivered' },
			]);
			control().release();
			return placed;
		});
		const { record } = await deliveryOfOrder(order);
		expect(await deliveryRow(order)).toMatchObject({ status: 'delivered', fulfillment: 'open' });
		expect(await env.rows(tables.earlyEvents)).toEqual([]);
		await env.installation.client.run(updates, 'Every hour');
		expect(await deliveryRow(order)).toMatchObject({ fulfillment: 'done' });
		expect(trackingUrls(order)).toEqual([record.trackLink]);
	});

	test('creates one delivery each for simultaneous orders, one of them reported twice', async () => {
		const { shop, webhooks } = env.shopify;
		const placed = await env.afterExecutions(orders, 4, async () => {
			const newOrders = samples.slice(0, 3).map((sample) => shop.place(sample));
			await webhooks.resend(
				webhooks.messages().filter(({ subject }) => subject === newOrders[0]?.name),
			);
			return newOrders;
		});
		for (const order of placed) {
			const { record } = await deliveryOfOrder(order);
			expect(await deliveryRow(order)).toMatchObject({
				deliveryId: record.id,
				fulfillment: 'open',
			});
			expect(await entriesToReview(order)).toEqual([]);
		}
	});

	test('lists a rejected order for review and says what to do', async () => {
		control().addFault({
			kind: 'status',
			method: 'POST',
			path: '/v1/deliveries',
			status: 422,
			body: { code: 'INVALID', message: 'No courier drives there' },
		});
		const order = await placeOrder();
		expect(await env.row(tables.toLookAt, { orderName: order.name })).toMatchObject({
			about: 'creation',
			message: expect.stringContaining('rejected the request'),
			whatToDo: expect.stringContaining('No courier drives there'),
			solved: 'no',
		});
		expect(await env.rows(tables.deliveries, { orderName: order.name })).toEqual([]);
	});

	test('lists an order without a response for review, and finds its manually added row', async () => {
		control().addFault({ kind: 'resetAfter', method: 'POST', path: '/v1/deliveries' });
		const order = await placeOrder();
		const { record } = await deliveryOfOrder(order);
		const entry = { orderName: order.name, about: 'creation' };
		const { whatToDo } = await env.row(tables.toLookAt, { ...entry, solved: 'no' });
		expect(whatToDo).toContain(
			`orderId ${order.id}, orderName ${order.name}, referenceId ${order.name}, rank 0, and fulfillment open.`,
		);
		await reportStatus(record.id, 'picked up');
		await env.installation.client.addTableRow(tables.deliveries, {
			deliveryId: record.id,
			trackingLink: record.trackLink,
			orderId: String(order.id),
			orderName: order.name,
			referenceId: order.name,
			rank: 0,
			fulfillment: 'open',
		});
		await env.installation.client.run(updates, 'Every hour');
		expect(await deliveryRow(order)).toMatchObject({ status: 'picked up', fulfillment: 'open' });
		await reportStatus(record.id, 'delivered');
		expect(trackingUrls(order)).toEqual([record.trackLink]);
		await env.afterExecutions(orders, 1, async () => {
			const { webhooks } = env.shopify;
			const messages = webhooks.messages();
			await webhooks.resend(messages.filter(({ subject }) => subject === order.name).slice(0, 1));
		});
		await env.row(tables.toLookAt, { ...entry, solved: 'yes' });
	});

	test('does not fulfill an order again that was fulfilled manually', async () => {
		const order = await placeOrder();
		const { record } = await deliveryOfOrder(order);
		await deliveryRow(order);
		fulfillManually(order);
		await reportStatus(record.id, 'delivered');
		expect(await deliveryRow(order)).toMatchObject({ fulfillment: 'nothing to fulfill' });
		expect(trackingUrls(order)).toEqual([null]);
	});

	test('completes the fulfillment from two locations an hour after one of them failed', async () => {
		const order = await placeOrder(samples[1]);
		const { record } = await deliveryOfOrder(order);
		await deliveryRow(order);
		const [, second] = env.shopify.shop.split(order.id);
		env.shopify.shop.failOnce(second!.id);
		await reportStatus(record.id, 7);
		expect(await deliveryRow(order)).toMatchObject({ status: '7', fulfillment: 'open' });
		await reportStatus(record.id, 'delivered');
		expect(trackingUrls(order)).toEqual([record.trackLink]);
		expect(await deliveryRow(order)).toMatchObject({ fulfillment: 'open' });
		expect(await entriesToReview(order)).toMatchObject([{ about: 'fulfillment' }]);
		await env.installation.client.run(updates, 'Every hour');
		expect(trackingUrls(order)).toEqual([record.trackLink, record.trackLink]);
		expect(await deliveryRow(order)).toMatchObject({ fulfillment: 'done' });
		expect(await entriesToReview(order)).toEqual([]);
	});

	test('fulfills a fulfillment order on hold once it is released', async () => {
		const order = await placeOrder(samples[1]);
		const { record } = await deliveryOfOrder(order);
		await deliveryRow(order);
		const { shop } = env.shopify;
		const [, second] = shop.split(order.id);
		shop.hold(second!.id);
		await reportStatus(record.id, 'delivered');
		// On the second run, only the fulfillment order on hold remains.
		await env.installation.client.run(updates, 'Every hour');
		expect(trackingUrls(order)).toEqual([record.trackLink]);
		expect(await deliveryRow(order)).toMatchObject({ fulfillment: 'open' });
		expect(await entriesToReview(order)).toMatchObject([
			{
				message: expect.stringContaining('holds back'),
				whatToDo: expect.stringContaining('Release'),
			},
		]);
		shop.hold(second!.id, false);
		await env.installation.client.run(updates, 'Every hour');
		expect(trackingUrls(order)).toEqual([record.trackLink, record.trackLink]);
		expect(await deliveryRow(order)).toMatchObject({ fulfillment: 'done' });
		expect(await entriesToReview(order)).toEqual([]);
	});

	describe('order changes', () => {
		let changes: string;

		beforeAll(async () => {
			changes = await env.publish('changes');
		});
		afterAll(async () => await env.installation.client.unpublish(changes));

		/** Changes an order and waits for the execution of the one update that Shopify reports. */
		const afterUpdate = async <T>(change: () => T | Promise<T>) =>
			await env.afterExecutions(changes, 1, change);

		/** Places an order and waits for the update that Shopify reports for new orders. */
		async function placeOrderWithUpdate(sample?: Order) {
			const order = await afterUpdate(async () => await placeOrder(sample));
			await deliveryRow(order);
			return order;
		}

		test('updates the delivery of an edited order, even if Shopify repeats an older webhook', async () => {
			const order = await placeOrderWithUpdate();
			const { record } = await deliveryOfOrder(order);
			const { control: shopControl, webhooks } = env.shopify;
			const formerOrder = await afterUpdate(() => shopControl.changeAddress(order.id));
			const editedOrder = await afterUpdate(() => shopControl.changeAddress(order.id));
			const streetAddress = ({ shipping_address: address }: Order) => String(address?.address1);
			await afterUpdate(async () => {
				await webhooks.resend(
					webhooks
						.messages()
						.filter(
							({ topic, subject, body }) =>
								topic === 'orders/updated' &&
								subject === order.name &&
								body.includes(streetAddress(formerOrder)),
						),
				);
			});
			const { request } = await deliveryOfOrder(order);
			expect(JSON.stringify(request.dropoff)).toContain(streetAddress(editedOrder));
			expect(request.dropoff.contact.name).toBe('Maya Okafor');
			expect(await deliveryRow(order)).toMatchObject({
				deliveryId: record.id,
				sentTo: expect.stringContaining(streetAddress(editedOrder)),
			});
		});

		test('leaves a delivery as its order is now if an older change is made after a newer one', async () => {
			const order = await placeOrderWithUpdate();
			const { control } = env.installation.service;
			const { control: shopControl } = env.shopify;
			const updateCount = () =>
				control.requests().filter(({ method }) => method === 'PATCH').length;
			const before = updateCount();
			control.addFault({ kind: 'delay', method: 'PATCH', ms: 10_000 });
			const editedOrder = await env.afterExecutions(changes, 2, async () => {
				shopControl.changeAddress(order.id);
				await waitFor('the first update', timeoutMs, () =>
					Promise.resolve(updateCount() > before || undefined),
				);
				return shopControl.changeAddress(order.id);
			});
			const street = String(editedOrder.shipping_address?.address1);
			const { request } = await deliveryOfOrder(order);
			expect(JSON.stringify(request.dropoff)).toContain(street);
			expect(await deliveryRow(order)).toMatchObject({ sentTo: expect.stringContaining(street) });
			expect(await entriesToReview(order)).toEqual([]);
		});

		test('clears the cash on delivery when an order is paid', async () => {
			const order = await placeOrderWithUpdate(samples[2]);
			expect(await deliveryRow(order)).toMatchObject({
				sentTo: expect.stringContaining('to pay: 64.40'),
			});
			expect((await deliveryOfOrder(order)).request.cod).toBe(64.4);
			await afterUpdate(() => env.shopify.shop.pay(order.id));
			expect(await deliveryRow(order)).toMatchObject({
				sentTo: expect.stringContaining('to pay: 0.00'),
			});
			expect((await deliveryOfOrder(order)).request.cod).toBe(0);
		});

		test('clears the cash on delivery when an order is paid after a manual fulfillment', async () => {
			const order = await placeOrderWithUpdate(samples[2]);
			const { packages, cod } = (await deliveryOfOrder(order)).request;
			expect(cod).toBe(64.4);
			const { shop } = env.shopify;
			await afterUpdate(() => fulfillManually(order));
			expect(await deliveryRow(order)).toMatchObject({ fulfillment: 'open' });
			await afterUpdate(() => shop.pay(order.id));
			expect((await deliveryOfOrder(order)).request).toMatchObject({ cod: 0, packages });
			expect(await entriesToReview(order)).toEqual([]);
		});

		test('sends the coordinates that Shopify adds to an order', async () => {
			const order = await placeOrderWithUpdate(samples[1]);
			const { location } = (await deliveryOfOrder(order)).request.dropoff;
			expect(location).not.toHaveProperty('lat');
			const coordinates = { latitude: 39.7817, longitude: -89.6501 };
			await afterUpdate(() => env.shopify.shop.changeAddress(order.id, coordinates));
			expect((await deliveryOfOrder(order)).request.dropoff.location).toMatchObject({
				lat: 39.7817,
				lng: -89.6501,
			});
		});

		test('lists a canceled order for review once', async () => {
			const order = await placeOrderWithUpdate();
			await afterUpdate(() => env.shopify.shop.cancel(order.id));
			expect(await deliveryRow(order)).toMatchObject({ fulfillment: 'nothing to fulfill' });
			const entry = await env.row(tables.toLookAt, { orderName: order.name });
			expect(entry).toMatchObject({ about: 'change', solved: 'no' });
			await afterUpdate(() => env.shopify.shop.tag(order.id, 'cancelled'));
			expect(await env.row(tables.toLookAt, { orderName: order.name })).toEqual(entry);
		});
	});

	test('sends the orders missed during a restart of n8n, alongside new orders', async () => {
		const catchUp = await env.store('catchUp', {
			[nodeNames.sendMissing]: { workflowId: { __rl: true, mode: 'list', value: orders } },
		});
		const openOrder = await placeOrder();
		const { record } = await deliveryOfOrder(openOrder);
		await env.installation.stopN8n();
		const { shop } = env.shopify;
		const missed = shop.place(samples[1]);
		const repeated = shop.place(samples[2]);
		await env.shopify.webhooks.settled();
		await env.installation.startN8n();
		// n8n responds before it has activated its workflows.
		await waitFor('the workflows to be active', timeoutMs, async () => {
			const payload = { id: record.id, status: 'picked up', company_id: '1001', city_id: '7' };
			const postings = await control().fireEvent(updateTask, payload);
			return postings.every(({ status }) => status === 200) || undefined;
		});
		await reportStatus(record.id, 'delivered');
		await deliveryRow(openOrder, { fulfillment: 'done' });
		expect(trackingUrls(openOrder)).toEqual([record.trackLink]);

		const messages = env.shopify.webhooks
			.messages()
			.filter(({ subject }) => subject === repeated.name);
		const { execution, placed } = await env.afterExecutions(orders, 2, async () => {
			const nightlyRun = env.installation.client.run(catchUp, 'Every night');
			await env.shopify.webhooks.resend(messages);
			const newOrder = shop.place(samples[0]);
			return { execution: await nightlyRun, placed: newOrder };
		});
		expect(execution.status).toBe('success');
		expect(outputOf(execution, 'Summary')).toMatchObject([
			{ summary: expect.stringMatching(/open orders of the last 3 days/) },
		]);
		for (const order of [missed, repeated, placed]) {
			const own = await deliveryOfOrder(order);
			expect(await deliveryRow(order)).toMatchObject({ deliveryId: own.record.id });
		}
		const secondRun = await env.installation.client.run(catchUp, 'Every night');
		expect(outputOf(secondRun, 'Summary')).toMatchObject([{ sentNow: [] }]);
		expect(await entriesToReview(missed)).toEqual([]);
		expect(await entriesToReview(repeated)).toEqual([]);
		expect(await entriesToReview(placed)).toEqual([]);
	});

	test('reactivates a blacklisted webhook', async () => {
		const repair = await env.store('repair');
		const [webhook] = control().webhooks();
		control().blacklist(String(webhook?.url), updateTask);
		expect((await env.installation.client.run(repair, 'Every 15 minutes')).status).toBe('success');
		expect(control().webhooks()).toMatchObject([{ url: webhook?.url, status: 'Active' }]);
	});

	describe('orders from a webhook of the Shopify admin', () => {
		const url = () => `${env.installation.n8n.url}/webhook/shopify-new-order`;
		let workflow: string;

		beforeAll(async () => (workflow = await env.publish('webhook')));
		afterAll(async () => await env.installation.client.unpublish(workflow));

		const signatureOf = (body: string, secret = env.shopify.credential.appSecretKey) =>
			createHmac('sha256', secret).update(body).digest('base64');

		/** Posts an order as Shopify does, and waits until the workflow has run. Returns the status. */
		async function post(body: string, signature?: string): Promise<number> {
			const headers = {
				'Content-Type': 'application/json',
				'X-Shopify-Topic': 'orders/create',
				...(signature !== undefined && { 'X-Shopify-Hmac-Sha256': signature }),
			};
			return await env.afterExecutions(workflow, 1, async () => {
				const { status } = await fetch(url(), { method: 'POST', headers, body });
				return status;
			});
		}

		/** An order that only this webhook reports. The spaces are lost if n8n serializes it again. */
		const bodyOf = (name: string, otherValues = {}) =>
			JSON.stringify({ ...samples[0], name, note: 'Café & 🚲', ...otherValues }, null, 2);

		const deliveriesOf = (name: string) =>
			control()
				.deliveries()
				.filter(({ record }) => record.referenceId === name);

		test('creates one delivery for an order with the right signature that arrives twice', async () => {
			const body = bodyOf('#W-1');
			expect(await post(body, signatureOf(body))).toBe(200);
			expect(deliveriesOf('#W-1')).toHaveLength(1);
			expect(await post(body, signatureOf(body))).toBe(200);
			expect(deliveriesOf('#W-1')).toHaveLength(1);
			expect(await env.rows(tables.toLookAt, { orderName: '#W-1' })).toEqual([]);
		});

		test('responds with 401 to an order with a wrong or missing signature, and creates nothing', async () => {
			const body = bodyOf('#W-2');
			const requestCount = control().requests().length;
			expect(await post(body, signatureOf(body, 'guessed'))).toBe(401);
			expect(await post(body, signatureOf(bodyOf('#W-3')))).toBe(401);
			expect(await post(body, '')).toBe(401);
			expect(await post(body)).toBe(401);
			expect(control().requests()).toHaveLength(requestCount);
		});

		test('lists an order that was not sent for review, and sends it once it is fixed', async () => {
			const body = bodyOf('#W-4', {
				id: 4,
				shipping_address: { ...samples[0]?.shipping_address, address1: null },
			});
			expect(await post(body, signatureOf(body))).toBe(200);
			expect(deliveriesOf('#W-4')).toEqual([]);
			const entry = { orderId: '4', orderName: '#W-4', about: 'creation' };
			expect(await env.row(tables.toLookAt, entry)).toMatchObject({
				message: expect.stringContaining('#W-4'),
				whatToDo: expect.stringContaining('it is then sent again'),
				solved: 'no',
			});
			const fixed = bodyOf('#W-4', { id: 4 });
			expect(await post(fixed, signatureOf(fixed))).toBe(200);
			expect(deliveriesOf('#W-4')).toHaveLength(1);
		});

		test('accepts no order as long as the secret is empty', async () => {
			const { client } = env.installation;
			await client.unpublish(workflow);
			const unfinished = await env.store('webhook', { [nodeNames.computeSignature]: {} });
			const publishing = client.publish(unfinished);
			if (version === 'newest') {
				await expect(publishing).rejects.toThrow('Missing or invalid required parameters: secret');
			} else {
				await publishing;
				const body = bodyOf('#W-5');
				const headers = { 'X-Shopify-Hmac-Sha256': signatureOf(body, '') };
				expect((await fetch(url(), { method: 'POST', headers, body })).status).toBe(500);
				expect(deliveriesOf('#W-5')).toEqual([]);
				await client.unpublish(unfinished);
			}
			await client.publish(workflow);
		});
	});

	describe('chat assistant', () => {
		const trigger = 'When a message comes';
		let model: ScriptedModel;
		let assistant: string;

		beforeAll(async () => {
			model = await startScriptedModel();
			const name = 'Scripted model';
			const type = 'openAiApi';
			const data = { apiKey: 'none', url: model.baseUrl };
			const id = await env.installation.client.createCredential(name, type, data);
			assistant = await env.store('assistant', {}, { [type]: { id, name } });
		});
		afterAll(async () => await model?.close());

		const chat = async (text: string) => {
			const { status } = await env.installation.client.chat(assistant, trigger, text);
			expect(status).toBe('success');
		};

		test('the assistant changes the recipient of a delivery', async () => {
			const order = await placeOrder();
			model.setToolCall(
				{ Reference_ID: order.name, Recipient_Name: 'Ana Torres', Recipient_Phone: '+12175550199' },
				'Change_the_recipient',
			);
			await chat('Ana Torres takes it');
			const { request } = await deliveryOfOrder(order);
			expect(request.dropoff.contact).toMatchObject({
				name: 'Ana Torres',
				phonenumber: '+12175550199',
			});
		});

		test('the assistant previews a delivery without creating it, and has no tool to create one', async () => {
			const before = control().deliveries().length;
			model.requests.length = 0;
			model.setToolCall(
				{
					Recipient_Name: 'Ana Torres',
					Recipient_Email: 'ana@example.com',
					Address: '48 Oak Avenue, Springfield, IL 62704',
					Package_Name: 'Box',
					Quantity: 1,
					Size: 'm',
					Reference_ID: 'A-1',
					Delivery_Type: 'slot',
				},
				'Try_a_delivery',
			);
			await chat('What would it be like?');
			const [firstRequest, secondRequest] = model.requests;
			expect(firstRequest?.tools.map((tool) => tool.function.name).sort()).toEqual([
				'Change_the_instructions',
				'Change_the_recipient',
				'Try_a_delivery',
			]);
			expect(JSON.stringify(secondRequest?.messages.at(-1)?.content)).toContain('48 Oak Avenue');
			expect(control().deliveries()).toHaveLength(before);
		});
	});

	test('creates one delivery per row of a sheet, for the company of the row', async () => {
		const { client, n8n } = env.installation;
		const sheet = await env.publish('sheet');
		const { nodes } = await client.workflow(sheet);
		const form = nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
		const rows = await readFile(
			join(projectFolder, 'examples', 'child-companies-sheet.csv'),
			'utf8',
		);
		const upload = async (text: string) => {
			const body = new FormData();
			body.set('field-0', new Blob([text], { type: 'text/csv' }), 'Sheet.CSV');
			const url = `${n8n.url}/form/${String(form?.webhookId)}`;
			const response = await fetch(url, { method: 'POST', body });
			expect(response.status).toBe(200);
			return z.object({ formWaitingUrl: z.string() }).parse(await response.json()).formWaitingUrl;
		};
		const sheetDeliveries = () =>
			control()
				.deliveries()
				.filter(({ record }) => String(record.referenceId).startsWith('N-200'));
		for (const wrongColumn of ['company', 'Company ']) {
			const page = await upload(rows.replace('Company', wrongColumn));
			await waitFor('the message of the form', timeoutMs, async () => {
				// n8n does not respond while the workflow is running.
				const responsePromise = fetch(page, { signal: AbortSignal.timeout(3_000) });
				const text = await responsePromise
					.then(async (response) => await response.text())
					.catch(() => '');
				return text.includes('The sheet has no column Company.') || undefined;
			});
		}
		expect(sheetDeliveries()).toEqual([]);
		// Excel puts a byte order mark before the first column.
		await upload(`\uFEFF${rows}`);
		await waitFor('three deliveries', timeoutMs, () =>
			Promise.resolve(sheetDeliveries().length >= 3 || undefined),
		);
		await upload(rows.replace('N-2003', 'N-2004').replace('Books,2,s', 'Books,2,huge'));
		const row = await env.row(tables.toLookAt, { about: 'sheet' });
		expect(row).toMatchObject({
			referenceId: 'N-2004',
			message: expect.stringContaining('is not one of xs, s, m, l, xl'),
			solved: 'no',
		});
		const byReference = sheetDeliveries()
			.map(({ record, companyId, type }) => ({ reference: record.referenceId, companyId, type }))
			.sort((one, other) => String(one.reference).localeCompare(String(other.reference)));
		expect(byReference).toEqual([
			{ reference: 'N-2001', companyId: 1002, type: 'express' },
			{ reference: 'N-2002', companyId: 1002, type: 'slot' },
			{ reference: 'N-2003', companyId: 1001, type: 'slot' },
		]);
	});

	test('the nightly catch-up reports a dry run and names each order that was not sent', async () => {
		await deliveryRow(await placeOrder());
		await deliveryRow(await placeOrder(samples[2]));
		const { client, service } = env.installation;
		const runCatchUp = async (filled: FilledIn, otherCredentials: Credentials = {}) => {
			const ordersWorkflow = await env.store('orders', filled, otherCredentials);
			await client.publish(ordersWorkflow);
			const catchUp = await env.store('catchUp', {
				[nodeNames.sendMissing]: {
					workflowId: { __rl: true, mode: 'list', value: ordersWorkflow },
				},
			});
			const execution = await client.run(catchUp, 'Every night');
			await client.unpublish(ordersWorkflow);
			return outputOf(execution, 'Summary');
		};
		const create = filledIn(env.shopify)[nodeNames.createDelivery];
		const dryRunParameters = { ...create, options: { dryRun: true } };
		const dryRun = await runCatchUp({ [nodeNames.createDelivery]: dryRunParameters });
		expect(dryRun).toMatchObject([
			{ summary: expect.stringMatching(/^Dry Run is on .* 0 sent now/), sentNow: [] },
		]);
		const orderOptions = {
			...z.object({}).passthrough().parse(create?.orderOptions),
			onlyPaidOrders: true,
		};
		const onlyPaid = await runCatchUp({
			[nodeNames.createDelivery]: { ...dryRunParameters, orderOptions },
		});
		const notSentCount = ([{ summary } = {}]: typeof dryRun) =>
			Number(/(\d+) not to be sent/.exec(String(summary))?.[1]);
		const unpaid = env.shopify.shop
			.orders()
			.filter(({ cancelled_at, closed_at }) => !cancelled_at && !closed_at)
			.filter(({ financial_status: status }) => status !== 'paid');
		expect(unpaid.length).toBeGreaterThan(0);
		expect(notSentCount(onlyPaid) - notSentCount(dryRun)).toBe(unpaid.length);
		const type = credentialTypes.deliveryService;
		const incomplete = { ...service.credential, companyId: 'none' };
		const id = await client.createCredential('Incomplete', type, incomplete);
		const rejected = await runCatchUp({}, { [type]: { id, name: 'Incomplete' } });
		expect(rejected).toMatchObject([{ summary: expect.stringContaining(' 0 sent now') }]);
		const entries = await env.rows(tables.toLookAt, { about: 'creation' });
		expect(entries.filter(({ message }) => /company id/i.test(String(message)))).not.toEqual([]);
		expect(entries.filter(({ orderId }) => !orderId)).toEqual([]);
	});

	test('delivers and fulfills no order twice in all tests above', () => {
		for (const order of env.shopify.shop.orders()) {
			const own = control()
				.deliveries()
				.filter(({ record }) => record.referenceId === order.name);
			expect(own.length).toBeLessThanOrEqual(1);
			const locationCount = env.shopify.shop.fulfillmentOrders(order.id).length;
			expect(order.fulfillments.length).toBeLessThanOrEqual(locationCount);
		}
	});
});
