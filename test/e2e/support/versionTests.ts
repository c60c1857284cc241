import type { IDataObject } from 'n8n-workflow';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serialize } from 'node:v8';

import axios from 'axios';
import fc from 'fast-check';
import type { StoredWorkflow } from '../../../playground/n8n/client';
import { hintsOf, outputOf, type Execution } from '../../../playground/n8n/execution';
import { installHost, type HostName } from '../../../playground/n8n/host';
import { node } from '../../../playground/n8n/workflowParts';
import { waitFor } from '../../../playground/n8n/progress';
import { samples } from '../../../playground/shopify/samples';
import { parameterCases } from '../../support/parameterCases';
import { samplePart } from '../../support/sampleFulfillmentOrder';
import { lineItem, mugs, payableInCash, shopifyOrder } from '../../support/shopifyOrders';
import {
	fireUpdates,
	listSubscriptions,
	outputIds,
	productionWebhook,
	waitForExecutions,
} from './events';
import { testAttacks } from './attacks';
import { startAuthProxy, type AuthProxy } from './authProxy';
import { recordRequires, type LoadedModule, type RequireRecorder } from './requires';
import { dropoff, packages, pickup, shopifyFields } from './sampleDelivery';
import { senderNodes, senderWorkflow } from './sending';
import { actionWorkflow, nodes, triggerWorkflow, type ActionWorkflow } from './workflows';
import {
	credentialName,
	credentialType,
	openInstallation,
	type Installation,
} from './installation';

/*
 * Tests that every supported n8n version must pass. Each function that starts with "test" defines the
 * tests of one subject for an open installation, whose service is reset before each test.
 */

/** The result of a workflow run, and the workflow ID to run it again. */
interface RunResult {
	workflowId: string;
	execution: Execution;
	output: Array<Record<string, unknown>>;
}

/** Imports a workflow with an action node and runs it. */
export async function runAction(
	installation: Installation,
	setup: ActionWorkflow,
): Promise<RunResult> {
	const workflowId = await installation.client.createWorkflow(actionWorkflow(installation, setup));
	return { workflowId, ...(await runWorkflow(installation, workflowId)) };
}

/** Runs a stored workflow up to its action node or another node. */
export async function runWorkflow(
	installation: Installation,
	workflowId: string,
	destination?: string,
): Promise<Omit<RunResult, 'workflowId'>> {
	const execution = await installation.client.run(workflowId, nodes.start, destination);
	return { execution, output: outputOf(execution, destination ?? nodes.action) };
}

/**
 * Opens an installation of an n8n version for the tests of a file, and defines the tests for every
 * version.
 *
 * @param name the n8n version
 * @returns a function that returns the installation, for use in tests
 */
export function testVersion(name: HostName): () => Installation {
	let openedInstallation: Installation;
	let recorder: RequireRecorder;
	let proxy: AuthProxy;
	beforeAll(async () => {
		recorder = await recordRequires('n8n-nodes-delivery-service');
		proxy = await startAuthProxy();
		openedInstallation = await openInstallation(name, { ...recorder.env, ...proxy.env });
	});
	beforeEach(() => openedInstallation.service.control.reset());
	afterAll(async () => {
		await openedInstallation?.close();
		await proxy?.close();
		await recorder?.close();
	});
	const installation = () => openedInstallation;
	testInstallation(installation, async () => await recorder.loadedModules());
	testConnection(installation);
	testParameters(installation, name);
	testOperations(installation);
	testShopifyOrders(installation, name);
	testRepeatedOrders(installation);
	testRetries(installation, name);
	testProxy(installation, () => proxy.requests());
	testAttacks(installation);
	return installation;
}

function installedPackageFolder({ userFolder }: Installation): string {
	return join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-delivery-service');
}

/**
 * Tests the installed package.
 *
 * @param loadedModules returns the modules that its files have loaded so far
 */
