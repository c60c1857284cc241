/**
 * Checks the versions and settings in examples/compose.yaml and its Dockerfile. `npm run lint` checks its schema, and the
 * end-to-end group "queue" runs n8n with its environment.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import manifest from '../../../package.json';
import { projectFolder } from '../../../playground/n8n/folders';
import { versionOf } from '../../../playground/n8n/host';
import { composeServices, sampleVariables } from '../../support/compose';

const services = composeServices(sampleVariables);
const n8nServices = ['n8n', 'webhook', 'worker'].map((name) => services[name]);

test('compose.yaml installs the packed package into the newest tested n8n', async () => {
	const version = await versionOf('newest');
	for (const service of n8nServices) {
		const { context = '', dockerfile = '' } = service?.build ?? {};
		const steps = readFileSync(join(projectFolder, 'examples', context, dockerfile), 'utf8')
			.split('\n')
			.filter((line) => line !== '' && !line.startsWith('#'));
		expect(steps).toEqual([
			`FROM n8nio/n8n:${version}`,
			`COPY ${manifest.name}.tgz /tmp/`,
			`RUN npm install --omit=peer --ignore-scripts --prefix /home/node/.n8n/nodes /tmp/${manifest.name}.tgz`,
		]);
	}
	for (const name of ['n8n-runner', 'worker-runner'])
		expect(services[name]?.image).toBe(`n8nio/runners:${version}`);
});

test('compose.yaml gives all processes of n8n the same environment', () => {
	for (const service of n8nServices)
		expect(service?.environment).toEqual(services.n8n?.environment);
	expect(services.n8n?.environment).toMatchObject({
		N8N_WEBHOOK_URL: 'https://n8n.example.com/',
		N8N_UNVERIFIED_PACKAGES_ENABLED: 'true',
	});
});

test.each(Object.keys(sampleVariables))('compose.yaml does not start without %s', (name) => {
	const others = Object.entries(sampleVariables).filter(([other]) => other !== name);
	expect(() => composeServices(Object.fromEntries(others))).toThrow(
		new RegExp(`^${name} is missing: \\w+`),
	);
});

test('compose.yaml has no setting that n8n 3 removes', () => {
	// From n8n's list of breaking changes in 3.0.
	const removed = [
		'OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS',
		'N8N_BINARY_DATA_STORAGE_PATH',
		'WEBHOOK_URL',
	];
	const used = Object.values(services).flatMap(({ environment }) => Object.keys(environment));
	expect(used.length).toBeGreaterThan(20);
	expect(used.filter((name) => removed.includes(name))).toEqual([]);
});

test('compose.yaml uses only settings that n8n reads', () => {
	const folders = ['@n8n/config', 'n8n-core'].map((name) => dirname(require.resolve(name)));
	const known = folders
		.flatMap((folder) =>
			readdirSync(folder, { recursive: true, encoding: 'utf8' })
				.filter((file) => file.endsWith('.js'))
				.map((file) => readFileSync(join(folder, file), 'utf8')),
		)
		.join('\n');
	// The package n8n itself reads these; it isn't installed here.
	const readElsewhere = ['N8N_EDITOR_BASE_URL', 'N8N_UNVERIFIED_PACKAGES_ENABLED'];
	const unknown = Object.keys(services.n8n?.environment ?? {}).filter(
		(name) => !new RegExp(`\\b${name}\\b`).test(known) && !readElsewhere.includes(name),
	);
	expect(unknown).toEqual([]);
});
