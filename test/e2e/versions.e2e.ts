import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { outputOf } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import * as shared from './support/versionTests';
import { fireUpdates, waitForExecutions, webhooksByEvent } from './support/events';
import { testTriggerChanges } from './support/triggerTests';
import { nodes } from './support/workflows';

const installation = shared.testVersion('1.123');
shared.testTrigger(installation);
testTriggerChanges(installation);

// n8n 2 does not check webhooks when it starts.
describe('a restart of n8n', () => {
	test('re-creates a blacklisted subscription when n8n starts, and logs it', async () => {
		const { client } = installation();
		const { control } = installation().service;
		const workflow = await shared.importTrigger(installation(), {
			events: ['createTask', 'updateTask'],
		});
		await client.publish(workflow.id);
		const before = webhooksByEvent(control);
		control.blacklist(before[1]?.url ?? '', 3);

		await installation().restartN8n();
		expect(webhooksByEvent(control)).toEqual(before);
		const logLine = 'the Delivery Service had blacklisted the webhook for Delivery Updated';
		await waitFor('the log line', async () => {
			const log = await readFile(join(installation().userFolder, 'n8n.log'), 'utf8');
			return log.includes(logLine);
		});
		const ids = ['D-1', 'D-2'];
		expect(await fireUpdates(control, ids, 1)).toEqual([200, 200]);
		const executions = await waitForExecutions(client, workflow.id, 2);
		const fields = { status: 'assigned', company_id: '1001', city_id: '7' };
		expect(executions.flatMap((execution) => outputOf(execution, nodes.done))).toEqual(
			ids.map((id) => ({ event: 'updateTask', id, ...fields })),
		);
		await client.unpublish(workflow.id);
		expect(control.webhooks()).toEqual([]);
	});
});
