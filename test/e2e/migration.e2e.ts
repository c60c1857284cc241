import { exampleNames, readExampleFile } from '../../playground/examples';
import { composeServices, sampleVariables } from '../support/compose';
import { samples } from '../../playground/shopify/samples';
import { fireUpdates, waitForExecutions } from './support/events';
import { openInstallation, type Installation } from './support/installation';
import { ourFindings } from './support/migration';
import { shopifyFields } from './support/sampleDelivery';
import { importTrigger, runAction, runWorkflow } from './support/versionTests';

const setting = 'N8N_UNVERIFIED_PACKAGES_ENABLED';

let installation: Installation;

beforeAll(async () => {
	const value = composeServices(sampleVariables).n8n?.environment[setting];
	installation = await openInstallation('newest', { [setting]: value });
});

afterAll(async () => await installation?.close());

test("n8n's Migration Report finds nothing in the examples and settings that n8n 3 breaks", async () => {
	const { client } = installation;
	const examples = await Promise.all(exampleNames().map(readExampleFile));
	for (const example of examples) await client.createWorkflow(example);
	const types = examples.flatMap(({ nodes }) => nodes.map(({ type }) => type));
	expect(types).not.toContain('n8n-nodes-base.compression');

	const report = await client.migrationReport('v3');
	console.log(`  ${examples.length} examples: ${JSON.stringify(report)}`);
	expect(ourFindings(report)).toEqual([]);
});

test("n8n's Migration Report names an old AI Agent and the missing setting for this package", async () => {
	const { nodes, ...assistant } = await readExampleFile('ask-the-assistant');
	await installation.client.createWorkflow({
		...assistant,
		nodes: nodes.map((node) => ({
			...node,
			typeVersion: node.type.endsWith('.agent') ? 1.9 : node.typeVersion,
		})),
	});
	await installation.stopN8n();
	await installation.startN8n({ [setting]: undefined });
	expect(ourFindings(await installation.client.migrationReport('v3'))).toEqual([
		'unverified-packages-v3',
		expect.stringMatching(/^agent-node-version-v3: .+ uses AI Agent version 1\.9$/),
	]);
});

test('n8n 2 continues with the database of n8n 1: sent orders stay skipped, and events arrive', async () => {
	const upgraded = await openInstallation('1.123');
	try {
		const { client, service } = upgraded;
		const parameters = { resource: 'delivery', ...shopifyFields };
		const first = await runAction(upgraded, { items: samples.slice(0, 1), parameters });
		expect(first.output).toMatchObject([{ outcome: 'created' }]);
		const trigger = await importTrigger(upgraded, { events: ['updateTask'] });
		await client.publish(trigger.id);
		const before = service.control.webhooks();

		await upgraded.stopN8n();
		await upgraded.startN8n({}, 'newest');

		await client.migrationReport('v3');
		const second = await runWorkflow(upgraded, first.workflowId);
		expect(second.output).toMatchObject([{ outcome: 'skipped' }]);
		expect(service.control.deliveries()).toHaveLength(1);
		expect(service.control.webhooks()).toEqual(before);
		expect(await fireUpdates(service.control, ['D-1'], 1)).toEqual([200]);
		await waitForExecutions(client, trigger.id, 1);
		await client.unpublish(trigger.id);
		expect(service.control.webhooks()).toEqual([]);
	} finally {
		await upgraded.close();
	}
});
