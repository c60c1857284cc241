import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { ModuleKind, ScriptTarget, transpileModule } from 'typescript';

import { freePort } from '../playground/n8n/checks';
import { N8nClient } from '../playground/n8n/client';
import { installHost, type Host } from '../playground/n8n/host';
import { startN8n, type N8n, type N8nCommand } from '../playground/n8n/n8n';
import { buildAndPack, installPackage } from '../playground/n8n/package';
import {
	postgresqlSettings,
	queueSettings,
	startPostgresql,
	startRedis,
	workerSettings,
} from '../playground/n8n/servers';

const owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'Bench-12345',
};

/** What every n8n of the bench is made from. */
export interface Equipment {
	host: Host;
	/** This package as it would be published. */
	tarball: string;
	/** A user folder with the package, to copy. */
	prepared: string;
	/** The nodes that only the bench has. */
	nodes: string;
	close(): Promise<void>;
}

/** A running n8n to measure in. */
export interface Installation {
	n8n: N8n;
	/** Its workers in queue mode; else none. */
	workers: N8n[];
	client: N8nClient;
	close(): Promise<void>;
}

/** Where n8n keeps its data, and in how many processes it runs. */
export type Setting = 'SQLite' | 'PostgreSQL' | 'queue';

/**
 * Installs n8n, packs this package and installs it. Throws a SetupError when something cannot be
 * installed.
 */
export async function equip(): Promise<Equipment> {
	const host = await installHost('newest');
	const tarball = await buildAndPack();
	const folder = await mkdtemp(join(tmpdir(), 'delivery-service-bench-'));
	const close = async () => await rm(folder, { recursive: true, force: true });
	try {
		const prepared = join(folder, 'prepared');
		await mkdir(prepared);
		await installPackage(tarball, prepared);
		const nodes = join(folder, 'nodes');
		await compileNodes(nodes);
		return { host, tarball, prepared, nodes, close };
	} catch (error) {
		await close();
		throw error;
	}
}

/** The folder of the installed package in a user folder. */
export function packageFolder(userFolder: string): string {
	return join(userFolder, '.n8n', 'nodes', 'node_modules', 'n8n-nodes-delivery-service');
}

async function compileNodes(folder: string): Promise<void> {
	const sources = join(__dirname, 'n8n');
	await mkdir(folder);
	for (const name of await readdir(sources)) {
		const { outputText } = transpileModule(await readFile(join(sources, name), 'utf8'), {
			compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 },
		});
		await writeFile(join(folder, name.replace(/\.ts$/, '.js')), outputText);
	}
}

/**
 * Starts an n8n with the package and the bench's own nodes, and signs in. `prepare` may change the
 * installed package, whose folder it is given. Throws a SetupError when a server is not installed
 * and cannot be; Error when something does not start.
 */
export async function openInstallation(
	equipment: Equipment,
	setting: Setting,
	prepare: (packageFolder: string) => Promise<void> = async () => await Promise.resolve(),
): Promise<Installation> {
	const closers: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const end of closers.splice(0).reverse()) await end();
	};
	try {
		const env: NodeJS.ProcessEnv = {
			N8N_CUSTOM_EXTENSIONS: equipment.nodes,
			N8N_ENCRYPTION_KEY: randomUUID(),
			EXECUTIONS_DATA_PRUNE: 'false',
		};
		if (setting !== 'SQLite') {
			const postgresql = await startPostgresql();
			closers.push(async () => await postgresql.close());
			Object.assign(env, postgresqlSettings(postgresql));
		}
		if (setting === 'queue') {
			const redis = await startRedis();
			closers.push(async () => await redis.close());
			Object.assign(env, queueSettings(redis, randomUUID()));
		}
		const start = async (command: N8nCommand) => {
			const userFolder = await mkdtemp(join(tmpdir(), 'delivery-service-bench-'));
			closers.push(async () => await rm(userFolder, { recursive: true, force: true }));
			await cp(equipment.prepared, userFolder, { recursive: true });
			await prepare(packageFolder(userFolder));
			const port = await freePort();
			const n8n = await startN8n({
				...{ host: equipment.host, userFolder, port, command },
				env: { ...env, ...(command === 'worker' && workerSettings(port)) },
			});
			closers.push(async () => await n8n.stop());
			return n8n;
		};
		const n8n = await start('start');
		const client = await N8nClient.setUp(n8n.url, owner);
		const workers = setting === 'queue' ? [await start('worker'), await start('worker')] : [];
		return { n8n, workers, client, close };
	} catch (error) {
		await close();
		throw error;
	}
}
