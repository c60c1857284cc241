import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import axios from 'axios';

import { freePort } from '../../playground/n8n/checks';
import type { StoredWorkflow } from '../../playground/n8n/client';
import { outputOf, type Execution } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import { node } from '../../playground/n8n/workflowParts';
import * as shared from './support/versionTests';
import { executionsOf, liveAddress, subscriptionsOf, testAddress } from './support/events';
import { testTriggerChanges } from './support/triggerTests';
import { nodes, withTrigger } from './support/workflows';
import {
	credentialName,
	credentialType,
	openInstallation,
	type Installation,
} from './support/installation';

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

const subscriptions = () => subscriptionsOf(installation.service.control, installation.n8n);

/** Imports a workflow with a trigger, to be taken back after the test. */
async function imported(
	parameters: Record<string, unknown>,
	credentials?: Installation['credentials'],
): Promise<StoredWorkflow> {
	const workflow = await shared.imported(installation, parameters, credentials);
	workflows.push(workflow);
	return workflow;
}

async function published(parameters: Record<string, unknown>): Promise<StoredWorkflow> {
	const workflow = await imported(parameters);
	await installation.client.publish(workflow.id);
	return workflow;
}

let lastTask = 0;

/** A payload of the update-task event that did not come before. */
function update(): Record<string, string> {
	lastTask += 1;
	return { id: `D-${lastTask}`, status: 'assigned', company_id: '1001', city_id: '7' };
}

/** What the trigger put out in executions. */
function received(executions: readonly Execution[]): Array<Record<string, unknown>> {
	return executions.flatMap((execution) => outputOf(execution, nodes.done));
}

/** Has the service report an update; gives what a workflow that received only it puts out. */
async function fireUpdate(): Promise<{ statuses: unknown[]; item: Record<string, unknown> }> {
	const payload = update();
	const postings = await installation.service.control.fireEvent(3, payload);
	return {
		statuses: postings.map(({ status }) => status),
		item: { event: 'updateTask', eventCode: 3, ...payload },
	};
}

/** Ends the service, and starts it again after the work or its failure. */
async function duringOutage(work: () => Promise<void>, secretAfterwards?: string): Promise<void> {
	await installation.stopService();
	try {
		await work();
	} finally {
		await installation.resumeService(secretAfterwards);
	}
}

/** Waits for what n8n does after it has answered. */
async function until(what: string, holds: () => boolean): Promise<void> {
	await waitFor(what, 10_000, () => Promise.resolve(holds() || undefined));
}

/** Waits for n8n to take a trigger's test webhook off, which it does after its answer. */
async function untilNotListening(): Promise<void> {
	await until('the end of listening', () =>
		subscriptions().every((address) => !address.startsWith('webhook-test/')),
	);
}

/** Copies a workflow as the editor does: its nodes get identifiers and webhooks of their own. */
async function duplicated({ name, nodes: all, connections }: StoredWorkflow) {
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
	return await stored(await installation.client.createWorkflow(copy));
}

/** A workflow in n8n, to be taken back after the test. */
async function stored(id: string): Promise<StoredWorkflow> {
	const workflow = await installation.client.workflow(id);
	workflows.push(workflow);
	return workflow;
}

shared.testTrigger(() => installation);
testTriggerChanges(() => installation);

