import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { outputOf } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import * as shared from './support/versionTests';
import { executionsOf, fireUpdates } from './support/events';
import { testTriggerChanges } from './support/triggerTests';
import { nodes, triggerWorkflow } from './support/workflows';

const installation = shared.testVersion('1.123');
shared.testTrigger(installation);
testTriggerChanges(installation);

// n8n 2 gives a node its webhook ID when the workflow comes from outside the editor.
describe('a trigger without a webhook ID, whose address n8n would not find again', () => {
	test('is not published', async () => {
		const { client, service } = installation();
		const { nodes: all, ...rest } = triggerWorkflow(installation(), { events: ['updateTask'] });
		const withoutId = all.map((one) => ({ ...one, webhookId: undefined }));
		const id = await client.createWorkflow({ ...rest, nodes: withoutId });

		await expect(client.publish(id)).rejects.toThrow(
			"The Delivery Service Trigger can't receive events",
		);
		expect(service.control.webhooks()).toEqual([]);
	});
});

// n8n 2 does not look at webhooks when it starts.
describe('a restart of n8n', () => {
	test('makes a blacklisted subscription anew when n8n starts, and the log says so', async () => {
		const { client } = installation();
		const { control } = installation().service;
		const workflow = await shared.imported(installation(), {
			events: ['createTask', 'updateTask'],
		});
		await client.publish(workflow.id);
		const before = control.webhooks();
		control.blacklist(before[1]?.url ?? '', 3);

		await installation().restartN8n();
		// It answers before it has started its workflows, and removes before it makes anew: only as many
		// as before, and none of them blacklisted, is the end of the repair.
		await waitFor('the repair', 60_000, () => {
			const active = control.webhooks().filter(({ status }) => status === 'Active');
			return Promise.resolve(active.length === before.length || undefined);
		});
		expect(control.webhooks()).toEqual(before);
		const told = 'the Delivery Service had blacklisted the webhook for Delivery Updated';
		await waitFor('the line in the log', 10_000, async () => {
			const log = await readFile(join(installation().userFolder, 'n8n.log'), 'utf8');
			return log.includes(told) || undefined;
		});
		const ids = ['D-1', 'D-2'];
		expect(await fireUpdates(control, ids, 1)).toEqual([200, 200]);
		const executions = await executionsOf(client, workflow.id, 2);
		const rest = { status: 'assigned', company_id: '1001', city_id: '7' };
		expect(executions.flatMap((execution) => outputOf(execution, nodes.done))).toEqual(
			ids.map((id) => ({ event: 'updateTask', eventCode: 3, id, ...rest })),
		);
		await client.unpublish(workflow.id);
		expect(control.webhooks()).toEqual([]);
	});
});
