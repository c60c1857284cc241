import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { projectFolder } from '../../playground/n8n/folders';
import { workflowFileSchema, type WorkflowFile } from '../../playground/n8n/client';
import { outputOf } from '../../playground/n8n/execution';
import { connection, node } from '../../playground/n8n/workflowParts';
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
import { eventCodes } from './support/events';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';
import { openShopEnvironment, type ShopEnvironment } from './support/shop';

const nodesSchema = workflowFileSchema.shape.nodes;
const openParts = 'Get Open Fulfillment Orders';
const noCourier = {
	kind: 'status',
	method: 'POST',
	path: '/v1/deliveries',
	status: 422,
	body: { code: 'INVALID', message: 'No courier drives there' },
} as const;

type Deliveries = ReturnType<ShopEnvironment['installation']['service']['control']['deliveries']>;

/** The deliveries of an order, whole or by fulfillment order. */
function deliveriesOf(env: ShopEnvironment, { name }: Pick<Order, 'name'>): Deliveries {
	return env.installation.service.control
		.deliveries()
		.filter(({ record: { referenceId = '' } }) => {
			return referenceId === name || referenceId.startsWith(`${name}-`);
		});
}

/** Parameters of the nodes that run one example from another. */
const calling = (workflowId: string) => ({
	[nodeNames.createMissed]: { workflowId: { __rl: true, mode: 'list', value: workflowId } },
});