function testInstallation(
	installation: () => Installation,
	loadedModules: () => Promise<LoadedModule[]>,
): void {
	describe('the installed package', () => {
		test("the installed package includes no libraries and loads n8n's", async () => {
			const { userFolder } = installation();
			const packageFolder = installedPackageFolder(installation());
			const origins = new Map<string, string>();
			for (const { request, resolved } of await loadedModules()) {
				if (request.startsWith('.')) {
					expect(resolved).toContain(packageFolder);
					continue;
				}
				const isFromN8n = resolved.includes('/node_modules/') && !resolved.startsWith(userFolder);
				origins.set(request, isFromN8n ? 'n8n' : resolved);
			}
			expect(Object.fromEntries(origins)).toEqual({
				'n8n-workflow': 'n8n',
				'zod/v4': 'n8n',
				crypto: 'crypto',
				luxon: 'n8n',
			});
		});
	});
}

/** Tests the credential's connection test, as the user sees it. */
function testConnection(installation: () => Installation): void {
	describe('the connection test', () => {
		const testCredential = async (changes: object) => {
			const { client, credentials, service } = installation();
			const data = { ...service.credential, ...changes };
			const { id } = credentials[credentialType];
			return await client.testCredential(id, credentialName, credentialType, data);
		};

		test('the connection test succeeds with a valid credential', async () => {
			expect(await testCredential({})).toEqual({ status: 'OK', message: 'Connection successful' });
			expect(installation().service.control.requests()).toMatchObject([
				{ method: 'GET', path: '/hooks/companies/1001', status: 200 },
			]);
		});
	});
}

/** Tests the request and the output of every operation on deliveries and webhooks. */
function testOperations(installation: () => Installation): void {
	describe('Webhook', () => {
		const webhook = async (operation: string, parameters: object = {}) => {
			const setup = { parameters: { resource: 'webhook', operation, ...parameters } };
			return (await runAction(installation(), setup)).output;
		};
		const url = 'https://shop.example/events';

		test('creates, lists, reactivates and deletes webhooks', async () => {
			const { control } = installation().service;
			expect(await webhook('create', { url, event: 'createTask' })).toEqual([
				{ url, event: 'createTask', action: 1 },
			]);
			const options = { companyId: '1002' };
			await webhook('create', { url, event: 'updateTask', options });
			const ownWebhook = { companyId: 1001, url, action: 1 };
			const childWebhook = { companyId: 1002, url, action: 3 };
			expect(control.webhooks()).toEqual([
				{ ...ownWebhook, status: 'Active' },
				{ ...childWebhook, status: 'Active' },
			]);

			control.blacklist(url, 3);
			const filters = { status: 'blacklisted' };
			expect(await webhook('getAll', { returnAll: true })).toEqual([
				{ url, action: 1, event: 'createTask', status: 'active', rawStatus: 'Active' },
			]);
			expect(await webhook('getAll', { filters, options })).toEqual([
				{ url, action: 3, event: 'updateTask', status: 'blacklisted', rawStatus: 'Banned' },
			]);

			expect(await webhook('reactivate', { urlPrefix: 'https://shop.example/', options })).toEqual([
				{
					url,
					event: 'updateTask',
					action: 3,
					reactivated: true,
					message: expect.stringContaining('It was reactivated.'),
				},
			]);
			expect(control.webhooks()).toEqual([
				{ ...ownWebhook, status: 'Active' },
				{ ...childWebhook, status: 'Active' },
			]);

			for (const more of [{ event: 'createTask' }, { event: 'updateTask', options }])
				expect(await webhook('delete', { url, ...more })).toEqual([{ deleted: true }]);
			expect(control.webhooks()).toEqual([]);
		});

		test('reactivates the webhook of a published workflow, which then receives events', async () => {
			const { client, n8n, service } = installation();
			const { control } = service;
			const { id } = await importTrigger(installation(), { events: ['updateTask'] });
			await client.publish(id);
			const [published] = control.webhooks();
			if (!published) throw new Error('Expected a webhook');
			control.blacklist(published.url, 3);

			const urlPrefix = `${n8n.url}/`;
			expect(await webhook('reactivate', { urlPrefix })).toEqual([
				{
					url: published.url,
					event: 'updateTask',
					action: 3,
					reactivated: true,
					message: expect.stringContaining('It was reactivated.'),
				},
			]);
			expect(control.webhooks()).toEqual([published]);
			expect(await fireUpdates(control, ['D-1'], 1)).toEqual([200]);
			await waitForExecutions(client, id, 1);
			await client.unpublish(id);
			expect(control.webhooks()).toEqual([]);
		});
	});
}

