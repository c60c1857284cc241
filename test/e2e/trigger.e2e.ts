import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { StoredWorkflow } from '../../playground/n8n/client';
import { outputOf, type Execution } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import * as shared from './support/versionTests';
import {
	listSubscriptions,
	productionWebhook,
	testWebhook,
	waitForExecutions,
	webhooksByEvent,
} from './support/events';
import { testTriggerChanges } from './support/triggerTests';
import { nodes, withChangedTrigger } from './support/workflows';
import { openInstallation, type Installation } from './support/installation';

let installation: Installation;
/** The workflows of the running test. */
let workflows: StoredWorkflow[] = [];

beforeAll(async () => {
	installation = await openInstallation('newest');
});
afterEach(async () => {
	for (const { id } of workflows) await installation.client.unpublish(id);
	workflows = [];
	const { control } = installation.service;
	const leftOver = control.webhooks();
	control.reset();
	expect(leftOver).toEqual([]);
});
afterAll(async () => await installation?.close());

const subscriptions = () => listSubscriptions(installation.service.control, installation.n8n);

/** Imports a workflow with a trigger, which is unpublished after the test. */
async function importTrigger(
	parameters: Record<string, unknown>,
	credentials?: Installation['credentials'],
): Promise<StoredWorkflow> {
	const workflow = await shared.importTrigger(installation, parameters, credentials);
	workflows.push(workflow);
	return workflow;
}

async function publishTrigger(parameters: Record<string, unknown>): Promise<StoredWorkflow> {
	const workflow = await importTrigger(parameters);
	await installation.client.publish(workflow.id);
	return workflow;
}

let lastTask = 0;

/** Generates a unique payload of the update-task event. */
function newUpdate(): Record<string, string> {
	lastTask += 1;
	return { id: `D-${lastTask}`, status: 'assigned', company_id: '1001', city_id: '7' };
}

/** Returns the trigger's output in the given executions. */
function triggerOutput(executions: readonly Execution[]): Array<Record<string, unknown>> {
	return executions.flatMap((execution) => outputOf(execution, nodes.done));
}

/**
 * Makes the service report an update.
 *
 * @returns the response statuses and the expected output item
 */
async function fireUpdate(): Promise<{ statuses: unknown[]; item: Record<string, unknown> }> {
	const payload = newUpdate();
	const postings = await installation.service.control.fireEvent(3, payload);
	return {
		statuses: postings.map(({ status }) => status),
		item: { event: 'updateTask', ...payload },
	};
}

/**
 * Runs a function while the service is down.
 *
 * @param run the function
 * @param newSecret the service's API secret after the outage; defaults to the current one
 */
async function duringOutage(run: () => Promise<void>, newSecret?: string): Promise<void> {
	await installation.stopService();
	try {
		await run();
	} finally {
		await installation.resumeService(newSecret);
	}
}

/** Waits for an action that n8n completes after its response. */
async function waitUntil(what: string, condition: () => boolean): Promise<void> {
	await waitFor(what, () => condition());
}

const readLog = async () => await readFile(join(installation.userFolder, 'n8n.log'), 'utf8');

async function waitForLog(text: string): Promise<void> {
	await waitFor(text, async () => (await readLog()).includes(text));
}

/** Waits until n8n has deleted a trigger's test webhook, which it does after its response. */
async function waitUntilNotListening(): Promise<void> {
	await waitUntil('the trigger to stop listening', () =>
		subscriptions().every((webhook) => !webhook.startsWith('webhook-test/')),
	);
}

/** Duplicates a workflow as the editor does: its nodes get new IDs and webhook IDs. */
async function duplicateWorkflow({ name, nodes: all, connections }: StoredWorkflow) {
	const copy = {
		name: `${name} copy`,
		nodes: all.map((node) => ({
			...node,
			id: randomUUID(),
			...('webhookId' in node && { webhookId: randomUUID() }),
		})),
		connections,
		settings: { executionOrder: 'v1' },
	};
	return await loadWorkflow(await installation.client.createWorkflow(copy));
}

/** Returns a stored workflow, which is unpublished after the test. */
async function loadWorkflow(id: string): Promise<StoredWorkflow> {
	const workflow = await installation.client.workflow(id);
	workflows.push(workflow);
	return workflow;
}

shared.testTrigger(() => installation);
testTriggerChanges(() => installation);

describe('listening for a test event', () => {
	test('receives one test event alongside the published workflow, then stops listening', async () => {
		const { client } = installation;
		const workflow = await publishTrigger({ events: ['updateTask'] });
		await client.listen(workflow.id, nodes.trigger);
		expect(subscriptions()).toEqual(
			[testWebhook(workflow, 'updateTask'), productionWebhook(workflow, 'updateTask')].sort(),
		);
		const { statuses, item } = await fireUpdate();
		expect(statuses).toEqual([200, 200]);
		const executions = await waitForExecutions(client, workflow.id, 2);
		expect(executions.map(({ mode }) => mode).sort()).toEqual(['manual', 'webhook']);
		expect(executions.flatMap((execution) => outputOf(execution, nodes.trigger))).toEqual([
			item,
			item,
		]);
		await waitUntilNotListening();
		expect(subscriptions()).toEqual([productionWebhook(workflow, 'updateTask')]);
	});
});