describe.each(['newest', '1.123'] as const)('examples without a table in n8n %s', (version) => {
	let env: ShopEnvironment;

	beforeAll(async () => {
		env = await openShopEnvironment(version);
	});
	afterAll(async () => await env?.close());

	const control = () => env.installation.service.control;

	const failedExecution = async (workflowId: string) => {
		const executions = await env.installation.client.executions(workflowId);
		return executions.find(({ status, mode }) => status === 'error' && mode !== 'retry')!;
	};

	/** Runs a function with n8n stopped. */
	const whileDown = async (run: () => Promise<void>) => {
		await env.installation.stopN8n();
		await run();
		await env.installation.startN8n();
	};

	describe('the starter', () => {
		let starter: string;

		beforeAll(async () => (starter = await env.publish('starter')));
		afterAll(async () => await env.installation.client.unpublish(starter));

		const placeOrder = async (sample = samples[0]) =>
			await env.afterExecutions(starter, 1, () => env.shopify.shop.place(sample));

		const catchUp = async () => await env.installation.client.run(starter, nodeNames.everyNight);

		test('the starter creates one delivery for an order that two triggers and the night report at once', async () => {
			const { client } = env.installation;
			const { nodes, connections } = await client.workflow(starter);
			const trigger = nodes.find(({ name }) => name === nodeNames.newOrder)!;
			const paid = {
				...trigger,
				id: randomUUID(),
				webhookId: randomUUID(),
				name: 'Order Paid',
				parameters: { ...trigger.parameters, topic: 'orders/paid' },
			};
			const withPaid = { ...connections, 'Order Paid': connections[nodeNames.newOrder] };
			await client.unpublish(starter);
			await client.updateWorkflow(starter, { nodes: [...nodes, paid], connections: withPaid });
			await client.publish(starter);
			const { shop, webhooks } = env.shopify;
			const order = await env.afterExecutions(starter, 4, async () => {
				const placed = shop.place(samples[0]);
				shop.pay(placed.id);
				await Promise.all([
					catchUp(),
					webhooks.resend(webhooks.messages().filter(({ topic }) => topic === 'orders/create')),
				]);
				return placed;
			});
			expect(deliveriesOf(env, order)).toHaveLength(1);
			expect(env.emails(order.name)).toEqual([]);
		});

		test('the starter reports a rejected order as failed, and its retry sends it', async () => {
			const { client } = env.installation;
			control().addFault(noCourier);
			const order = await placeOrder();
			expect(deliveriesOf(env, order)).toEqual([]);
			const { subject, text } = await env.email('No courier drives there');
			expect(subject).toContain(`${order.name} was not created: the Delivery Service rejected`);
			expect(text).toContain(`execute Send One Order. The IDs: ${order.name} (ID ${order.id})\n`);
			const { id } = await failedExecution(starter);
			expect(text).toContain(`/executions/${id}`);
			expect((await client.retry(id)).status).toBe('success');
			expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		test('the starter sends at night all orders but the one that fails, and that one by its ID', async () => {
			const { client } = env.installation;
			const { shop } = env.shopify;
			await client.unpublish(starter);
			const address = { ...samples[0]!.shipping_address, address1: null };
			const incomplete = shop.place({ ...samples[0]!, shipping_address: address });
			const complete = Array.from({ length: 3 }, () => shop.place(samples[0]));
			await client.publish(starter);
			expect((await catchUp()).status).toBe('error');
			for (const order of complete) expect(deliveriesOf(env, order)).toHaveLength(1);
			expect(deliveriesOf(env, incomplete)).toEqual([]);
			shop.changeAddress(incomplete.id, { address1: '12 Birch Walk' });
			const { nodes } = await client.workflow(starter);
			const corrected = nodes.map((node) =>
				node.name === nodeNames.getOrder
					? { ...node, parameters: { ...node.parameters, orderId: String(incomplete.id) } }
					: node,
			);
			await client.updateWorkflow(starter, { nodes: corrected });
			expect((await client.run(starter, nodeNames.sendOneOrder)).status).toBe('success');
			expect(deliveriesOf(env, incomplete)).toHaveLength(1);
			await client.updateWorkflow(starter, { nodes });
		});

		test('the starter sends at night more open orders than Shopify lists at once', async () => {
			const { client } = env.installation;
			const { shop } = env.shopify;
			await client.unpublish(starter);
			const orders = Array.from({ length: 260 }, () => shop.place(samples[0]));
			expect((await catchUp()).status).toBe('success');
			for (const order of orders) {
				expect(deliveriesOf(env, order)).toHaveLength(1);
				shop.cancel(order.id);
			}
			await client.publish(starter);
		});

		test('the starter emails the owner about an unknown delivery, and does not send it again', async () => {
			control().addFault({ kind: 'resetAfter', method: 'POST', path: '/v1/deliveries' });
			const order = await placeOrder();
			const { subject, text } = await env.email(`It is unknown whether ${order.name}`);
			expect(subject).toContain(order.name);
			expect(text).toContain('in the Delivery Service');
			await catchUp();
			expect(deliveriesOf(env, order)).toHaveLength(1);
			// Until someone checks it, each night fails.
			env.shopify.shop.cancel(order.id);
		});

		test('the starter creates each delivery once after Shopify deleted its webhook', async () => {
			const { shop, webhooks } = env.shopify;
			const missed: Order[] = [];
			await whileDown(async () => {
				for (let count = 0; count < 20; count += 1) missed.push(shop.place(samples[0]));
				await env.shopify.passTime(4 * 3_600_000);
			});
			expect(webhooks.list('orders/create')).toEqual([]);
			const chosen = { name: 'Delivery Date', value: new Date().toISOString().slice(0, 10) };
			const waiting = shop.place({ ...samples[0]!, note_attributes: [chosen] });
			for (const { id } of [...missed, waiting]) shop.backdate(id, 3 * 3_600_000);
			await catchUp();
			expect(deliveriesOf(env, waiting)).toHaveLength(1);
			const { text } = await env.email('Shopify did not report them');
			expect(text).toContain('unpublish and publish the workflow.');
			for (const order of missed) {
				expect(deliveriesOf(env, order)).toHaveLength(1);
				expect(text).toContain(order.name);
			}
			expect(text).not.toContain(waiting.name);
			await env.installation.client.unpublish(starter);
			await env.installation.client.publish(starter);
			expect(webhooks.list('orders/create')).toHaveLength(1);
		});

		test('the starter creates each delivery once after an hour without n8n', async () => {
			const { shop } = env.shopify;
			const missed: Order[] = [];
			await whileDown(async () => {
				for (let count = 0; count < 20; count += 1) missed.push(shop.place(samples[0]));
				await env.shopify.passTime(3_600_000);
			});
			await env.afterExecutions(starter, 20, async () => {
				await env.shopify.passTime(3 * 3_600_000);
			});
			await catchUp();
			for (const order of missed) expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		test('the starter catches up at night after the app secret was rotated', async () => {
			const { shop, webhooks, app } = env.shopify;
			app.rotateSecret();
			const order = shop.place(samples[0]);
			await webhooks.settled();
			expect(webhooks.messages().at(-1)?.statuses).toEqual([200]);
			expect(deliveriesOf(env, order)).toEqual([]);
			shop.backdate(order.id, 3 * 3_600_000);
			await catchUp();
			expect(deliveriesOf(env, order)).toHaveLength(1);
			const { text } = await env.email(`to n8n: ${order.name}\n`);
			expect(text).toContain('check the client secret');
		});

		test('the starter fails at night after its token was revoked, until it is connected again', async () => {
			const { app, credential, shop } = env.shopify;
			app.expireTokens();
			const execution = await catchUp();
			expect(execution.status).toBe('error');
			expect(execution.data.resultData.lastNodeExecuted).toBe('Get Open Orders');
			const { client } = env.installation;
			const { id, name } = env.credentials[credentialTypes.shopifyApp]!;
			const { shopSubdomain } = credential;
			const { clientId, clientSecret } = app;
			const data = { shopSubdomain, clientId, clientSecret };
			await client.updateCredential(id, name, credentialTypes.shopifyApp, data);
			await client.connectOAuth(id, (url) => app.authorize(url.searchParams));
			const missed = shop.place(samples[0]);
			await catchUp();
			expect(deliveriesOf(env, missed)).toHaveLength(1);
			expect(env.emails(`to n8n: ${missed.name}`)).toEqual([]);
		});

		test('the morning report counts orders, lists failures, and warns when none came in', async () => {
			const { client } = env.installation;
			env.shopify.shop.place({ ...samples[0]!, test: true });
			await catchUp();
			const report = async (quietHours: number) => {
				const workflowId = { __rl: true, mode: 'id', value: starter };
				const id = await env.store('report', {
					[nodeNames.getExecutions]: { filters: { workflowId } },
					[nodeNames.settings]: { quietHours },
				});
				expect((await client.run(id, nodeNames.everyMorning)).status).toBe('success');
			};
			await report(24);
			const { text } = await env.email('Deliveries of the last 24 hours');
			// One was created without a response.
			const sent = control().deliveries().length - 1;
			expect(text).toContain(`Sent in the last 24 hours: ${sent}\n`);
			expect(text).toContain('Skipped: test order 1\n');
			expect(text).toMatch(/Failed:\n[^]*It is unknown whether/);
			expect(text).not.toContain('No courier drives there');
			await report(1e-5);
			expect((await env.email('No order from Shopify for')).text).toContain('Check the connection');
		});
	});

	test('the starter sends nothing without a start date, and lists older orders', async () => {
		const { client } = env.installation;
		const { shopify } = env;
		const order = shopify.shop.place(samples[0]);
		const unfinished = await env.store('starter', { [nodeNames.startDate]: { rightValue: '' } });
		const stopped = await client.run(unfinished, nodeNames.everyNight);
		expect(stopped.data.resultData.lastNodeExecuted).toBe(nodeNames.startDate);
		expect(stopped.status).toBe('error');
		const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
		const later = await env.store('starter', { [nodeNames.startDate]: { rightValue: tomorrow } });
		expect((await client.run(later, nodeNames.everyNight)).status).toBe('success');
		expect((await env.email(`${order.name} (ID ${order.id})`)).text).toContain('Start Date');
		expect(deliveriesOf(env, order)).toEqual([]);
	});

	test('emails the owner when a blacklisted webhook is reactivated, and when the check fails', async () => {
		const { client, service } = env.installation;
		const updates = await env.publish('updates');
		const repair = await env.store('repair');
		const [webhook] = control().webhooks();
		for (let times = 0; times < 2; times += 1) {
			control().blacklist(String(webhook?.url), eventCodes.updateTask);
			expect((await client.run(repair, 'Every 15 Minutes')).status).toBe('success');
			expect(control().webhooks()).toMatchObject([{ url: webhook?.url, status: 'Active' }]);
		}
		const { text } = await env.email('A webhook was reactivated');
		const [url = '', query = ''] = String(webhook?.url).split('?');
		expect(text).toContain(url);
		expect(env.emails('A webhook was reactivated')).toHaveLength(1);
		// It contains the signature.
		expect(query).not.toBe('');
		expect(text).not.toContain(query);
		await client.unpublish(updates);

		const type = credentialTypes.deliveryService;
		const data = { ...service.credential, apiSecret: 'wrong' };
		const id = await client.createCredential('Wrong secret', type, data);
		const failing = await env.store('repair', {}, { [type]: { id, name: 'Wrong secret' } });
		await client.run(failing, 'Every 15 Minutes');
		await env.email('The webhooks could not be checked');
	});

	describe('orders from webhooks of the Shopify admin', () => {
		let workflow: string;
		let url: string;

		beforeAll(async () => {
			const { client, n8n } = env.installation;
			workflow = await env.publish('webhook');
			const { nodes } = await client.workflow(workflow);
			const path = nodes.find(({ name }) => name === nodeNames.newOrder)?.parameters.path;
			url = `${n8n.url}/webhook/${String(path)}`;
			for (const topic of ['orders/create', 'orders/paid'])
				env.shopify.webhooks.subscribe(topic, url, true);
		});
		afterAll(async () => await env.installation.client.unpublish(workflow));

		const unpaid = {
			...samples[0]!,
			financial_status: 'pending',
			total_outstanding: '54.00',
			payment_gateway_names: ['bank transfer'],
		};

		test('creates one delivery for an order that is paid while it is created', async () => {
			const { shop } = env.shopify;
			const order = await env.afterExecutions(workflow, 2, () => {
				const placed = shop.place(samples[0]);
				shop.pay(placed.id);
				return placed;
			});
			expect(deliveriesOf(env, order)).toHaveLength(1);
			expect(env.emails(order.name)).toEqual([]);
		});

		test('creates the delivery of an unpaid order when it is paid', async () => {
			const { shop } = env.shopify;
			const order = await env.afterExecutions(workflow, 1, () => shop.place(unpaid));
			expect(deliveriesOf(env, order)).toEqual([]);
			await env.afterExecutions(workflow, 1, () => shop.pay(order.id));
			expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		test('emails the owner about an order on hold', async () => {
			const lines = samples[0]!.line_items.map((line) => ({ ...line, fulfillable_quantity: 0 }));
			const held = { ...samples[0]!, line_items: lines };
			const order = await env.afterExecutions(workflow, 1, () => env.shopify.shop.place(held));
			expect((await env.email(order.name)).text).toContain('because of a hold in Shopify');
			expect(deliveriesOf(env, order)).toEqual([]);
		});

		test('responds with 401 to a wrong or missing signature, creates nothing and emails the owner', async () => {
			const requestCount = control().requests().length;
			const body = JSON.stringify({ ...samples[0], name: '#W-2' });
			const wrong = createHmac('sha256', 'guessed').update(body).digest('base64');
			for (const signature of [wrong, '', undefined]) {
				const headers = {
					'Content-Type': 'application/json',
					...(signature !== undefined && { 'X-Shopify-Hmac-Sha256': signature }),
				};
				const { status } = await env.afterExecutions(
					workflow,
					1,
					async () => await fetch(url, { method: 'POST', headers, body }),
				);
				expect(status).toBe(401);
			}
			expect(control().requests()).toHaveLength(requestCount);
			expect((await env.email('the signature is wrong')).text).toContain('Compute Signature');
		});

		test('sends the orders of a changed key once it is entered, within four hours', async () => {
			const { client } = env.installation;
			const { shop, webhooks } = env.shopify;
			const earlierKey = webhooks.adminKey;
			webhooks.adminKey = 'rotated';
			const order = await env.afterExecutions(workflow, 1, () => shop.place(samples[0]));
			expect(deliveriesOf(env, order)).toEqual([]);
			const enter = async (secret: string) => {
				const { nodes } = await client.workflow(workflow);
				const changed = nodes.map((node) =>
					node.name === nodeNames.computeSignature
						? { ...node, parameters: { ...node.parameters, secret } }
						: node,
				);
				await client.updateWorkflow(workflow, { nodes: changed });
				await client.unpublish(workflow);
				await client.publish(workflow);
			};
			await enter('rotated');
			await env.afterExecutions(workflow, 1, async () => {
				await env.shopify.passTime(4 * 3_600_000);
			});
			expect(deliveriesOf(env, order)).toHaveLength(1);
			webhooks.adminKey = earlierKey;
			await enter(earlierKey);
		});

		test('emails the owner about an order that was not sent, and its retry sends it', async () => {
			const { client } = env.installation;
			control().addFault(noCourier);
			const order = await env.afterExecutions(workflow, 1, () =>
				env.shopify.shop.place(samples[0]),
			);
			expect(deliveriesOf(env, order)).toEqual([]);
			const { id } = await failedExecution(workflow);
			const emails = await waitFor('the email about the execution', () => {
				const found = env.emails(`/executions/${id}`);
				return found.length > 0 ? found : undefined;
			});
			expect(emails[0]?.subject).toContain(`${order.name} was not created`);
			expect(emails[0]?.text).toContain('No courier drives there');
			expect((await client.retry(id, true)).status).toBe('success');
			expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		test('sends nothing for an order that the owner created by hand as the docs say', async () => {
			const { client } = env.installation;
			control().addFault(noCourier);
			const order = await env.afterExecutions(workflow, 1, () =>
				env.shopify.shop.place(samples[0]),
			);
			const { nodes, connections } = await client.workflow(workflow);
			const create = nodes.find(({ name }) => name === nodeNames.createDelivery)!;
			const parameters = {
				...{ resource: 'delivery', operation: 'create', source: 'defineBelow', ...pickup },
				...{ dropoffName: 'Maya Okafor', dropoffEmail: 'maya@example.com' },
				...{ dropoffLocationType: 'address', dropoffAddress: '12 Birch Walk, Springfield' },
				packages: { package: [{ name: 'Mug', qty: 1, size: 's' }] },
				...{ referenceId: order.name, skipAlreadySent: true },
			};
			const byHand = { ...create, ...node('By Hand', create.type, parameters) };
			const start = node('Start', 'n8n-nodes-base.manualTrigger');
			await client.updateWorkflow(workflow, {
				nodes: [...nodes, start, byHand],
				connections: { ...connections, Start: { main: [[connection('By Hand')]] } },
			});
			const sent = await client.run(workflow, 'Start');
			expect(sent.data.resultData.error).toBeUndefined();
			expect(deliveriesOf(env, order)).toHaveLength(1);
			await env.afterExecutions(workflow, 1, async () => {
				const { webhooks } = env.shopify;
				await webhooks.resend(webhooks.messages().filter(({ subject }) => subject === order.name));
			});
			const [last] = await client.executions(workflow);
			expect([deliveriesOf(env, order).length, last?.status]).toEqual([1, 'success']);
			await client.updateWorkflow(workflow, { nodes, connections });
		});

		test('emails the owner about a pending review, with a link to the order', async () => {
			const order = await env.afterExecutions(workflow, 1, () =>
				env.shopify.shop.place(samples[8]),
			);
			const { subject, text } = await env.email(`${order.name}: its delivery was created.`);
			expect(subject).toBe(`${order.name} is pending review`);
			expect(text).toContain('\n1. The pickup or delivery address was not found.');
			const { shopSubdomain } = env.shopify.credential;
			expect(text).toContain(`https://${shopSubdomain}.myshopify.com/admin/orders/${order.id}\n`);
			expect(text).toMatch(new RegExp(`/workflow/${workflow}/executions/\\d+$`, 'm'));
			expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		test('accepts no order as long as the secret is empty', async () => {
			const { client, n8n } = env.installation;
			const unfinished = await env.store('webhook', { [nodeNames.computeSignature]: {} });
			const publishing = client.publish(unfinished);
			if (version === 'newest') {
				await expect(publishing).rejects.toThrow('Missing or invalid required parameters: secret');
			} else {
				await publishing;
				const { nodes } = await client.workflow(unfinished);
				const path = nodes.find(({ name }) => name === nodeNames.newOrder)?.parameters.path;
				const body = JSON.stringify({ ...samples[0], name: '#W-5' });
				const signature = createHmac('sha256', '').update(body).digest('base64');
				const headers = { 'X-Shopify-Hmac-Sha256': signature };
				const request = { method: 'POST', headers, body };
				const { status } = await fetch(`${n8n.url}/webhook/${String(path)}`, request);
				expect(status).toBe(500);
				expect(deliveriesOf(env, { name: '#W-5' })).toEqual([]);
				await client.unpublish(unfinished);
			}
		});
	});

	describe('chat assistant', () => {
		let model: ScriptedModel;
		let assistant: string;

		beforeAll(async () => {
			model = await startScriptedModel();
			const name = 'Scripted model';
			const type = credentialTypes.languageModel;
			const data = { apiKey: 'none', url: model.baseUrl };
			const id = await env.installation.client.createCredential(name, type, data);
			assistant = await env.store('assistant', {}, { [type]: { id, name } });
		});
		afterAll(async () => await model?.close());

		const chat = async (text: string) => {
			const { client } = env.installation;
			expect((await client.chat(assistant, 'When a Message Arrives', text)).status).toBe('success');
		};

		test('the assistant changes the recipient of a delivery', async () => {
			const starter = await env.publish('starter');
			const order = await env.afterExecutions(starter, 1, () => env.shopify.shop.place(samples[0]));
			await env.installation.client.unpublish(starter);
			model.setToolCall(
				{ Reference_ID: order.name, Recipient_Name: 'Ana Torres', Recipient_Phone: '+12175550199' },
				'Change_the_Recipient',
			);
			await chat('Ana Torres takes it');
			const [delivery] = deliveriesOf(env, order);
			expect(delivery?.request.dropoff.contact).toMatchObject({
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
				'Preview_a_Delivery',
			);
			await chat('What would it be like?');
			const [firstRequest, secondRequest] = model.requests;
			expect(firstRequest?.tools.map((tool) => tool.function.name).sort()).toEqual([
				'Change_the_Instructions',
				'Change_the_Recipient',
				'Preview_a_Delivery',
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
		const waitForPage = async (page: string, expected: string) =>
			await waitFor(`the form to show "${expected}"`, async () => {
				// n8n does not respond while the workflow is running.
				const responsePromise = fetch(page, { signal: AbortSignal.timeout(3_000) });
				const text = await responsePromise
					.then(async (response) => await response.text())
					.catch(() => '');
				return text.includes(expected);
			});
		const sheetDeliveries = () =>
			control()
				.deliveries()
				.filter(({ record }) => String(record.referenceId).startsWith('N-200'));
		for (const wrongColumn of ['company', 'Company ']) {
			const page = await upload(rows.replace('Company', wrongColumn));
			await waitForPage(page, 'The sheet has no column Company.');
		}
		expect(sheetDeliveries()).toEqual([]);
		// Excel puts a byte order mark before the first column.
		await waitForPage(
			await upload(`\uFEFF${rows.replace('Books', '12" books')}`),
			'Deliveries created: 3',
		);
		const page = await upload(
			rows.replace('N-2003', 'N-2004').replace('Books,2,s', 'Books,2,huge'),
		);
		await waitForPage(page, 'Rows skipped: 2, rows failed: 1; N-2004');
		expect(await env.email('N-2004')).toMatchObject({
			subject: 'Rows of the sheet that need you: 1',
			text: expect.stringContaining('is not one of xs, s, m, l, xl'),
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
		for (const one of placed) expect(deliveriesOf(env, one)).toHaveLength(1);
	});

	test('emails the owner about a payment method that may be cash, and tries again until it is solved', async () => {
		const { shop } = env.shopify;
		const payment = { financial_status: 'pending', total_outstanding: '54.00' };
		const methods = { payment_gateway_names: ['Pay the driver'] };
		const order = await placeOrder({ ...samples[0]!, ...payment, ...methods });
		expect(await rowOf(order)).toMatchObject({ status: 'skipped', solved: 'no' });
		expect((await env.email(order.name)).text).toMatch(/\n1\. Not sent: .* If Pay the/);
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

	test('sends at night a fulfillment order whose hold was released after 100 days', async () => {
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
		expect(await rowOf(order)).toMatchObject({ status: 'processing', solved: 'yes' });
		expect(deliveriesOf(env, order)).toHaveLength(1);
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
			await catchUp();
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