describe('listening for a test event', () => {
	test('subscribes a test address only while it listens', async () => {
		const { client } = installation;
		const workflow = await imported({ events: ['createTask', 'updateTask'] });
		await client.listen(workflow.id, nodes.trigger);
		expect(subscriptions()).toEqual([
			testAddress(workflow, 'createTask'),
			testAddress(workflow, 'updateTask'),
		]);
		await client.stopListening(workflow.id);
		await untilNotListening();
		expect(subscriptions()).toEqual([]);
	});

	test('receives one event beside the published workflow, then stops by itself', async () => {
		const { client } = installation;
		const workflow = await published({ events: ['updateTask'] });
		await client.listen(workflow.id, nodes.trigger);
		expect(subscriptions()).toEqual(
			[testAddress(workflow, 'updateTask'), liveAddress(workflow, 'updateTask')].sort(),
		);
		const { statuses, item } = await fireUpdate();
		expect(statuses).toEqual([200, 200]);
		const executions = await executionsOf(client, workflow.id, 2);
		expect(executions.map(({ mode }) => mode).sort()).toEqual(['manual', 'webhook']);
		expect(executions.flatMap((execution) => outputOf(execution, nodes.trigger))).toEqual([
			item,
			item,
		]);
		await untilNotListening();
		expect(subscriptions()).toEqual([liveAddress(workflow, 'updateTask')]);
	});
});