describe('a published workflow', () => {
	test('receives every event with its fields parsed', async () => {
		const { client, service } = installation;
		const workflow = await publishTrigger({ events: ['createTask', 'createRoute', 'updateTask'] });
		await shared.createDeliveries(installation, ['T-1']);
		const [delivery] = service.control.deliveries();
		const { id = '', price, distance } = delivery?.record ?? {};
		await waitForExecutions(client, workflow.id, 1);
		await service.control.fireEvent(2);
		await waitForExecutions(client, workflow.id, 2);
		await service.control.advance(id);
		const executions = await waitForExecutions(client, workflow.id, 3);
		expect(triggerOutput(executions)).toEqual([
			{ event: 'createTask', id, price, distance, currencySign: '$' },
			{
				event: 'createRoute',
				distance,
				route_id: expect.any(String),
				date: expect.stringMatching(/^\d+$/),
				dateIso: expect.stringMatching(/^20..-..-..T/),
				prices: [{ id, price }],
			},
			{
				event: 'updateTask',
				id,
				status: 'assigned',
				company_id: '1001',
				city_id: String(delivery?.record.destinationCityId),
			},
		]);
	});

	test('keeps receiving events when the workflow or its trigger is renamed', async () => {
		const { client } = installation;
		const workflow = await publishTrigger({ events: ['updateTask'] });
		await client.updateWorkflow(workflow.id, { name: 'Updates, renamed' });
		await client.publish(workflow.id);
		expect(subscriptions()).toEqual([productionWebhook(workflow, 'updateTask')]);
		const first = await fireUpdate();
		await waitForExecutions(client, workflow.id, 1);

		const name = 'Updates of deliveries';
		await client.updateWorkflow(workflow.id, {
			nodes: withChangedTrigger(workflow, { name }),
			connections: { [name]: workflow.connections[nodes.trigger] },
		});
		await client.publish(workflow.id);
		expect(subscriptions()).toEqual([productionWebhook(workflow, 'updateTask')]);
		const second = await fireUpdate();
		const executions = await waitForExecutions(client, workflow.id, 2);
		expect(triggerOutput(executions)).toEqual([first.item, second.item]);
	});

	test('subscribes a workflow and its duplicate separately', async () => {
		const { client } = installation;
		const workflow = await publishTrigger({ events: ['updateTask'] });
		const copy = await duplicateWorkflow(workflow);
		await client.publish(copy.id);
		expect(subscriptions()).toEqual(
			[productionWebhook(workflow, 'updateTask'), productionWebhook(copy, 'updateTask')].sort(),
		);
		const { statuses } = await fireUpdate();
		expect(statuses).toEqual([200, 200]);
		await waitForExecutions(client, copy.id, 1);
		await client.unpublish(workflow.id);
		expect(subscriptions()).toEqual([productionWebhook(copy, 'updateTask')]);
	});

	test('deletes its webhooks when the workflow is archived', async () => {
		const { client } = installation;
		const { id } = await publishTrigger({ events: ['createTask', 'updateTask'] });
		await client.archive(id);
		workflows = [];
		await waitUntil('the webhooks to be deleted', () => subscriptions().length === 0);
	});
});

describe('recovery from failures', () => {
	test('removes the webhooks of a deleted workflow with Get Many and Delete, as the log advises', async () => {
		const { id } = await publishTrigger({ events: ['createTask', 'updateTask'] });
		await duringOutage(async () => {
			await installation.client.archive(id);
			await waitForLog(`(${id}): webhooks of this node may remain in the Delivery Service (http`);
		});
		workflows = [];
		const webhook = { resource: 'webhook' };
		const { output } = await shared.runAction(installation, {
			parameters: { ...webhook, operation: 'getAll', returnAll: true },
		});
		expect(output.map(({ event }) => event).sort()).toEqual(['createTask', 'updateTask']);
		const path = { url: '={{ $json.url }}', event: '={{ $json.event }}' };
		await shared.runAction(installation, {
			items: output,
			parameters: { ...webhook, operation: 'delete', ...path },
		});
		expect(subscriptions()).toEqual([]);
		expect(await readLog()).not.toMatch(/signature=[0-9a-f]/);
	});

	test('unpublishes without the service, and deletes the remaining webhooks later', async () => {
		const { client } = installation;
		const workflow = await publishTrigger({ events: ['createTask', 'updateTask'] });
		await duringOutage(async () => await client.unpublish(workflow.id));
		const log = await readLog();
		const { host } = new URL(installation.service.credential.baseUrl);
		const urls = webhooksByEvent(installation.service.control).map(({ url }) => url.split('?')[0]);
		expect(log).toContain(
			`in workflow "Delivery events" (${workflow.id}): webhooks of this node may remain in the Delivery Service (${urls[0]} for Delivery Created, ${urls[1]} for Delivery Updated): The connection to the Delivery Service at ${host} failed. While the workflow is unpublished, they can't trigger it. Find them with the Delivery Service node, Webhook > Get Many, then remove them with Webhook > Delete.`,
		);
		expect(subscriptions()).toEqual([
			productionWebhook(workflow, 'createTask'),
			productionWebhook(workflow, 'updateTask'),
		]);
		expect((await fireUpdate()).statuses).toEqual([404]);

		await client.updateWorkflow(workflow.id, {
			nodes: withChangedTrigger(workflow, { parameters: { events: ['createRoute'] } }),
		});
		await client.publish(workflow.id);
		expect(subscriptions()).toEqual([productionWebhook(workflow, 'createRoute')]);
		expect(await client.executions(workflow.id)).toEqual([]);
	});
});
