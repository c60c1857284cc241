/** The example workflows that need no table: the starter, its reports, admin webhooks, the sheet, the chat. */
import { createHmac, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { projectFolder } from '../../playground/n8n/folders';
import { connection, node } from '../../playground/n8n/workflowParts';
import { waitFor } from '../../playground/n8n/progress';
import { credentialTypes, nodeNames, pickup } from '../../playground/examples';
import { samples } from '../../playground/shopify/samples';
import type { Order } from '../../playground/shopify/shapes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';
import { deliveriesOf, noCourier, openShopEnvironment, type ShopEnvironment } from './support/shop';
import {
	archiveWithLeftovers,
	blacklist,
	changeNode,
	liveThrough,
	publishAgain,
	publishTrigger,
	repairNodes,
	replaceWebhooks,
	storeRepair,
} from './support/webhookRepair';

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

		test('the starter emails the owner about an unknown delivery', async () => {
			control().addFault({ kind: 'resetAfter', method: 'POST', path: '/v1/deliveries' });
			const order = await placeOrder();
			const { subject, text } = await env.email(`It is unknown whether ${order.name}`);
			expect(subject).toContain(order.name);
			expect(text).toContain('in the Delivery Service');
			expect(deliveriesOf(env, order)).toHaveLength(1);
			// Until someone checks it, each night waits a minute for its outcome, and fails.
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

	describe('the repair of webhooks', () => {
		const forget = async () => await replaceWebhooks(env, () => undefined);

		test('the repair sends one email a day about each cause in a week', async () => {
			const updates = await publishTrigger(env, 'Updates');
			let child = '';
			let deleted = '';
			const publishUpdates = async () => await publishAgain(env, updates);
			const { reports, emails } = await liveThrough(env, await storeRepair(env), [
				{ cause: 'none', happen: () => undefined },
				{ cause: 'forgotten', happen: forget, solve: publishUpdates },
				{
					cause: 'another URL of n8n',
					happen: async () =>
						await replaceWebhooks(env, (url) => url.replace(/127.0.0.1:\d+/, '127.0.0.1:1')),
					solve: publishUpdates,
				},
				{ cause: 'blacklisted', happen: () => blacklist(env, updates) },
				{
					cause: 'its own company',
					happen: async () => {
						child = await publishTrigger(env, 'Child', { companyId: '1002' });
						await replaceWebhooks(env, (url) => (url.includes(child) ? undefined : url));
					},
					solve: async () => await publishAgain(env, child),
					companyId: 1002,
				},
				{
					cause: 'deleted with leftovers',
					happen: async () => {
						deleted = await publishTrigger(env, 'Deleted');
						await archiveWithLeftovers(env, deleted);
						blacklist(env, deleted);
					},
				},
				{ cause: 'none', happen: () => undefined },
			]);
			console.table(reports);
			expect(reports.map(({ emails, lost }) => [lost, ...emails])).toEqual([
				[0],
				[2, 'A workflow gets no events'],
				[2, 'A workflow gets no events'],
				[1, 'A webhook was reactivated'],
				[2, 'A workflow gets no events'],
				[0, 'A webhook is not used'],
				[0],
			]);
			const names = ['"Updates"', '"Updates"', 'stopped calling', '"Child"', 'Nothing to do'];
			for (const [index, name] of names.entries()) expect(emails[index]?.text).toContain(name);
			expect(emails[0]?.text).toMatch(/no webhook for Delivery Updated since .*publish it/);
			expect(emails[0]?.text).toContain(`/workflow/${updates}\n`);
			// A URL contains the signature.
			expect(emails.map(({ text }) => text).join()).not.toMatch(/signature|\?event/);
			for (const id of [updates, child]) await env.installation.client.unpublish(id);
		});

		test('the repair remembers between its executions since when a webhook is missing', async () => {
			const { client } = env.installation;
			const updates = await publishTrigger(env, 'Updates');
			await forget();
			const repair = await storeRepair(env);
			const interval = [{ field: 'seconds', secondsInterval: 1 }];
			await changeNode(env, repair, repairNodes.schedule, () => ({
				parameters: { rule: { interval } },
			}));
			const outages = async () => {
				const { staticData } = await client.workflow(repair);
				return JSON.stringify(staticData).match(RegExp(`"${updates}/[^,}]+`))?.[0];
			};
			const checks = () =>
				control()
					.requests()
					.filter(({ method }) => method === 'GET').length;
			await client.publish(repair);
			const first = await waitFor('the outage', outages);
			const before = checks();
			await waitFor('more checks', () => checks() > before + 2);
			expect(await outages()).toBe(first);
			await publishAgain(env, updates);
			await waitFor('the end of the outage', async () => (await outages()) === undefined);
			for (const id of [repair, updates]) await client.unpublish(id);
			await waitFor('no saved execution', async () => {
				return (await client.executions(repair)).length === 0;
			});
		});
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