describe('a published workflow', () => {
	test('receives every event with its fields parsed', async () => {
		const { client, service } = installation;
		const workflow = await published({ events: ['createTask', 'createRoute', 'updateTask'] });
		await shared.createDeliveries(installation, ['T-1']);
		const [delivery] = service.control.deliveries();
		const { id = '', price, distance } = delivery?.record ?? {};
		await executionsOf(client, workflow.id, 1);
		await service.control.fireEvent(2);
		await executionsOf(client, workflow.id, 2);
		await service.control.advance(id);
		const executions = await executionsOf(client, workflow.id, 3);
		expect(received(executions)).toEqual([
			{ event: 'createTask', eventCode: 1, id, price, distance, currencySign: '$' },
			{
				...{ event: 'createRoute', eventCode: 2, distance },
				route_id: expect.any(String),
				date: expect.stringMatching(/^\d+$/),
				dateIso: expect.stringMatching(/^20..-..-..T/),
				prices: [{ id, price }],
			},
			{
				...{ event: 'updateTask', eventCode: 3, id, status: 'assigned' },
				...{ company_id: '1001', city_id: String(delivery?.record.destinationCityId) },
			},
		]);
	});

	test('is subscribed at the same address after it was taken back and published again', async () => {
		const { client, service } = installation;
		const workflow = await published({ events: ['updateTask'] });
		const before = service.control.webhooks();
		await client.unpublish(workflow.id);
		expect(service.control.webhooks()).toEqual([]);
		await client.publish(workflow.id);
		expect(service.control.webhooks()).toEqual(before);
		const { statuses, item } = await fireUpdate();
		expect(statuses).toEqual([200]);
		expect(received(await executionsOf(client, workflow.id, 1))).toEqual([item]);
	});

	test('goes on under another name, also of its trigger', async () => {
		const { client } = installation;
		const workflow = await published({ events: ['updateTask'] });
		await client.updateWorkflow(workflow.id, { name: 'Updates, renamed' });
		await client.publish(workflow.id);
		expect(subscriptions()).toEqual([liveAddress(workflow, 'updateTask')]);
		const first = await fireUpdate();
		await executionsOf(client, workflow.id, 1);

		const name = 'Updates of deliveries';
		await client.updateWorkflow(workflow.id, {
			nodes: withTrigger(workflow, { name }),
			connections: { [name]: workflow.connections[nodes.trigger] },
		});
		await client.publish(workflow.id);
		expect(subscriptions()).toEqual([liveAddress(workflow, 'updateTask')]);
		const second = await fireUpdate();
		const executions = await executionsOf(client, workflow.id, 2);
		expect(received(executions)).toEqual([first.item, second.item]);
	});

	test('is subscribed to other events once its changed version is published', async () => {
		const { client, service } = installation;
		const workflow = await published({ events: ['createTask', 'updateTask'] });
		await client.updateWorkflow(workflow.id, {
			nodes: withTrigger(workflow, { parameters: { events: ['updateTask', 'createRoute'] } }),
		});
		expect(subscriptions()).toEqual([
			liveAddress(workflow, 'createTask'),
			liveAddress(workflow, 'updateTask'),
		]);
		await client.publish(workflow.id);
		expect(subscriptions()).toEqual([
			liveAddress(workflow, 'createRoute'),
			liveAddress(workflow, 'updateTask'),
		]);
		await service.control.fireEvent(1, { id: 'D', distance: 1, price: 2, currencySign: '$' });
		const { item } = await fireUpdate();
		expect(received(await executionsOf(client, workflow.id, 1))).toEqual([item]);
	});

	test('is subscribed by a changed credential once it is unpublished and published, not when another node is published', async () => {
		const { client, service } = installation;
		const data = { ...service.credential };
		const name = 'Changing';
		const id = await client.createCredential(name, credentialType, data);
		const workflow = await imported({ events: ['updateTask'] }, { [credentialType]: { id, name } });
		await client.publish(workflow.id);
		const before = service.control.webhooks();

		await client.updateCredential(id, name, credentialType, { ...data, companyId: 1002 });
		await client.updateWorkflow(workflow.id, {
			nodes: [...workflow.nodes, node('Added', 'n8n-nodes-base.noOp')],
		});
		await client.publish(workflow.id);
		expect(service.control.webhooks()).toEqual(before);

		await client.unpublish(workflow.id);
		expect(service.control.webhooks()).toEqual([]);
		await client.publish(workflow.id);
		expect(service.control.webhooks()).toEqual([
			expect.objectContaining({ companyId: 1002, status: 'Active' }),
		]);
		expect(subscriptions()).toEqual([liveAddress(workflow, 'updateTask')]);
		const { statuses, item } = await fireUpdate();
		expect(statuses).toEqual([200]);
		expect(received(await executionsOf(client, workflow.id, 1))).toEqual([item]);
	});

	test('leaves a workflow on the same event alone', async () => {
		const { client } = installation;
		const one = await published({ events: ['updateTask'] });
		const other = await published({ events: ['updateTask'] });
		expect(subscriptions()).toEqual(
			[liveAddress(one, 'updateTask'), liveAddress(other, 'updateTask')].sort(),
		);
		const { statuses, item } = await fireUpdate();
		expect(statuses).toEqual([200, 200]);
		expect(received(await executionsOf(client, one.id, 1))).toEqual([item]);
		await client.unpublish(one.id);
		expect(subscriptions()).toEqual([liveAddress(other, 'updateTask')]);
		await fireUpdate();
		await executionsOf(client, other.id, 2);
		await executionsOf(client, one.id, 1);
	});

	test('and its duplicate are subscribed apart', async () => {
		const { client } = installation;
		const workflow = await published({ events: ['updateTask'] });
		const copy = await duplicated(workflow);
		await client.publish(copy.id);
		expect(subscriptions()).toEqual(
			[liveAddress(workflow, 'updateTask'), liveAddress(copy, 'updateTask')].sort(),
		);
		const { statuses } = await fireUpdate();
		expect(statuses).toEqual([200, 200]);
		await executionsOf(client, copy.id, 1);
		await client.unpublish(workflow.id);
		expect(subscriptions()).toEqual([liveAddress(copy, 'updateTask')]);
	});

	test('leaves nothing at the service when it is archived', async () => {
		const { client } = installation;
		const { id } = await published({ events: ['createTask', 'updateTask'] });
		await client.archive(id);
		workflows = [];
		await until('the removal', () => subscriptions().length === 0);
	});

	test('keeps its subscription when n8n refuses a copy with the same webhook', async () => {
		const { client } = installation;
		const workflow = await published({ events: ['updateTask'] });
		const copy = await stored(await client.createWorkflow({ ...workflow, id: undefined }));
		expect(copy.nodes).toEqual(workflow.nodes);
		await expect(client.publish(copy.id)).rejects.toThrow(/conflict/i);
		expect(subscriptions()).toEqual([liveAddress(workflow, 'updateTask')]);
	});
});

