import { z } from 'zod';

import { outputOf } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import { updateTaskPayload } from '../../playground/service/events';
import {
	codes,
	executionsOf,
	fireUpdates,
	idsAt,
	liveAddress,
	subscriptionsOf,
} from './support/events';
import { openQueueWorld, type QueueWorld } from './support/queue';
import {
	creationsOf,
	orderNames,
	partsOf,
	publishSender,
	tally,
	type SentExecution,
} from './support/sending';
import { nodes, triggerWorkflow } from './support/workflows';
import { credentialName, credentialType } from './support/installation';

/** What the service document allows each process (section 8). */
const limit = { requests: 100, perMs: 60_000 };
const withoutLimit = { requests: 1_000_000, perMs: 1 };

let installation: QueueWorld;

beforeAll(async () => {
	installation = await openQueueWorld();
});

afterAll(async () => {
	await installation?.close();
});

const creationRequestSchema = z.object({
	deliveries: z.array(z.object({ referenceId: z.string() })),
});

/** The creation requests so far: when each came, what it was answered, and an order in it. */
function creationRequests() {
	return installation.service.control
		.requests()
		.filter(({ method, path }) => method === 'POST' && path === '/v1/deliveries')
		.map(({ at, status, body }) => {
			const [first] = creationRequestSchema.parse(body).deliveries;
			return { at, status, order: first?.referenceId ?? '' };
		});
}

/** The most points in time that lie within any window of this width. */
function mostWithin(times: readonly number[], widthMs: number): number {
	return Math.max(
		...times.map((from) => times.filter((at) => at >= from && at < from + widthMs).length),
	);
}

