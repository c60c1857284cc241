import { outputOf } from '../../playground/n8n/execution';
import { waitFor } from '../../playground/n8n/progress';
import * as cases from './support/cases';
import { executionsOf } from './support/events';
import { nodes } from './support/workflows';

const world = cases.testVersion('1.123.81');
cases.testTrigger(world);

// n8n 2.41.1 does not look at webhooks when it starts.
describe('a restart of n8n', () => {
	test('makes a blacklisted subscription anew when n8n starts, and tells the user', async () => {
		const { client } = world();
		const { control } = world().service;
		const workflow = await cases.imported(world(), { events: ['createTask', 'updateTask'] });
		await client.publish(workflow.id);
		const before = control.webhooks();
		control.blacklist(before[1]?.url ?? '', 3);

		await world().restartN8n();
		// It answers before it has started its workflows, and removes before it makes anew: only as many
		// as before, and none of them blacklisted, is the end of the repair.
		await waitFor('the repair', 60_000, () => {
			const active = control.webhooks().filter(({ status }) => status === 'Active');
			return Promise.resolve(active.length === before.length || undefined);
		});
		expect(control.webhooks()).toEqual(before);
		const payload = { id: 'D-1', status: 'assigned', company_id: '1001', city_id: '7' };
		expect(await control.fireEvent(3, payload)).toMatchObject([{ status: 200 }]);
		const [execution] = await executionsOf(client, workflow.id, 1);
		const notice: unknown = expect.stringContaining('(the webhook was blacklisted)');
		expect(execution && outputOf(execution, nodes.done)).toEqual([
			{ event: 'updateTask', eventCode: 3, ...payload, notice },
		]);
		await client.unpublish(workflow.id);
		expect(control.webhooks()).toEqual([]);
	});
});