describe('calls that are not from the service', () => {
	test('are refused with 401 and start nothing', async () => {
		const { client, service } = installation;
		const other = await published({ events: ['createTask'] });
		const workflow = await published({ events: ['createTask', 'updateTask'] });
		const addresses = service.control.webhooks().map(({ url }) => new URL(url));
		const [others, created, updated] = addresses;
		if (!others || !created || !updated) throw new Error('three subscriptions were expected');
		const post = async (change: (url: URL) => void) => {
			const url = new URL(updated);
			change(url);
			const answer = await axios.post<unknown>(url.toString(), update(), {
				proxy: false,
				validateStatus: () => true,
			});
			return [answer.status, answer.data];
		};
		const signature = (url: URL) => url.searchParams.get('signature') ?? '';
		const signed = (text: string) => (url: URL) => url.searchParams.set('signature', text);
		const forgeries = [
			(url: URL) => url.searchParams.delete('signature'),
			(url: URL) => (url.search = ''),
			(url: URL) => url.searchParams.set('event', 'createTask'),
			signed('0'.repeat(64)),
			signed(signature(updated).toUpperCase()),
			signed(signature(created)),
			signed(signature(others)),
		];
		const refusal = [401, { message: 'The URL signature is missing or invalid' }];
		for (const forge of forgeries) expect(await post(forge)).toEqual(refusal);

		const { statuses, item } = await fireUpdate();
		expect(statuses).toEqual([200]);
		expect(received(await executionsOf(client, workflow.id, 1))).toEqual([item]);
		expect(await client.executions(other.id)).toEqual([]);
	});
});

