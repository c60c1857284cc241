/** examples/compose.yaml, as far as it can be held against something without Docker. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import manifest from '../../../package.json';
import { projectFolder } from '../../../playground/n8n/folders';

const text = readFileSync(join(projectFolder, 'examples/compose.yaml'), 'utf8');

const condition = z.object({ condition: z.literal('service_healthy') }).strict();
const environment = z.record(z.string());
const n8nSchema = z
	.object({
		build: z.object({ dockerfile_inline: z.string() }).strict(),
		restart: z.literal('unless-stopped'),
		depends_on: z.object({ postgres: condition, redis: condition }).strict(),
		environment,
		command: z.literal('worker').optional(),
		ports: z.array(z.string().regex(/^127\.0\.0\.1:/)).optional(),
		deploy: z.object({ replicas: z.number() }).optional(),
	})
	.strict();
const serverSchema = z
	.object({
		image: z.string(),
		restart: z.literal('unless-stopped'),
		environment: environment.optional(),
		command: z.string().optional(),
		volumes: z.array(z.string()).length(1),
		healthcheck: z.object({
			test: z.array(z.string()),
			interval: z.string(),
			retries: z.number(),
		}),
	})
	.strict();
const compose = z
	.object({
		'x-n8n': z.unknown(),
		services: z
			.object({ n8n: n8nSchema, worker: n8nSchema, postgres: serverSchema, redis: serverSchema })
			.strict(),
		volumes: z.record(z.null()),
	})
	.strict()
	.parse(parse(text, { merge: true }));
const { n8n, worker, postgres, redis } = compose.services;

const hostSchema = z.object({ dependencies: z.object({ n8n: z.string() }) });

test('it installs this package into the newest n8n that the tests run, as they do', () => {
	const hosts = join(projectFolder, 'playground/n8n/hosts');
	const versions = readdirSync(hosts).map(
		(name) =>
			hostSchema.parse(JSON.parse(readFileSync(join(hosts, name, 'package.json'), 'utf8')))
				.dependencies.n8n,
	);
	const [, version = ''] = /^FROM n8nio\/n8n:(\S+)$/m.exec(n8n.build.dockerfile_inline) ?? [];
	expect(versions.filter((tested) => tested.startsWith('2.'))).toContain(version);
	expect(n8n.build.dockerfile_inline).toContain(
		'npm install --omit=peer --ignore-scripts --prefix /home/node/.n8n/nodes',
	);
});

test('it names the version of this package that was published last', () => {
	const changelog = readFileSync(join(projectFolder, 'CHANGELOG.md'), 'utf8');
	const [, published] = /^## \[(\d+\.\d+\.\d+)\]/m.exec(changelog) ?? [];
	expect(n8n.build.dockerfile_inline).toContain(` ${manifest.name}@${published}\n`);
});

test('every setting is one of n8n', () => {
	const config = dirname(require.resolve('@n8n/config'));
	const known = readdirSync(config, { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.js'))
		.map((file) => readFileSync(join(config, file), 'utf8'))
		.join('\n');
	const names = Object.keys(n8n.environment);
	expect(names.length).toBeGreaterThan(8);
	// These two are read elsewhere in n8n: in n8n-core, and by n8n's own settings of the address.
	const elsewhere = ['N8N_ENCRYPTION_KEY', 'WEBHOOK_URL', 'N8N_EDITOR_BASE_URL'];
	const unknown = names.filter((name) => !known.includes(`'${name}'`) && !elsewhere.includes(name));
	expect(unknown).toEqual([]);
});

test('main and workers are the same n8n, in queue mode, with the servers beside them', () => {
	expect(worker).toMatchObject({ build: n8n.build, environment: n8n.environment });
	expect(worker.command).toBe('worker');
	expect(n8n.environment).toMatchObject({
		EXECUTIONS_MODE: 'queue',
		QUEUE_BULL_REDIS_HOST: 'redis',
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: 'postgres',
		DB_POSTGRESDB_DATABASE: postgres.environment?.POSTGRES_DB,
		DB_POSTGRESDB_USER: postgres.environment?.POSTGRES_USER,
	});
});

test('it holds no secret, and says which the user must write', () => {
	const wanted = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name);
	expect(wanted.sort()).toEqual(['N8N_ADDRESS', 'N8N_ENCRYPTION_KEY', 'POSTGRES_PASSWORD']);
	for (const name of wanted) expect(text).toContain(`#   ${name}=`);
	const used = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name);
	expect([...new Set(used)].sort()).toEqual(wanted);
});

test('what must outlive a restart is in volumes', () => {
	const volumes = [postgres, redis].flatMap((server) => server.volumes.map((v) => v.split(':')[0]));
	expect(volumes.sort()).toEqual(Object.keys(compose.volumes).sort());
});