/** Compares the nodes' parameter reader with n8n's own, in the installed packages of n8n. */
function testParameters(installation: () => Installation, name: HostName): void {
	describe('parameters', () => {
		test.each(['vm', 'legacy'])(
			'reads parameters like n8n with its expression engine %s',
			async (engine) => {
				const { userFolder } = installation();
				const {
					folder,
					node: { binary },
				} = await installHost(name);
				const casesFile = join(userFolder, `parameters-${engine}.bin`);
				await writeFile(casesFile, serialize(fc.sample(parameterCases, 500)));
				const reader = join(
					installedPackageFolder(installation()),
					'dist/nodes/DeliveryService/common/parameters.js',
				);
				const comparison = join(__dirname, '../../support/compareReaders.cjs');
				const args = [comparison, folder, reader, casesFile, engine];
				// Makes n8n's packages available to the installed file, as in n8n.
				const NODE_PATH = join(folder, 'node_modules');
				const env = { ...process.env, N8N_USER_FOLDER: userFolder, NODE_PATH };
				const { stdout } = await promisify(execFile)(binary, args, { env }).catch(
					(error: { stdout: string }) => error,
				);
				expect(stdout).toMatch(/differing: \[\], readWithoutN8n: [1-9]/);
			},
		);
	});
}

/** Tests that each order becomes one delivery, until the user allows resending. */
function testShopifyOrders(installation: () => Installation, name: HostName): void {
	describe('Delivery > Create from Shopify orders', () => {
		const parameters = { resource: 'delivery', ...shopifyFields };

		test('warns about orders without fields that every Shopify order has', async () => {
			const order = { ...samples[0], cancelled_at: undefined };
			const { execution } = await runAction(installation(), { items: [order], parameters });
			expect(hintsOf(execution, nodes.action)).toEqual([
				'Created 1 delivery.',
				'Order #1001 may be decided wrongly: Shopify did not return "cancelled_at". Request it in the Shopify node or the query.',
			]);
		});

		test('sends each order once, until resending is allowed', async () => {
			const { control } = installation().service;
			const allowResending = 'Allow resending';
			const { workflowId, output, execution } = await runAction(installation(), {
				items: [...samples],
				parameters,
				otherActions: {
					[allowResending]: {
						resource: 'delivery',
						operation: 'allowResending',
						references: 'specific',
						referenceIds: '#1001, 1002',
					},
				},
			});
			const created = 'processing';
			expect(output.map(({ statusDelivery, reason }) => reason || statusDelivery)).toEqual([
				created,
				created,
				created,
				created,
				'cancelled',
				'nothingToShip',
				'testOrder',
				created,
				'pending review',
				created,
				created,
				'nothingToShip',
			]);
			expect(hintsOf(execution, nodes.action)).toEqual([
				'Created 8 deliveries. Skipped 4 items: #1005, #1006, #1007 and 1 more.',
				'Order #1009 is pending review: the Delivery Service did not find an address, and no driver comes. Is this the right delivery address: 13 Nowhere Road, Alpine, 79830? If not, correct it with the operation Update. If it is, tell the Delivery Service.',
			]);
			expect(control.deliveries()).toHaveLength(8);

			const second = await runWorkflow(installation(), workflowId, nodes.action);
			expect(second.output[0]).toEqual({
				outcome: 'skipped',
				reason: 'alreadyCreated',
				message: expect.stringContaining('#1001 was already sent. Nothing to do.'),
				referenceId: '#1001',
				id: '',
				trackLink: '',
				statusDelivery: '',
				deliveryDate: '',
				price: '',
				customer: 'Maya Okafor',
				address: '214 Larkspur Lane, Springfield, 62704',
				actionNeeded: '',
				cash: '',
				orderUrl: '',
				help: '',
				reasonText: 'already created',
			});
			expect(second.output.filter(({ reason }) => reason === 'alreadyCreated')).toHaveLength(8);
			expect(control.deliveries()).toHaveLength(8);

			const { output: allowed } = await runWorkflow(installation(), workflowId, allowResending);
			const expected = [
				{
					referenceId: '#1001',
					allowed: true,
					message: expect.stringContaining('#1001 is sent when it comes in again, from any shop'),
				},
				{
					referenceId: '1002',
					allowed: false,
					message: expect.stringContaining("doesn't remember this reference ID"),
				},
			];
			expect(allowed).toEqual(samples.flatMap(() => expected));
			const third = await runWorkflow(installation(), workflowId, nodes.action);
			expect(third.output[0]).toMatchObject({ referenceId: '#1001', statusDelivery: created });
			// Up to four requests are in flight.
			expect(
				control
					.deliveries()
					.map(({ record }) => record.referenceId)
					.sort(),
			).toEqual(['#1001', '#1001', '#1002', '#1003', '#1004', '#1008', '#1009', '#1010', '#1011']);
		});

		test('sends each unit once, and collects no more than is unpaid, whatever happens to the order', async () => {
			const { client, service } = installation();
			const [cloth, mug, added, exchanged] = [
				lineItem(),
				mugs(),
				...[61, 62].map((id) => lineItem({ id, quantity: 1, fulfillable_quantity: 1 })),
			];
			const line = ({ id }: Record<string, unknown>, quantity: number) => ({
				line_item_id: id,
				quantity,
				fulfillable_quantity: quantity,
			});
			const unpaid = { ...payableInCash, total_outstanding: '80.10' };
			const order = shopifyOrder({ ...unpaid, line_items: [cloth, mug] });
			const part = (id: number, lines: object[], of = order) => {
				const fields = { id, order_id: of.id, destination: null, line_items: lines };
				return { order: of, fulfillmentOrder: samplePart(fields) };
			};
			// What was added is paid at once.
			const edited = shopifyOrder({ ...unpaid, line_items: [cloth, mug, added] });
			const removed = { ...cloth, current_quantity: 0 };
			const swapped = [removed, mug, added, exchanged];
			const afterExchange = shopifyOrder({ ...unpaid, line_items: swapped });
			const other = (total_outstanding: string, ...line_items: IDataObject[]) =>
				shopifyOrder({ ...unpaid, id: 2, name: '#1002', total_outstanding, line_items });
			const unpaidAddition = other('108.00', cloth, added!);
			const rounds: Array<[object[], string[]]> = [
				[[part(11, [line(cloth, 1), line(mug, 2)])], ['created']],
				// After a split, after a move, and after it was canceled and replaced.
				[
					[part(12, [line(cloth, 1)]), part(13, [line(mug, 1)]), part(14, [line(mug, 2)])],
					['alreadyCreated', 'alreadyCreated', 'alreadyCreated'],
				],
				[[part(15, [line(added!, 1)], edited)], ['created']],
				[[part(16, [line(exchanged!, 1)], afterExchange)], ['created']],
				[[order], ['notSent']],
				[[part(21, [line(cloth, 1)], other('54.00', cloth))], ['created']],
				[[part(22, [line(added!, 1)], unpaidAddition)], ['created']],
			];
			const workflow = actionWorkflow(installation(), {
				parameters,
				onError: 'continueRegularOutput',
			});
			const workflowId = await client.createWorkflow(workflow);
			const reduced: unknown[] = [];
			for (const [items, expected] of rounds) {
				const pinned = items.map((json) => ({ json }));
				await client.updateWorkflow(workflowId, { pinData: { [nodes.start]: pinned } });
				const { output } = await runWorkflow(installation(), workflowId, nodes.action);
				expect(output.map(({ reason, outcome }) => reason || outcome)).toEqual(expected);
				for (const { actionNeeded } of output)
					reduced.push(
						...(/collects only (.*), because/.exec(String(actionNeeded))?.slice(1) ?? []),
					);
			}
			const sent = service.control.deliveries().map(({ request }) => request);
			expect(sent.map(({ referenceId, cod }) => [referenceId, cod])).toEqual([
				['#1001-11', 80.1],
				['#1001-15', undefined],
				['#1001-16', undefined],
				['#1002-21', 54],
				['#1002-22', 54],
			]);
			expect(reduced).toEqual(Array(2).fill('0.00 USD of the unpaid 80.10 USD'));
		});

		test('says once that an order sent with cash was paid by link', async () => {
			const { client, service } = installation();
			const paid = { financial_status: 'paid', total_outstanding: '0.00' };
			const paidByLink = { ...paid, payment_gateway_names: ['Cash on Delivery (COD)', 'Razorpay'] };
			const workflow = actionWorkflow(installation(), { parameters });
			const workflowId = await client.createWorkflow(workflow);
			const rows: unknown[] = [];
			for (const changes of [payableInCash, paidByLink, paidByLink]) {
				const pinned = [{ json: shopifyOrder(changes) }];
				await client.updateWorkflow(workflowId, { pinData: { [nodes.start]: pinned } });
				const { output } = await runWorkflow(installation(), workflowId, nodes.action);
				rows.push(...output.map(({ outcome, actionNeeded }) => [outcome, actionNeeded]));
			}
			expect(rows).toEqual([
				['created', ''],
				['skipped', expect.stringMatching(/ is paid now, but its delivery collects cash/)],
				['skipped', ''],
			]);
			expect(service.control.deliveries()).toHaveLength(1);
		});

		test('remembers what was sent after an import under the same ID, but not in a copy', async () => {
			const { client, service, userFolder } = installation();
			const items = samples.slice(0, 2);
			const { workflowId } = await runAction(installation(), { items, parameters });
			const stored = await client.workflow(workflowId);
			const outcomes = async (id: string) => {
				const { output } = await runWorkflow(installation(), id, nodes.action);
				return output.map(({ outcome }) => outcome);
			};

			const file = join(userFolder, 'exported.json');
			await writeFile(file, JSON.stringify(stored));
			const { n8n, node } = await installHost(name);
			const more = {
				N8N_USER_FOLDER: userFolder,
				DB_SQLITE_POOL_SIZE: '4',
				NODE_ENV: 'production',
			};
			const env = { ...process.env, ...more };
			const command = [n8n, 'import:workflow', `--input=${file}`];
			await promisify(execFile)(node.binary, command, { env });
			expect(await outcomes(workflowId)).toEqual(['skipped', 'skipped']);

			// As with Duplicate, or Import from File into a new workflow.
			const { nodes: copied, connections, pinData } = stored;
			const copy = { name: 'Copy', nodes: copied, connections, pinData };
			const copyId = await client.createWorkflow(copy);
			expect(await outcomes(copyId)).toEqual(['created', 'created']);
			expect(await outcomes(copyId)).toEqual(['skipped', 'skipped']);
			expect(service.control.deliveries()).toHaveLength(4);
		});
	});
}