describe('when something is out of order', () => {
	test('a blacklisted subscription works again once the workflow was unpublished and published', async () => {
		const { client, service } = installation;
		const workflow = await published({ events: ['createTask', 'updateTask'] });
		const before = service.control.webhooks();
		service.control.blacklist(before[1]?.url ?? '', 3);
		expect((await fireUpdate()).statuses).toEqual([]);
		await client.unpublish(workflow.id);
		expect(service.control.webhooks()).toEqual([]);
		await client.publish(workflow.id);
		expect(service.control.webhooks()).toEqual(before);
		const { item } = await fireUpdate();
		expect(received(await executionsOf(client, workflow.id, 1))).toEqual([item]);
	});

	test('a blacklisted subscription found at activation is made anew, and the log says so', async () => {
		const { client } = installation;
		const workflow = await published({ events: ['updateTask'] });
		await duringOutage(async () => await client.unpublish(workflow.id));
		const { control } = installation.service;
		control.blacklist(control.webhooks()[0]?.url ?? '', 3);
		await client.publish(workflow.id);
		expect(subscriptions()).toEqual([liveAddress(workflow, 'updateTask')]);
		expect(await readFile(join(installation.userFolder, 'n8n.log'), 'utf8')).toMatch(
			`in workflow "Delivery events" (${workflow.id}): the Delivery Service had blacklisted the webhook for Delivery Updated`,
		);
		const events = [await fireUpdate(), await fireUpdate()].map(({ item }) => item);
		expect(received(await executionsOf(client, workflow.id, 2))).toEqual(events);
	});

	test('a changed API secret has publishing replace own addresses only', async () => {
		const { client, credentials } = installation;
		const workflow = await published({ events: ['createTask', 'updateTask'] });
		const other = await published({ events: ['updateTask'] });
		const foreign = { url: 'https://shop.example/events', event: 'createTask' };
		const webhook = { resource: 'webhook', selectBy: 'urlAndEvent', ...foreign };
		await shared.runAction(installation, { parameters: { ...webhook, operation: 'create' } });
		const before = installation.service.control.webhooks();
		const othersBefore = before.slice(2);

		await duringOutage(async () => await Promise.resolve(), 'changed-secret');
		const { id } = credentials[credentialType];
		await client.updateCredential(
			id,
			credentialName,
			credentialType,
			installation.service.credential,
		);
		// This n8n calls no trigger when it starts.
		await installation.restartN8n();
		expect((await fireUpdate()).statuses).toEqual([200, 200]);

		await client.unpublish(workflow.id);
		expect(installation.service.control.webhooks()).toEqual(othersBefore);
		await client.publish(workflow.id);
		const after = installation.service.control.webhooks();
		expect(after.slice(0, 2)).toEqual(othersBefore);
		expect(after.slice(2).map(({ action }) => action)).toEqual([1, 3]);
		for (const { url } of after.slice(2)) expect(before.map((one) => one.url)).not.toContain(url);
		expect((await fireUpdate()).statuses).toEqual([200, 200]);
		await executionsOf(client, workflow.id, 2);
		await executionsOf(client, other.id, 2);
		await shared.runAction(installation, { parameters: { ...webhook, operation: 'delete' } });
	});

	test('a workflow that cannot be published says why and leaves nothing at the service', async () => {
		const { client, service } = installation;
		const data = { ...service.credential, baseUrl: `http://127.0.0.1:${await freePort()}` };
		const id = await client.createCredential('Nowhere', credentialType, data);
		const nowhere = { [credentialType]: { id, name: 'Nowhere' } };
		const unreachable = await imported({ events: ['updateTask'] }, nowhere);
		const half = await imported({ events: ['createTask', 'createRoute', 'updateTask'] });
		// The first subscription is made, the second refused; n8n tries again: it is made, unanswered.
		const hooks = { method: 'POST', path: '/hooks/companies/1001' };
		service.control.addFault({ ...hooks, kind: 'resetAfter', skip: 2 });
		service.control.addFault({ ...hooks, kind: 'status', status: 503, skip: 1, times: null });
		await Promise.all([
			expect(client.publish(unreachable.id)).rejects.toThrow(
				'Could not connect to the Base URL of the Delivery Service',
			),
			expect(client.publish(half.id)).rejects.toThrow(
				'The Delivery Service returned a server error (status 503)',
			),
		]);
		const made = service.control.requests().filter(({ method }) => method === 'POST');
		expect(made.slice(0, 4).map(({ status }) => status)).toEqual([200, 503, null, 503]);
		expect(service.control.webhooks()).toEqual([]);
	});

	test('a workflow can be taken back without the service, and is tidied up later', async () => {
		const { client } = installation;
		const workflow = await published({ events: ['createTask', 'updateTask'] });
		await duringOutage(async () => await client.unpublish(workflow.id));
		const log = await readFile(join(installation.userFolder, 'n8n.log'), 'utf8');
		expect(log).toMatch(
			`in workflow "Delivery events" (${workflow.id}): webhooks of this node may remain in the Delivery Service (Delivery Created, Delivery Updated): Could not connect to the Base URL of the Delivery Service. They can't trigger the workflow. The node retries the removal whenever the workflow is published or unpublished`,
		);
		expect(subscriptions()).toEqual([
			liveAddress(workflow, 'createTask'),
			liveAddress(workflow, 'updateTask'),
		]);
		expect((await fireUpdate()).statuses).toEqual([404]);

		await client.updateWorkflow(workflow.id, {
			nodes: withTrigger(workflow, { parameters: { events: ['createRoute'] } }),
		});
		await client.publish(workflow.id);
		expect(subscriptions()).toEqual([liveAddress(workflow, 'createRoute')]);
		expect(await client.executions(workflow.id)).toEqual([]);
	});

	test('n8n goes on with the same subscriptions after a restart', async () => {
		const { client, service } = installation;
		const workflow = await published({ events: ['createTask', 'updateTask'] });
		const before = service.control.webhooks();
		await installation.restartN8n();
		expect(service.control.webhooks()).toEqual(before);
		const { statuses, item } = await fireUpdate();
		expect(statuses).toEqual([200]);
		expect(received(await executionsOf(client, workflow.id, 1))).toEqual([item]);
		// n8n answers before it has started all that it starts.
		expect(service.control.webhooks()).toEqual(before);
	});
});
