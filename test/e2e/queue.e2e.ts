import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';

import axios from 'axios';
import { z } from 'zod';

import { freePort } from '../../playground/n8n/checks';
import { outputOf } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import { connection, node } from '../../playground/n8n/workflowParts';
import { updateTaskPayload } from '../../playground/service/events';
import {
	eventCodes,
	fireUpdates,
	listSubscriptions,
	outputIds,
	productionWebhook,
	waitForExecutions,
} from './support/events';
import { ourFindings } from './support/migration';
import { openQueueInstallation, timeZone, type QueueInstallation } from './support/queue';
import {
	chunk,
	countCreations,
	countOutcomes,
	orderNames,
	publishSender,
	type SenderResult,
} from './support/sending';
import { nodes, triggerWorkflow } from './support/workflows';
import { credentialName, credentialType } from './support/installation';
import type { ComposeService } from '../support/compose';

/** The rate limit for each process (docs/api.md, section 8). */
const rateLimit = { requests: 100, perMs: 60_000 };
const noLimit = { requests: 1_000_000, perMs: 1 };

let installation: QueueInstallation;

beforeAll(async () => {
	installation = await openQueueInstallation();
});

afterAll(async () => {
	await installation?.close();
});

const creationRequestSchema = z.object({
	deliveries: z.array(z.object({ referenceId: z.string() })),
});

/** Runs the health check of a service in compose.yaml. Returns its exit code. */
function checkHealth({ healthcheck }: ComposeService, url: string): number | null {
	const [, command = '', ...args] = healthcheck?.test ?? [];
	const local = args.map((arg) => arg.replace('http://127.0.0.1:5678', url));
	expect(local).not.toEqual(args);
	return spawnSync(command, local).status;
}

/** Returns the creation requests so far: the time, the response status and an order of each. */
function creationRequests() {
	return installation.service.control
		.requests()
		.filter(({ method, path }) => method === 'POST' && path === '/v1/deliveries')
		.map(({ at, status, body }) => {
			const [first] = creationRequestSchema.parse(body).deliveries;
			return { at, status, order: first?.referenceId ?? '' };
		});
}

/** Returns the maximum number of points in time within any window of the given width. */
function maxWithin(times: readonly number[], widthMs: number): number {
	return Math.max(
		...times.map((from) => times.filter((at) => at >= from && at < from + widthMs).length),
	);
}

/** Returns the index of the worker that sent each order. */
async function workersByOrder(executions: readonly SenderResult[]): Promise<Map<string, number>> {
	const started = await Promise.all(
		installation.workers.map(async (worker) => await worker.loggedExecutions('started')),
	);
	return new Map(
		executions.flatMap(({ id, outcomes }) =>
			[...outcomes.keys()].map((order) => [
				order,
				started.findIndex((executionIds) => executionIds.includes(id)),
			]),
		),
	);
}

test('n8n runs with the settings of compose.yaml, and names none of them as deprecated', async () => {
	const { client, main, webhook, workers } = installation;
	const log = await readFile(main.n8n.child.logFile, 'utf8');
	const [, list = ''] = /There are deprecations[^]*?\n((?: - .+\n)+)/.exec(log) ?? [];
	const deprecated = [...list.matchAll(/^ - (\w+) ->/gm)].map(([, name]) => name);
	// n8n shows this list for what has no value, too.
	expect(deprecated).not.toEqual([]);
	const { environment } = main.service;
	expect(deprecated.filter((name = '') => name in environment)).toEqual([]);
	expect(deprecated).not.toContain('N8N_UNVERIFIED_PACKAGES_ENABLED');
	expect(ourFindings(await client.migrationReport('v3'))).toEqual([]);

	for (const { n8n, service } of [main, webhook, ...workers]) {
		expect(checkHealth(service, n8n.url)).toBe(0);
	}
	expect(checkHealth(main.service, `http://127.0.0.1:${await freePort()}`)).not.toBe(0);
});

test('runs a Code node in the task runner of the main process when started by hand, otherwise of a worker', async () => {
	const { client, workers, webhookUrl } = installation;
	const path = randomUUID();
	const webhook = node(nodes.trigger, 'n8n-nodes-base.webhook', { path, httpMethod: 'POST' });
	const toCode = { main: [[connection(nodes.done)]] };
	const id = await client.createWorkflow({
		name: 'Code',
		nodes: [
			node(nodes.start, 'n8n-nodes-base.manualTrigger'),
			{ ...webhook, typeVersion: 2, webhookId: path },
			{
				...node(nodes.done, 'n8n-nodes-base.code', {
					jsCode: 'return [{ json: { zone: $now.zoneName } }];',
				}),
				typeVersion: 2,
			},
		],
		connections: { [nodes.start]: toCode, [nodes.trigger]: toCode },
		settings: { executionOrder: 'v1' },
	});
	const manual = await client.run(id, nodes.start);
	await client.publish(id);
	await axios.post(`${webhookUrl}/webhook/${path}`, {}, { proxy: false });
	const executions = await waitForExecutions(client, id, 2);

	for (const execution of executions)
		expect(outputOf(execution, nodes.done)).toEqual([{ zone: timeZone }]);
	const started = await Promise.all(
		workers.map(async (worker) => await worker.loggedExecutions('started')),
	);
	const production = executions.filter((execution) => execution.id !== manual.id);
	expect(started.flat()).toEqual(production.map((execution) => execution.id));
});