/** Tests that an order that is reported again has one delivery and no error, and delays no other. */
function testRepeatedOrders(installation: () => Installation): void {
	test('creates 20 orders once and skips them once when each is reported twice at the same moment', async () => {
		const { client, service, n8n } = installation();
		service.control.settings({ latencyMs: 1500 });
		const path = 'repeated-orders';
		const workflow = senderWorkflow(installation(), path, {});
		const workflowId = await client.createWorkflow(workflow);
		await client.publish(workflowId);
		const names = Array.from({ length: 20 }, (_, index) => `#T-${index}`);
		const report = async (name: string) => {
			const body = { orders: [shopifyOrder({ name })] };
			await axios.post(`${n8n.url}/webhook/${path}`, body, { proxy: false });
		};
		await Promise.all(names.flatMap((name) => [report(name), report(name)]));
		const executions = await waitForExecutions(client, workflowId, 2 * names.length);
		const items = executions.flatMap((execution) => outputOf(execution, senderNodes.create));
		const namesOf = (found: typeof items) => found.map(({ referenceId }) => referenceId).sort();

		expect(executions.map(({ status }) => status)).toEqual(executions.map(() => 'success'));
		expect(namesOf(items.filter(({ id }) => id))).toEqual([...names].sort());
		expect(namesOf(items.filter(({ reason }) => reason === 'alreadyCreated'))).toEqual(
			[...names].sort(),
		);
		expect(items).toHaveLength(2 * names.length);
		expect(service.control.deliveries()).toHaveLength(names.length);
		await client.unpublish(workflowId);
	});

	test('sends new orders individually among 501 that were sent before', async () => {
		const { client, service, n8n } = installation();
		const path = 'sent-before';
		const workflowId = await client.createWorkflow(senderWorkflow(installation(), path, {}));
		await client.publish(workflowId);
		// One more than are sent individually.
		const orders = Array.from({ length: 504 }, (_, index) => shopifyOrder({ name: `#S-${index}` }));
		const report = async (some: object[], runs: number) => {
			await axios.post(`${n8n.url}/webhook/${path}`, { orders: some }, { proxy: false });
			await waitForExecutions(client, workflowId, runs);
		};
		await report(orders.slice(3), 1);
		service.control.addFault({ kind: 'status', status: 422, path: '/v1/deliveries', skip: 1 });
		await report(orders, 2);
		expect(service.control.deliveries()).toHaveLength(503);
		await client.unpublish(workflowId);
	});
}