/** By order: the worker whose execution it was sent in. */
async function workersOf(executions: readonly SentExecution[]): Promise<Map<string, number>> {
	const started = await Promise.all(
		installation.workers.map(async (worker) => await worker.log('started')),
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

test('the same orders in two executions at once, on two workers, are created once', async () => {
	installation.service.control.reset();
	const sender = await publishSender(installation, { batchSize: 20 });
	let onTwoWorkers = 0;
	for (let pair = 0; pair < 10; pair++) {
		const orders = orderNames(`P${pair}`, 100);
		await Promise.all([sender.post(orders), sender.post(orders)]);
		const executions = await sender.finished();
		console.log(`  pair ${pair + 1}: ${JSON.stringify(tally(executions))}`);

		const workers = await Promise.all(executions.map(async (one) => await workersOf([one])));
		if (new Set(workers.flatMap((map) => [...map.values()])).size === 2) onTwoWorkers++;
		for (const order of orders) {
			const outcomes = executions.map((execution) => execution.outcomes.get(order));
			const [winner, other] = [...outcomes].sort();
			// The other came later, or while the order was being sent.
			if (winner?.[0] === 'created') expect(other).toEqual(['unknown']);
			else expect([winner, other]).toEqual([['alreadyCreated'], ['created']]);
		}
	}
	expect([...creationsOf(installation).values()]).toEqual(Array.from({ length: 1000 }, () => 1));
	expect(onTwoWorkers).toBeGreaterThan(0);
});

test('1,000 events at the process for webhooks start 1,000 executions, each with its event', async () => {
	const { client, service } = installation;
	const [delivery] = service.control.deliveries();
	if (!delivery) throw new Error('a delivery was expected');
	const workflow = triggerWorkflow(installation, { events: ['updateTask'] });
	const workflowId = await client.createWorkflow(workflow);
	await client.publish(workflowId);
	expect(subscriptionsOf(service.control, { url: installation.webhookUrl })).toEqual([
		liveAddress(await client.workflow(workflowId), 'updateTask'),
	]);

	const ids = Array.from({ length: 1000 }, (_, index) => `task-${index + 1}`);
	// As many at a time as the service has connections.
	for (const part of partsOf(ids, 20)) {
		const postings = await Promise.all(
			part.map(async (id) => {
				const payload = { ...updateTaskPayload(delivery), id };
				return await service.control.fireEvent(codes.updateTask, payload);
			}),
		);
		expect(postings.flat().map(({ status }) => status)).toEqual(part.map(() => 200));
	}

	const executions = await executionsOf(client, workflowId, ids.length);
	expect(executions.every(({ status }) => status === 'success')).toBe(true);
	const received = executions
		.flatMap((execution) => outputOf(execution, nodes.trigger))
		.map(({ id }) => id);
	expect(received.sort()).toEqual([...ids].sort());
	const started = await Promise.all(
		installation.workers.map(async (worker) => await worker.log('started')),
	);
	for (const ofWorker of started)
		expect(ofWorker.some((id) => executions.some((execution) => execution.id === id))).toBe(true);
	await client.unpublish(workflowId);
	expect(service.control.webhooks()).toEqual([]);
});

test('a changed API secret stops no event at the process for webhooks, until the trigger subscribes anew', async () => {
	const { client, service, credentials } = installation;
	const workflowId = await client.createWorkflow(
		triggerWorkflow(installation, { events: ['updateTask'] }),
	);
	await client.publish(workflowId);
	const change = async (apiSecret: string) =>
		await client.updateCredential(credentials[credentialType].id, credentialName, credentialType, {
			...service.credential,
			apiSecret,
		});

	// That process has only what publishing has kept: the digests of the addresses.
	await change('another secret');
	expect(await fireUpdates(service.control, ['changed-1', 'changed-2'], 1)).toEqual([200, 200]);
	const executions = await executionsOf(client, workflowId, 2);
	expect(idsAt(nodes.done, executions)).toEqual(['changed-1', 'changed-2']);

	await change(service.credential.apiSecret);
	await client.unpublish(workflowId);
	expect(service.control.webhooks()).toEqual([]);
});

test('an event that comes again is skipped by any worker, and none is lost however many come at once', async () => {
	const { client, service } = installation;
	const options = { ignoreDuplicatesMinutes: 60 };
	const workflow = triggerWorkflow(installation, { events: ['updateTask'], options });
	const workflowId = await client.createWorkflow(workflow);
	await client.publish(workflowId);
	let count = 0;
	const fire = async (ids: string[], atATime: number) => {
		const statuses = await fireUpdates(service.control, ids, atATime);
		expect(statuses).toEqual(ids.map(() => 200));
		count += ids.length;
		return await executionsOf(client, workflowId, count);
	};

	const oneByOne = Array.from({ length: 10 }, (_, index) => `one-${index + 1}`);
	for (const id of [...oneByOne, ...oneByOne]) await fire([id], 1);
	expect(idsAt(nodes.done, await client.executionsWithData(workflowId))).toEqual(oneByOne.sort());

	const atOnce = Array.from({ length: 100 }, (_, index) => `at-once-${index + 1}`);
	const once = idsAt(nodes.done, await fire(atOnce, 10));
	expect(once).toEqual([...atOnce, ...oneByOne].sort());
	const executions = await fire(atOnce, 10);
	// Two workers may write over each other's notes: the field's text says so.
	const twice = idsAt(nodes.done, executions).length - once.length;
	console.log(`  of 100 repeats, ten at a time, ${twice} went through`);
	expect(twice).toBeLessThan(atOnce.length);

	const started = await Promise.all(
		installation.workers.map(async (worker) => await worker.log('started')),
	);
	for (const ofWorker of started)
		expect(executions.filter(({ id }) => ofWorker.includes(id)).length).toBeGreaterThan(0);
	await client.unpublish(workflowId);
});

test('2,000 orders in 20 executions are created once, within the limit, whatever the service refuses', async () => {
	const { control } = installation.service;
	control.reset();
	control.settings({ creationLimit: withoutLimit });
	const sender = await publishSender(installation, { batchSize: 8 });
	const orders = orderNames('Q', 2000);
	const started = Date.now();
	await Promise.all(partsOf(orders, 100).map(async (part) => await sender.post(part)));
	// Both processes use up their own limits; for the rest the service itself refuses.
	await waitFor(
		'150 creation requests',
		120_000,
		async () => await Promise.resolve(creationRequests().length >= 150 || undefined),
	);
	control.settings({ creationLimit: { requests: 20, perMs: 5000 } });
	const executions = await sender.finished();
	const requests = creationRequests();
	const refused = requests.filter(({ status }) => status === 429).length;

	expect(tally(executions)).toEqual({ created: orders.length });
	expect(creationsOf(installation)).toEqual(new Map(orders.map((order) => [order, 1])));
	const workers = await workersOf(executions);
	const most = installation.workers.map((_, number) =>
		mostWithin(
			requests.filter(({ order }) => workers.get(order) === number).map(({ at }) => at),
			limit.perMs,
		),
	);
	console.log(
		`  ${requests.length} requests, ${refused} refused with 429, at most ${most.join(' and ')} in ` +
			`60 s by a worker, ${Math.round((Date.now() - started) / 1000)} s`,
	);
	expect(refused).toBeGreaterThan(0);
	for (const count of most) {
		expect(count).toBeGreaterThan(0);
		expect(count).toBeLessThanOrEqual(limit.requests);
	}
	expect(requests.every(({ order }) => workers.has(order))).toBe(true);

	// Nothing of what the workers have noted was lost.
	const again = partsOf(orders, 100).map(async (part) => await sender.post(part));
	await Promise.all(again);
	expect(tally(await sender.finished())).toEqual({ alreadyCreated: orders.length });
	expect(creationRequests()).toHaveLength(requests.length);
});
