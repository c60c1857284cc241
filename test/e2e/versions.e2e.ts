import { installHost, type Host } from '../../playground/n8n/host';
import * as cases from './support/cases';
import { recordRequires, type RequireRecorder } from './support/requires';
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