/** Tests that a retry completes a run without duplicates. */
function testRetries(installation: () => Installation, name: HostName): void {
	describe('dry runs, retries and stops', () => {
		const create = { resource: 'delivery', operation: 'create' };
		const fromShopify = { ...create, ...shopifyFields };
		/** Sorted, because several requests may be in flight. */
		const createdReferences = () =>
			installation()
				.service.control.deliveries()
				.map(({ record }) => record.referenceId)
				.sort();

		test('sends nothing with Dry Run, which n8n keeps although true is its default', async () => {
			const { output } = await runAction(installation(), {
				items: samples.slice(0, 1),
				parameters: { ...fromShopify, options: { dryRun: true } },
			});
			expect(output).toMatchObject([{ result: 'send', message: expect.stringMatching('^To ') }]);
			expect(createdReferences()).toEqual([]);
		});

		test('sends only the missing deliveries when a failed execution is retried', async () => {
			const { control } = installation().service;
			control.addFault({ kind: 'status', status: 422, referenceIds: ['#1003'] });
			const { execution } = await runAction(installation(), {
				items: samples.slice(0, 4),
				parameters: fromShopify,
			});
			expect(execution.data.resultData.error?.message).toContain('3 of 4 deliveries created');
			expect(createdReferences()).toEqual(['#1001', '#1002', '#1004']);

			const retried = await installation().client.retry(execution.id);
			expect(retried.status).toBe('success');
			expect(outputOf(retried, nodes.action)).toMatchObject([
				{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1001' },
				{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1002' },
				{ statusDelivery: 'processing', referenceId: '#1003' },
				{ outcome: 'skipped', reason: 'alreadyCreated', referenceId: '#1004' },
			]);
			expect(createdReferences()).toEqual(['#1001', '#1002', '#1003', '#1004']);
		});

		test('creates nothing on a retry without Skip Already Sent', async () => {
			const { control } = installation().service;
			control.addFault({ kind: 'status', status: 422, referenceIds: ['E-2'] });
			const { execution } = await runAction(installation(), {
				items: ['E-1', 'E-2', 'E-3'].map((referenceId) => ({
					pickup,
					dropoff,
					packages,
					referenceId,
				})),
				parameters: { ...create, source: 'json' },
			});
			expect(execution.data.resultData.error?.message).toContain('2 of 3 deliveries created');

			const retried = await installation().client.retry(execution.id);
			expect(retried.status).toBe('error');
			expect(retried.data.resultData.error).toMatchObject({
				message:
					'Without "Skip Already Sent", retrying this execution could create deliveries twice',
				description: expect.stringContaining('its error lists them'),
			});
			expect(createdReferences()).toEqual(['E-1', 'E-3']);
		});

		describe('Retry On Fail', () => {
			const items = [{ pickup, dropoff, packages, referenceId: 'E-1' }];
			const message = 'This node already retries. Turn off Retry On Fail in its settings.';

			test.each([false, true])('rejects a creation (Dry Run: %s)', async (dryRun) => {
				const { control } = installation().service;
				const { execution } = await runAction(installation(), {
					items,
					parameters: { ...create, source: 'json', skipAlreadySent: true, options: { dryRun } },
					retryOnFail: true,
				});
				expect(control.requests()).toEqual([]);
				expect(execution.data.resultData.error?.message).toBe(message);
			});
		});

		test.each([
			['the user stops it', 0, false],
			['its timeout stops it', 3, name === 'newest'],
		])(
			'logs the created deliveries when %s, since n8n may not store them',
			async (_, executionTimeout, isStored) => {
				const { client, n8n, service } = installation();
				service.control.addFault({ kind: 'hangAfter', skip: 1 });
				const workflow = actionWorkflow(installation(), {
					items: ['E-1', 'E-2', 'E-3'].map((referenceId) => ({
						pickup,
						dropoff,
						packages,
						referenceId,
					})),
					parameters: { ...create, source: 'json', options: { batchSize: 1 } },
				});
				const settings = { executionOrder: 'v1', ...(executionTimeout && { executionTimeout }) };
				const workflowId = await client.createWorkflow({ ...workflow, settings });
				const id = await client.startRun(workflowId, nodes.start);
				await waitFor('the second request', () => service.control.requests().length > 1);
				if (executionTimeout === 0) await client.stop(id);
				expect((await client.waitForExecution(id)).status).toBe('canceled');

				const line = `Node "${nodes.action}" in workflow "Deliveries" (${workflowId}): execution ${id} was stopped. Created`;
				const log = await waitFor('the log line', async () => {
					const text = await readFile(n8n.child.logFile, 'utf8');
					return text.includes(line) ? text : undefined;
				});
				const [first] = service.control.deliveries().map(({ record }) => record.id);
				// n8n aborts the request in flight.
				expect(log).toContain(`${line}: E-1 (ID ${first}). Possibly created: E-2.`);
				expect(createdReferences()).toEqual(['E-1', 'E-2']);
				const { runData, error } = (await client.execution(id)).data.resultData;
				expect(nodes.action in runData).toBe(isStored);
				expect(error?.description?.includes('Possibly created: E-2') ?? false).toBe(isStored);
			},
		);
	});
}

/** Tests a proxy that requires authentication, which n8n does not provide. */
function testProxy(installation: () => Installation, requests: () => string[]): void {
	describe('a proxy that requires authentication', () => {
		test.each([
			['http', 'POST http://delivery-service.example/v1/deliveries'],
			['https', 'CONNECT delivery-service.example:443'],
		])('calls a rejecting proxy once over %s', async (scheme, request) => {
			const { client, service } = installation();
			const baseUrl = `${scheme}://delivery-service.example`;
			const credential = { ...service.credential, baseUrl };
			const id = await client.createCredential(scheme, credentialType, credential);
			const { execution } = await runAction(installation(), {
				items: Array.from({ length: 250 }, (_, index) => ({
					pickup,
					dropoff,
					packages,
					referenceId: `P-${index}`,
				})),
				parameters: {
					resource: 'delivery',
					operation: 'create',
					source: 'json',
					options: { batchSize: 100 },
				},
				credentials: { [credentialType]: { id, name: scheme } },
			});
			const { message, description } = execution.data.resultData.error ?? {};
			expect(message).toBe(
				'P-0 was not sent: the proxy between n8n and the Delivery Service requires authentication (status 407) [item 0]',
			);
			expect(description).toContain('No delivery was created.');
			expect(description).toContain('Not sent (250): ');
			expect(description).not.toContain('Possibly created');
			expect(requests().filter((one) => one.includes(request))).toEqual([request]);
		});
	});
}

/** Tests how the trigger subscribes, receives events and unsubscribes. */
export function testTrigger(installation: () => Installation): void {
	describe('the trigger', () => {
		test('the trigger receives events while published', async () => {
			const { client, n8n, service } = installation();
			const { control } = service;
			const workflow = await importTrigger(installation(), {
				events: ['createTask', 'updateTask'],
			});
			await client.publish(workflow.id);
			expect(listSubscriptions(control, n8n)).toEqual([
				productionWebhook(workflow, 'createTask'),
				productionWebhook(workflow, 'updateTask'),
			]);

			const payload = { id: 'D-1', status: 'assigned', company_id: '1001', city_id: '7' };
			expect(await control.fireEvent(3, payload)).toMatchObject([{ status: 200 }]);
			const [execution] = await waitForExecutions(client, workflow.id, 1);
			expect(execution).toMatchObject({ status: 'success', mode: 'webhook' });
			expect(execution && outputOf(execution, nodes.done)).toEqual([
				{ event: 'updateTask', ...payload },
			]);

			await client.unpublish(workflow.id);
			expect(control.webhooks()).toEqual([]);
		});

		test('Remove Duplicates after the trigger drops repeated events, and a retry outputs its event again', async () => {
			const { client, service } = installation();
			const workflow = await importTrigger(installation(), { events: ['updateTask'] });
			const name = 'Remove Duplicates';
			const fail = 'Stop and Error';
			const to = (target: string) => ({ main: [[{ node: target, type: 'main', index: 0 }]] });
			const unique = {
				operation: 'removeItemsSeenInPreviousExecutions',
				dedupeValue: '={{ JSON.stringify($json) }}',
			};
			await client.updateWorkflow(workflow.id, {
				nodes: [
					...workflow.nodes,
					{ ...node(name, 'n8n-nodes-base.removeDuplicates', unique), typeVersion: 2 },
					node(fail, 'n8n-nodes-base.stopAndError', { errorMessage: 'Stopped' }),
				],
				connections: {
					[nodes.trigger]: to(name),
					[name]: to(nodes.done),
					[nodes.done]: to(fail),
				},
			});
			await client.publish(workflow.id);
			for (const [index, id] of ['D-1', 'D-1', 'D-2'].entries()) {
				expect(await fireUpdates(service.control, [id], 1)).toEqual([200]);
				await waitForExecutions(client, workflow.id, index + 1);
			}
			const executions = await waitForExecutions(client, workflow.id, 3);
			expect(outputIds(nodes.done, executions)).toEqual(['D-1', 'D-2']);

			const failed = executions.find(({ status }) => status === 'error');
			const retried = await client.retry(failed?.id ?? '');
			expect(outputOf(retried, nodes.trigger)).toHaveLength(1);
			await client.unpublish(workflow.id);
		});
	});
}

/** Imports a workflow with a trigger. Returns the stored workflow. */
export async function importTrigger(
	installation: Installation,
	parameters: Record<string, unknown>,
	credentials?: Installation['credentials'],
): Promise<StoredWorkflow> {
	const id = await installation.client.createWorkflow(
		triggerWorkflow(installation, parameters, credentials),
	);
	return await installation.client.workflow(id);
}

/** Creates deliveries with the given reference IDs. Returns the delivery IDs. */
export async function createDeliveries(
	installation: Installation,
	referenceIds: readonly string[],
): Promise<string[]> {
	const { output } = await runAction(installation, {
		items: referenceIds.map((referenceId) => ({ pickup, dropoff, packages, referenceId })),
		parameters: { resource: 'delivery', operation: 'create', source: 'json' },
	});
	return output.map(({ id }) => String(id));
}
