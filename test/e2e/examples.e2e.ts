/** The example workflows that need no table: the starter, its reports, admin webhooks, the sheet, the chat. */
import { createHmac, randomUUID } from 'node:crypto';
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { z } from 'zod';

import { projectFolder } from '../../playground/n8n/folders';
import { waitFor } from '../../playground/n8n/progress';
import { credentialTypes, filledIn, nodeNames } from '../../playground/examples';
import { startService } from '../../playground/service/server';
import { samples } from '../../playground/shopify/samples';
import type { Order } from '../../playground/shopify/shapes';
import { startScriptedModel, type ScriptedModel } from './support/scriptedModel';
import { deliveriesOf, openShopEnvironment, type ShopEnvironment } from './support/shop';
import { changeNode, publishAgain, setDay } from './support/storedWorkflows';
import {
	archiveWithLeftovers,
	blacklist,
	liveThrough,
	publishTrigger,
	repairNodes,
	replaceWebhooks,
	storeRepair,
} from './support/webhookRepair';

/** The events that the notes of the starter without an app name. */
const topics = ['orders/create', 'orders/paid', 'orders/cancelled', 'orders/updated'];

describe.each(['newest', '1.123'] as const)('examples without a table in n8n %s', (version) => {
	let env: ShopEnvironment;

	beforeAll(async () => {
		env = await openShopEnvironment(version);
	});
	afterAll(async () => await env?.close());

	/** A test of what the node and the workflow decide alone: n8n 1 would only repeat it. */
	const testOnce = (title: string, run: () => Promise<void>) => {
		if (version === 'newest') test(title, run);
	};

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

		const catchUp = async () => await env.installation.client.run(starter, nodeNames.twiceADay);

		/** Sends an order by hand, by its ID. */
		const sendOneOrder = async ({ id }: Order) => {
			const { client } = env.installation;
			const { nodes } = await client.workflow(starter);
			const orders = { name: 'orders', value: String(id), type: 'string', id: randomUUID() };
			const changed = nodes.map((node) =>
				node.name === nodeNames.ordersToSend
					? { ...node, parameters: { assignments: { assignments: [orders] } } }
					: node,
			);
			await client.updateWorkflow(starter, { nodes: changed });
			return await client.run(starter, nodeNames.sendOneOrder);
		};

		test('the starter creates one delivery for an order that four triggers and the catch-up report at once', async () => {
			const { shop, webhooks } = env.shopify;
			const order = await env.afterExecutions(starter, 7, async () => {
				const placed = shop.place(samples[0]);
				shop.pay(placed.id);
				await Promise.all([
					catchUp(),
					webhooks.resend(webhooks.messages().filter(({ topic }) => topic !== 'orders/paid')),
				]);
				return placed;
			});
			expect(deliveriesOf(env, order)).toHaveLength(1);
			expect(env.emails(order.name)).toEqual([]);
		});

		test('the starter emails the owner once about a canceled order', async () => {
			const { shop } = env.shopify;
			const order = await env.afterExecutions(starter, 2, () => shop.place(samples[0]));
			await env.afterExecutions(starter, 2, () => shop.cancel(order.id));
			const { subject, text } = await env.email(`${order.name} was canceled`);
			expect(subject).toBe(`Action needed: ${order.name}`);
			expect(text).toContain(`/admin/orders/${order.id}\n`);
			await catchUp();
			expect(env.emails(order.name)).toHaveLength(1);
		});

		testOnce(
			'the starter updates the delivery of an order that changes while the service is down',
			async () => {
				const { shop } = env.shopify;
				const setOptions = async (change: object) => {
					await changeNode(env, starter, nodeNames.createDelivery, ({ parameters }) => ({
						parameters: { ...parameters, options: Object.assign({}, parameters.options, change) },
					}));
					await publishAgain(env, starter);
				};
				await setOptions({ whenChanged: 'update' });
				const placed = await env.afterExecutions(starter, 2, () =>
					shop.place({
						...samples[0]!,
						financial_status: 'pending',
						total_outstanding: '54.00',
						payment_gateway_names: ['Cash on Delivery (COD)'],
					}),
				);
				const delivery = () => deliveriesOf(env, placed)[0]?.request;
				expect(delivery()).toMatchObject({ cod: 54 });
				const updates = () =>
					control()
						.requests()
						.filter(({ method }) => method === 'PATCH');
				control().toggleProblem('outage');
				await env.afterExecutions(starter, 2, async () => {
					shop.changeAddress(placed.id, { address1: '12 Birch Walk' });
					shop.edit(placed.id, { total_outstanding: '30.00' });
					await waitFor('a rejected update', () => updates().length > 0);
					control().toggleProblem('outage');
				});
				expect(delivery()).toMatchObject({
					cod: 30,
					dropoff: { location: { address: expect.stringContaining('12 Birch Walk') } },
				});
				await catchUp();
				expect(updates().filter(({ status }) => status === 200)).toHaveLength(1);
				expect(deliveriesOf(env, placed)).toHaveLength(1);
				expect(env.emails(placed.name)).toEqual([]);
				await setOptions({ whenChanged: 'tell' });
			},
		);

		test('the starter emails the owner once about a rejected order, and sends it by its ID', async () => {
			control().toggleProblem('rejection');
			const order = await env.afterExecutions(starter, 2, () => env.shopify.shop.place(samples[0]));
			expect(deliveriesOf(env, order)).toEqual([]);
			const { subject, text } = await env.email('No courier drives there');
			expect(subject).toBe(`Action needed: ${order.name}`);
			expect(text).toContain(`${order.name} was not created: the Delivery Service rejected`);
			expect(text).toContain('execute Send One Order, which turns on Send Anyway for it.\n');
			control().toggleProblem('rejection');
			const { status } = await failedExecution(starter);
			expect(status).toBe('error');
			expect((await sendOneOrder(order)).status).toBe('success');
			expect(deliveriesOf(env, order)).toHaveLength(1);
			expect(env.emails(order.name)).toHaveLength(1);
		});

		test('the catch-up of the starter sends all orders but the one that fails, and emails about that one once a day', async () => {
			const { client } = env.installation;
			const { shop } = env.shopify;
			await client.unpublish(starter);
			const address = { ...samples[0]!.shipping_address, address1: null };
			const incomplete = shop.place({ ...samples[0]!, shipping_address: address });
			const complete = Array.from({ length: 3 }, () => shop.place(samples[0]));
			await setDay(env, starter, 'today');
			const execution = await catchUp();
			expect(execution.status).toBe('error');
			expect(execution.data.resultData.lastNodeExecuted).toBe('Stop and Error');
			for (const order of complete) expect(deliveriesOf(env, order)).toHaveLength(1);
			expect(deliveriesOf(env, incomplete)).toEqual([]);
			const { subject } = await env.email(incomplete.name);
			expect(subject).toBe(`Action needed: ${incomplete.name}`);
			await catchUp();
			expect(env.emails(incomplete.name)).toHaveLength(1);
			await setDay(env, starter, 'tomorrow');
			await catchUp();
			expect(env.emails(incomplete.name)).toHaveLength(2);
			shop.changeAddress(incomplete.id, { address1: '12 Birch Walk' });
			await waitFor('the delivery', () => deliveriesOf(env, incomplete).length > 0);
			expect(env.emails(incomplete.name)).toHaveLength(2);
			await setDay(env, starter, undefined);
		});

		testOnce(
			'the catch-up of the starter reads more open orders than Shopify lists at once, in one run',
			async () => {
				const { client } = env.installation;
				const { shop } = env.shopify;
				await client.unpublish(starter);
				const place = (count: number, changes: Partial<Order> = {}) =>
					Array.from({ length: count }, () => shop.place({ ...samples[0]!, ...changes }));
				// Only the first and the last orders go to drivers: 100 deliveries would take a minute.
				const first = place(5);
				const pickup = { title: 'Store pickup', code: 'Store pickup', price: '0.00' };
				const pickedUp = place(250, { shipping_lines: [pickup] });
				const delivered = [...first, ...place(5)];
				const { status, data } = await catchUp();
				expect(status).toBe('success');
				expect(data.resultData.runData[nodeNames.createDelivery]).toHaveLength(1);
				for (const order of delivered) expect(deliveriesOf(env, order)).toHaveLength(1);
				for (const order of pickedUp) expect(deliveriesOf(env, order)).toEqual([]);
				for (const { id } of [...delivered, ...pickedUp]) shop.cancel(id);
				const lost = delivered[0]!;
				expect((await catchUp()).status).toBe('success');
				expect((await env.email(`${lost.name} was canceled`)).subject).toContain(
					delivered[1]!.name,
				);
				await client.publish(starter);
			},
		);

		testOnce('the starter sends an older order only by its ID', async () => {
			const { shop } = env.shopify;
			const { client } = env.installation;
			await client.unpublish(starter);
			const order = shop.place(samples[0]);
			shop.backdate(order.id, 3 * 86_400_000);
			await catchUp();
			await env.email(`${order.name} was not sent: it was placed 3 days ago`);
			await catchUp();
			expect(env.emails(order.name)).toHaveLength(1);
			expect(deliveriesOf(env, order)).toEqual([]);
			expect((await sendOneOrder(order)).status).toBe('success');
			expect(deliveriesOf(env, order)).toHaveLength(1);
			await client.publish(starter);
		});

		test('the starter emails the owner about an unknown delivery, and sends the order again once that is allowed', async () => {
			const { client } = env.installation;
			control().addFault({ kind: 'resetAfter', method: 'POST', path: '/v1/deliveries' });
			await client.unpublish(starter);
			const order = env.shopify.shop.place(samples[0]);
			await catchUp();
			const { subject, text } = await env.email(`It is unknown whether ${order.name}`);
			expect(subject).toContain(order.name);
			expect(text).toContain('in the Delivery Service');
			expect(deliveriesOf(env, order)).toHaveLength(1);
			const { nodes } = await client.workflow(starter);
			const changed = nodes.map((node) =>
				node.name === nodeNames.allowResending
					? { ...node, parameters: { ...node.parameters, referenceIds: order.name } }
					: node,
			);
			await client.updateWorkflow(starter, { nodes: changed });
			expect((await client.run(starter, nodeNames.allowAgain)).status).toBe('success');
			await sendOneOrder(order);
			expect(deliveriesOf(env, order)).toHaveLength(2);
			await client.publish(starter);
		});

		testOnce(
			'the starter creates each delivery once after Shopify deleted its webhooks',
			async () => {
				const { shop, webhooks } = env.shopify;
				const missed: Order[] = [];
				await whileDown(async () => {
					for (let count = 0; count < 20; count += 1) missed.push(shop.place(samples[0]));
					await env.shopify.passTime(4 * 3_600_000);
				});
				expect(webhooks.list('orders/create')).toEqual([]);
				await catchUp();
				for (const order of missed) expect(deliveriesOf(env, order)).toHaveLength(1);
				await env.installation.client.unpublish(starter);
				await env.installation.client.publish(starter);
				expect(webhooks.list('orders/create')).toHaveLength(1);
			},
		);

		testOnce('the starter creates each delivery once after an hour without n8n', async () => {
			const { shop } = env.shopify;
			const missed: Order[] = [];
			await whileDown(async () => {
				for (let count = 0; count < 20; count += 1) missed.push(shop.place(samples[0]));
				await env.shopify.passTime(3_600_000);
			});
			await env.afterExecutions(starter, 40, async () => {
				await env.shopify.passTime(3 * 3_600_000);
			});
			await catchUp();
			for (const order of missed) expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		testOnce('the starter catches up after the app secret was rotated', async () => {
			const { shop, webhooks, app } = env.shopify;
			app.rotateSecret();
			const order = shop.place(samples[0]);
			await webhooks.settled();
			expect(webhooks.messages().at(-1)?.statuses).toEqual([200]);
			expect(deliveriesOf(env, order)).toEqual([]);
			await catchUp();
			expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		test('the starter emails the owner once that its token was revoked, and catches up when it is connected again', async () => {
			const { app, credential, shop } = env.shopify;
			const { client } = env.installation;
			const { id, name } = env.credentials[credentialTypes.shopifyApp]!;
			const { shopSubdomain } = credential;
			const { clientId, clientSecret } = app;
			const connect = async () => {
				const data = { shopSubdomain, clientId, clientSecret };
				await client.updateCredential(id, name, credentialTypes.shopifyApp, data);
				await client.connectOAuth(id, (url) => app.authorize(url.searchParams));
			};
			// The webhooks are signed with the current secret.
			await connect();
			app.expireTokens();
			const execution = await catchUp();
			expect(execution.status).toBe('error');
			expect(execution.data.resultData.lastNodeExecuted).toBe('Get Open Orders');
			const missed = await env.afterExecutions(starter, 4, () => shop.place(samples[0]));
			const about = 'Action needed: Shopify orders to deliveries';
			const { text } = await env.email(about);
			expect(text).toContain('#workflow-failed');
			expect(env.emails(about)).toHaveLength(1);
			expect(deliveriesOf(env, missed)).toEqual([]);
			await connect();
			await catchUp();
			expect(deliveriesOf(env, missed)).toHaveLength(1);
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
			expect(text).toMatch(/Waiting or left out:\n[^]*1 × test order$/m);
			expect(text).toMatch(
				/Execution \d+ \(.*\): .*(OAuth access token expired|refreshToken is required)/,
			);
			expect(text.match(/OAuth access token expired|refreshToken is required/g)).toHaveLength(1);
			// Both were sent since.
			expect(text).not.toMatch(/No courier drives there|It is unknown whether/);
			await report(1e-5);
			expect((await env.email('No order from Shopify for')).text).toContain('Check the connection');
		});

		// The steps of "Back up and restore" in docs/run.md. It is the last: the memory of the tests above is gone.
		testOnce(
			'after a restored backup, the starter names the orders that were sent since, and sends none again',
			async () => {
				const { client, userFolder } = env.installation;
				const { shop } = env.shopify;
				const [folder, backup] = [join(userFolder, '.n8n'), join(userFolder, 'backup')];
				const sample = samples[0]!;
				const unpaid = {
					financial_status: 'pending',
					payment_gateway_names: ['bank transfer'],
					total_outstanding: sample.total_price,
				};
				const met = await env.afterExecutions(starter, 2, () =>
					shop.place({ ...sample, ...unpaid }),
				);
				expect(deliveriesOf(env, met)).toEqual([]);
				await whileDown(async () => await cp(folder, backup, { recursive: true }));
				const sent = await env.afterExecutions(starter, 4, () => [
					shop.pay(met.id),
					shop.place(sample),
				]);
				await whileDown(async () => {
					await rm(folder, { recursive: true });
					await cp(backup, folder, { recursive: true });
				});
				await client.unpublish(starter);
				await changeNode(env, starter, nodeNames.allowResending, ({ parameters }) => ({
					parameters: { ...parameters, references: 'all' },
				}));
				expect((await client.run(starter, nodeNames.allowAgain)).status).toBe('success');
				await changeNode(env, starter, nodeNames.createDelivery, ({ parameters }) => ({
					parameters: { ...parameters, options: { firstSeenWithinHours: 1 } },
				}));
				for (const { id } of shop.orders()) shop.backdate(id, 2 * 3_600_000);
				await client.publish(starter);
				const before = control().deliveries().length;
				for (let times = 0; times < 2; times += 1) expect((await catchUp()).status).toBe('success');
				expect(control().deliveries()).toHaveLength(before);
				for (const order of sent) {
					expect(deliveriesOf(env, order)).toHaveLength(1);
					expect(env.emails(`${order.name} was not sent: it was placed 2 hours ago`)).toHaveLength(
						1,
					);
				}
				const later = await env.afterExecutions(starter, 2, () => shop.place(sample));
				expect(deliveriesOf(env, later)).toHaveLength(1);
			},
		);
	});

	if (version === 'newest')
		test.each([
			['starter', nodeNames.createDelivery, 'pickupName'],
			['starter', nodeNames.createDelivery, 'pickupEmail'],
			['starter', nodeNames.createDelivery, 'pickupAddress'],
			['starter', nodeNames.emailOwner, 'fromEmail'],
			['webhook', nodeNames.createDelivery, 'pickupName'],
			['webhook', nodeNames.createDelivery, 'pickupEmail'],
			['webhook', nodeNames.createDelivery, 'pickupAddress'],
			['webhook', nodeNames.computeSignature, 'secret'],
			['webhook', nodeNames.emailOwner, 'toEmail'],
		] as const)(
			'n8n does not publish the example %s if %s lacks %s',
			async (example, node, field) => {
				const id = await env.store(example, {
					[node]: { ...filledIn(env.shopify)[node], [field]: '' },
				});
				await expect(env.installation.client.publish(id)).rejects.toThrow(
					`Missing or invalid required parameters: ${field}`,
				);
			},
		);

	describe('the repair of webhooks', () => {
		const forget = async () => await replaceWebhooks(env, () => undefined);

		testOnce('the repair sends one email a day about each cause in a week', async () => {
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
			expect(emails[1]?.text).toContain('only at http://127.0.0.1:1/webhook/');
			expect(emails[0]?.text).toMatch(/no webhook for Delivery Updated since .*publish it/);
			expect(emails[0]?.text).toContain(`/workflow/${updates}\n`);
			// A URL contains the signature.
			expect(emails.map(({ text }) => text).join()).not.toMatch(/signature|\?event/);
			for (const id of [updates, child]) await env.installation.client.unpublish(id);
		});

		test('the repair only reactivates without the list of n8n, and says why', async () => {
			const { client, service } = env.installation;
			const updates = await publishTrigger(env, 'Updates');
			const without = async (change: object, type = '', data = {}) => {
				const name = `Wrong ${type}`;
				const id = type && (await client.createCredential(name, type, data));
				const repair = await storeRepair(env, type ? { [type]: { id, name } } : {});
				await changeNode(env, repair, repairNodes.list, () => change);
				blacklist(env, updates);
				const known = env.emails('').length;
				expect((await client.run(repair, repairNodes.schedule)).status).toBe('success');
				const texts = env
					.emails('')
					.slice(known)
					.map(({ subject, text }) => `${subject}\n${text}`);
				const isOwn = ({ url }: { url: string }) => url.includes(updates);
				return { texts, status: control().webhooks().find(isOwn)?.status };
			};
			const disabled = await without({ disabled: true });
			expect(disabled.texts).toEqual([
				expect.stringMatching(/^A webhook was reactivated\n[^]*It was reactivated\./),
			]);
			expect(disabled.status).toBe('Active');
			const { n8n, deliveryService } = credentialTypes;
			const wrongKey = { ...client.apiCredential, apiKey: 'wrong' };
			const unlisted = await without({}, n8n, wrongKey);
			expect(unlisted.texts.join()).toMatch(/n8n did not list its workflows, .*: [A-Z]/);
			expect(unlisted.texts.join()).toContain('It was reactivated.');
			expect(unlisted.status).toBe('Active');
			const wrongSecret = { ...service.credential, apiSecret: 'wrong' };
			const { texts } = await without({}, deliveryService, wrongSecret);
			expect(texts.join()).toContain('rejected the API key');
			await client.unpublish(updates);
		});

		test('the repair remembers between its executions since when a webhook is missing', async () => {
			const { client } = env.installation;
			const updates = await publishTrigger(env, 'Updates');
			await forget();
			const repair = await storeRepair(env);
			// Two executions at once would not know of each other.
			const interval = [{ field: 'seconds', secondsInterval: 3 }];
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
			for (const topic of topics) env.shopify.webhooks.subscribe(topic, url, true);
		});
		afterAll(async () => await env.installation.client.unpublish(workflow));

		const unpaid = {
			...samples[0]!,
			financial_status: 'pending',
			total_outstanding: '54.00',
			payment_gateway_names: ['bank transfer'],
		};

		/** Calls the webhook as Shopify does for an event some hours ago. */
		const report = async (order: object, hoursAgo = 0, key = env.shopify.webhooks.adminKey) => {
			const body = JSON.stringify(order);
			const headers = {
				'Content-Type': 'application/json',
				'X-Shopify-Hmac-Sha256': createHmac('sha256', key).update(body).digest('base64'),
				'X-Shopify-Triggered-At': new Date(Date.now() - hoursAgo * 3_600_000).toISOString(),
			};
			return (await fetch(url, { method: 'POST', headers, body })).status;
		};

		// It is the first: n8n's history of sent emails must not exist yet.
		test('emails the owner about each of three orders that fail in the same moment', async () => {
			const { shop } = env.shopify;
			const path = '/v1/deliveries';
			control().addFault({ kind: 'hang', method: 'POST', path, times: 3 });
			const attempts = () =>
				control()
					.requests()
					.filter((one) => one.path === path).length;
			const before = attempts();
			// n8n starts one more execution for each of the six that fail.
			const orders = await env.afterExecutions(workflow, 12, async () => {
				const placed = [0, 1, 2].map(() => shop.place(samples[0]));
				await waitFor('the requests', () => attempts() === before + 3);
				await env.installation.stopService();
				return placed;
			});
			await env.installation.resumeService();
			for (const { name } of orders)
				expect((await env.email(`Action needed: ${name}`)).text).toContain('It is unknown');
		});

		test('creates one delivery for an order that is paid while it is created', async () => {
			const { shop } = env.shopify;
			const order = await env.afterExecutions(workflow, 4, () => {
				const placed = shop.place(samples[0]);
				shop.pay(placed.id);
				return placed;
			});
			expect(deliveriesOf(env, order)).toHaveLength(1);
			expect(env.emails(order.name)).toEqual([]);
		});

		testOnce(
			'creates the delivery of an unpaid order when it is paid, without an email',
			async () => {
				const { shop } = env.shopify;
				const order = await env.afterExecutions(workflow, 2, () => shop.place(unpaid));
				expect(deliveriesOf(env, order)).toEqual([]);
				await env.afterExecutions(workflow, 2, () => shop.pay(order.id));
				expect(deliveriesOf(env, order)).toHaveLength(1);
				expect(env.emails(order.name)).toEqual([]);
			},
		);

		test('emails the owner once about an order that was canceled after it was sent', async () => {
			const { shop } = env.shopify;
			const order = await env.afterExecutions(workflow, 2, () => shop.place(samples[0]));
			await env.afterExecutions(workflow, 2, () => shop.cancel(order.id));
			await env.email(`${order.name} was canceled`);
			expect(env.emails(order.name)).toHaveLength(1);
		});

		testOnce('emails the owner about each of two sent orders that were paid by link', async () => {
			const { shop } = env.shopify;
			const inCash = { ...unpaid, payment_gateway_names: ['Cash on Delivery (COD)'] };
			const placed = await env.afterExecutions(workflow, 4, () => [
				shop.place(inCash),
				shop.place(inCash),
			]);
			await env.afterExecutions(workflow, 2, () => {
				for (const { id } of placed)
					shop.edit(id, {
						financial_status: 'paid',
						total_outstanding: '0.00',
						payment_gateway_names: ['Cash on Delivery (COD)', 'Razorpay'],
					});
			});
			for (const { name } of placed) {
				expect((await env.email(name)).text).toContain(
					'is paid now, but its delivery collects cash',
				);
				expect(env.emails(name)).toHaveLength(1);
			}
		});

		test('responds with 401 to a wrong or missing signature, and emails the owner once a day', async () => {
			const requestCount = control().requests().length;
			const body = JSON.stringify({ ...samples[0], name: '#W-2' });
			const wrong = createHmac('sha256', 'guessed').update(body).digest('base64');
			for (const signature of [wrong, '', undefined]) {
				const headers = {
					'Content-Type': 'application/json',
					...(signature !== undefined && { 'X-Shopify-Hmac-Sha256': signature }),
				};
				// n8n starts one more execution for the failed one.
				const { status } = await env.afterExecutions(
					workflow,
					2,
					async () => await fetch(url, { method: 'POST', headers, body }),
				);
				expect(status).toBe(401);
			}
			expect(control().requests()).toHaveLength(requestCount);
			expect((await env.email('wrong signature')).text).toContain('Compute Signature');
			expect(env.emails('wrong signature')).toHaveLength(1);
		});

		testOnce(
			'sends the orders of a changed key once it is entered, within four hours',
			async () => {
				const { client } = env.installation;
				const { shop, webhooks } = env.shopify;
				const earlierKey = webhooks.adminKey;
				webhooks.adminKey = 'rotated';
				const order = await env.afterExecutions(workflow, 2, () => shop.place(samples[0]));
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
				await env.afterExecutions(workflow, 2, async () => {
					await env.shopify.passTime(4 * 3_600_000);
				});
				expect(deliveriesOf(env, order)).toHaveLength(1);
				webhooks.adminKey = earlierKey;
				await enter(earlierKey);
			},
		);

		test('emails the owner about an order that was not sent, again after a tag, and sends it after the next one', async () => {
			const { shop } = env.shopify;
			control().toggleProblem('rejection');
			const order = await env.afterExecutions(workflow, 2, () => shop.place(samples[0]));
			expect(deliveriesOf(env, order)).toEqual([]);
			const { subject, text } = await env.email(order.name);
			expect(subject).toBe(`Action needed: ${order.name}`);
			expect(text).toContain(`${order.name} was not created`);
			expect(text).toContain('No courier drives there');
			expect(text).toContain('add a tag to it in Shopify');
			expect((await failedExecution(workflow)).status).toBe('error');
			expect(env.emails(order.name)).toHaveLength(1);
			await env.afterExecutions(workflow, 2, () => shop.edit(order.id, { tags: 'again' }));
			await waitFor('another email', () => env.emails(order.name).length === 2);
			control().toggleProblem('rejection');
			shop.edit(order.id, { tags: 'again, and again' });
			await waitFor('the delivery', () => deliveriesOf(env, order).length > 0);
			expect(env.emails(order.name)).toHaveLength(2);
		});

		test('emails the owner once about an unknown delivery that several executions report', async () => {
			control().addFault({ kind: 'resetAfter', method: 'POST', path: '/v1/deliveries' });
			const order = await env.afterExecutions(workflow, 4, () =>
				env.shopify.shop.place(samples[0]),
			);
			const { text } = await env.email(order.name);
			expect(text).toContain(`It is unknown whether ${order.name} was created. `);
			// n8n starts one more execution for the failed one.
			for (const hoursAgo of [0.5, 3.5])
				await env.afterExecutions(workflow, 2, async () => {
					expect(await report(order, hoursAgo)).toBe(200);
				});
			expect(env.emails(order.name)).toHaveLength(1);
			expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		testOnce('emails the owner about a pending review, with a link to the order', async () => {
			const order = await env.afterExecutions(workflow, 2, () =>
				env.shopify.shop.place(samples[8]),
			);
			const { subject, text } = await env.email(order.name);
			expect(subject).toBe(`Action needed: ${order.name}`);
			expect(text).toContain('is pending review: the Delivery Service did not find an address');
			const { shopSubdomain } = env.shopify.credential;
			expect(text).toContain(`https://${shopSubdomain}.myshopify.com/admin/orders/${order.id}\n`);
			expect(text).toMatch(new RegExp(`/workflow/${workflow}/executions/\\d+$`, 'm'));
			expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		test('lets Shopify repeat what the service is too busy for, and emails the owner after three hours', async () => {
			const busy = {
				kind: 'status',
				method: 'POST',
				path: '/v1/deliveries',
				status: 503,
				headers: { 'Retry-After': '3600' },
				body: { code: 'BUSY', message: 'Later' },
			} as const;
			const order = { ...env.shopify.shop.orders().at(-1), id: 990_001, name: '#W-990' };
			control().addFault(busy);
			expect(await report(order)).toBe(503);
			expect(env.emails(order.name)).toEqual([]);
			control().addFault({ ...busy, times: 2 });
			for (const hoursAgo of [3.5, 3.9]) expect(await report(order, hoursAgo)).toBe(503);
			await env.email(order.name);
			expect(await report(order, 3.9)).toBe(200);
			expect(env.emails(order.name)).toHaveLength(1);
			expect(deliveriesOf(env, order)).toHaveLength(1);
		});

		testOnce(
			'sends three orders once, without an email, that arrive while the service is down for 40 s',
			async () => {
				const { client, n8n } = env.installation;
				const { shop, webhooks } = env.shopify;
				let service = await startService();
				try {
					const type = credentialTypes.deliveryService;
					const name = 'Service with an outage';
					const id = await client.createCredential(name, type, service.credential);
					const own = await env.store('webhook', {}, { [type]: { id, name } });
					await client.publish(own);
					const { nodes } = await client.workflow(own);
					const path = nodes.find((node) => node.name === nodeNames.newOrder)?.parameters.path;
					const subscriptions = topics.map((topic) =>
						webhooks.subscribe(topic, `${n8n.url}/webhook/${String(path)}`, true),
					);
					const { port } = service;
					await service.close();
					const orders = Array.from({ length: 3 }, () => shop.place(samples[0]));
					await sleep(40_000);
					service = await startService({ port });
					await webhooks.settled();
					// Shopify repeats after a minute, then after three.
					for (const minutes of [1, 2]) await env.shopify.passTime(minutes * 60_000);
					const sent = service.control.deliveries().map(({ record }) => record.referenceId);
					expect(sent.sort()).toEqual(orders.map((order) => order.name));
					for (const order of orders) expect(env.emails(order.name)).toEqual([]);
					const calls = webhooks.messages().filter(({ url: to }) => to.endsWith(String(path)));
					expect(calls.map(({ statuses }) => statuses.at(-1))).toEqual(calls.map(() => 200));
					console.log(`  responses: ${JSON.stringify(calls.map(({ statuses }) => statuses))}`);
					for (const { id: webhook } of subscriptions) webhooks.unsubscribe(webhook);
					await client.unpublish(own);
				} finally {
					await service.close();
				}
			},
		);

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
			'Deliveries created: 3 of 3',
		);
		const page = await upload(
			rows.replace('N-2003', 'N-2004').replace('Books,2,s', 'Books,2,huge'),
		);
		await waitForPage(page, 'Rows skipped: 2. Clara Voss: N-2004');
		expect(await env.email('N-2004')).toMatchObject({
			subject: 'Action needed: N-2004',
			text: expect.stringMatching(/^N-2004, Clara Voss\n.* is not one of xs, s, m, l, xl/),
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
