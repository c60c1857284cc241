import { exampleNames, readExampleFile } from '../../playground/examples';
import { composeServices, sampleVariables } from '../support/compose';
import { openInstallation, type Installation } from './support/installation';
import { ourFindings } from './support/migration';

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
	expect(types).not.toContain('n8n-nodes-base.code');
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
