import { outputOf } from '../../playground/n8n/execution';
import { installHost, type Host } from '../../playground/n8n/host';
import { waitFor } from '../../playground/n8n/progress';
import * as cases from './support/cases';
import { executionsOf } from './support/events';
import { recordRequires, type RequireRecorder } from './support/requires';
import { nodes } from './support/workflows';
import { openWorld, type World } from './support/world';

let world: World;
let host: Host;
let recorder: RequireRecorder;

beforeAll(async () => {
	host = await installHost('1.123.81');
	recorder = await recordRequires('n8n-nodes-delivery-service');
	world = await openWorld('1.123.81', recorder.env);
});
beforeEach(() => world.service.control.reset());
afterAll(async () => {
	await world?.close();
	await recorder?.close();
});

cases.testInstallation(
	() => world,
	async () => await recorder.loaded(),
	() => host.folder,
);
cases.testConnection(() => world);
cases.testOperations(() => world);
cases.testShopifyOrders(() => world);
cases.testTrigger(() => world);

// n8n 2.41.1 does not look at webhooks when it starts.
describe('a restart of n8n', () => {
	it('makes a blacklisted subscription anew when n8n starts, and tells the user', async () => {
		const { client } = world;
		const { control } = world.service;
		const workflow = await cases.imported(world, { events: ['createTask', 'updateTask'] });
		await client.publish(workflow.id);
		const before = control.webhooks();
		control.blacklist(before[1]?.url ?? '', 3);

		await world.restartN8n();
		// It answers before it has started its workflows.
		await waitFor('the repair', 10_000, () =>
			Promise.resolve(control.webhooks().every(({ status }) => status === 'Active') || undefined),
		);
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