test('creates the same orders once in two parallel executions on two workers', async () => {
	installation.service.control.reset();
	const sender = await publishSender(installation, { batchSize: 20 });
	let pairsOnTwoWorkers = 0;
	for (let pair = 0; pair < 10; pair++) {
		const orders = orderNames(`P${pair}`, 100);
		await Promise.all([sender.post(orders), sender.post(orders)]);
		const executions = await sender.results();
		console.log(`  pair ${pair + 1}: ${JSON.stringify(countOutcomes(executions))}`);

		const workers = await Promise.all(
			executions.map(async (execution) => await workersByOrder([execution])),
		);
		if (new Set(workers.flatMap((map) => [...map.values()])).size === 2) pairsOnTwoWorkers++;
		for (const order of orders) {
			const outcomes = executions.map((execution) => execution.outcomes.get(order));
			// The other execution came later, or waited while the order was in flight.
			expect([...outcomes].sort()).toEqual([['alreadyCreated'], ['created']]);
		}
	}
	expect([...countCreations(installation).values()]).toEqual(Array.from({ length: 1000 }, () => 1));
	expect(pairsOnTwoWorkers).toBeGreaterThan(0);
});

test('starts 400 executions for 400 events at the webhook process, one per event', async () => {
	const { client, service } = installation;
	const [delivery] = service.control.deliveries();
	if (!delivery) throw new Error('Expected a delivery');
	const workflow = triggerWorkflow(installation, { events: ['updateTask'] });
	const workflowId = await client.createWorkflow(workflow);
	await client.publish(workflowId);
	expect(listSubscriptions(service.control, { url: installation.webhookUrl })).toEqual([
		productionWebhook(await client.workflow(workflowId), 'updateTask'),
	]);

	const ids = Array.from({ length: 400 }, (_, index) => `task-${index + 1}`);
	// In parallel, as many as the service has connections.
	for (const idChunk of chunk(ids, 20)) {
		const postings = await Promise.all(
			idChunk.map(async (id) => {
				const payload = { ...updateTaskPayload(delivery), id };
				return await service.control.fireEvent(eventCodes.updateTask, payload);
			}),
		);
		expect(postings.flat().map(({ status }) => status)).toEqual(idChunk.map(() => 200));
	}

	const executions = await waitForExecutions(client, workflowId, ids.length);
	expect(executions.every(({ status }) => status === 'success')).toBe(true);
	const received = executions
		.flatMap((execution) => outputOf(execution, nodes.trigger))
		.map(({ id }) => id);
	expect(received.sort()).toEqual([...ids].sort());
	const started = await Promise.all(
		installation.workers.map(async (worker) => await worker.loggedExecutions('started')),
	);
	for (const startedIds of started)
		expect(startedIds.some((id) => executions.some((execution) => execution.id === id))).toBe(true);
	await client.unpublish(workflowId);
	expect(service.control.webhooks()).toEqual([]);
});

test('receives events at the webhook process after a change of the API secret', async () => {
	const { client, service, credentials } = installation;
	const workflowId = await client.createWorkflow(
		triggerWorkflow(installation, { events: ['updateTask'] }),
	);
	await client.publish(workflowId);
	const changeSecret = async (apiSecret: string) =>
		await client.updateCredential(credentials[credentialType].id, credentialName, credentialType, {
			...service.credential,
			apiSecret,
		});

	// The webhook process only has the digests of the URLs, which publishing stored.
	await changeSecret('another secret');
	expect(await fireUpdates(service.control, ['changed-1', 'changed-2'], 1)).toEqual([200, 200]);
	const executions = await waitForExecutions(client, workflowId, 2);
	expect(outputIds(nodes.done, executions)).toEqual(['changed-1', 'changed-2']);

	await changeSecret(service.credential.apiSecret);
	await client.unpublish(workflowId);
	expect(service.control.webhooks()).toEqual([]);
});

test('creates 2,000 orders in 20 executions once, within the rate limit and despite 429 responses', async () => {
	const { control } = installation.service;
	control.reset();
	control.settings({ creationLimit: noLimit });
	const sender = await publishSender(installation, { batchSize: 8 });
	const orders = orderNames('Q', 2000);
	const started = Date.now();
	await Promise.all(chunk(orders, 100).map(async (names) => await sender.post(names)));
	// Both workers use up their own rate limits; then the service itself rejects requests.
	await waitFor('150 creation requests', () => creationRequests().length >= 150);
	control.settings({ creationLimit: { requests: 20, perMs: 5000 } });
	const executions = await sender.results();
	const requests = creationRequests();
	const rejected = requests.filter(({ status }) => status === 429).length;

	expect(countOutcomes(executions)).toEqual({ created: orders.length });
	expect(countCreations(installation)).toEqual(new Map(orders.map((order) => [order, 1])));
	const workers = await workersByOrder(executions);
	const maxPerWorker = installation.workers.map((_, index) =>
		maxWithin(
			requests.filter(({ order }) => workers.get(order) === index).map(({ at }) => at),
			rateLimit.perMs,
		),
	);
	console.log(
		`  ${requests.length} requests, ${rejected} rejected with 429, at most ${maxPerWorker.join(' and ')} ` +
			`per worker in 60 s, ${Math.round((Date.now() - started) / 1000)} s`,
	);
	expect(rejected).toBeGreaterThan(0);
	for (const count of maxPerWorker) {
		expect(count).toBeGreaterThan(0);
		expect(count).toBeLessThanOrEqual(rateLimit.requests);
	}
	expect(requests.every(({ order }) => workers.has(order))).toBe(true);

	// The workers have recorded every order.
	const repeats = chunk(orders, 100).map(async (names) => await sender.post(names));
	await Promise.all(repeats);
	expect(countOutcomes(await sender.results())).toEqual({ alreadyCreated: orders.length });
	expect(creationRequests()).toHaveLength(requests.length);
});
