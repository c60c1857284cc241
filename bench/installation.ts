import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../playground/n8n/checks';
import { N8nClient } from '../playground/n8n/client';
import { installHost, type Host } from '../playground/n8n/host';
import { startN8n, type N8n } from '../playground/n8n/n8n';
import { buildAndPack, installPackage } from '../playground/n8n/package';
import { postgresqlSettings, startPostgresql } from '../playground/n8n/servers';
import { compile } from './compile';
import type { Database } from './results';

const owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'Bench-12345',
};

/** Everything that is installed once. */
export interface Equipment {
	host: Host;
	/** A user folder with the package, to copy. */
	prepared: string;
	/** The folder of the compiled benchmark files. */
	compiled: string;
	close(): Promise<void>;
}

/** A running n8n. */
export interface Installation {
	n8n: N8n;
	client: N8nClient;
	close(): Promise<void>;
}

/**
 * Installs n8n, packs this package and installs it. Throws a SetupError if something can't be
 * installed.
 */
export async function equip(): Promise<Equipment> {
	const host = await installHost('newest');
	const tarball = await buildAndPack();
	const prepared = await mkdtemp(join(tmpdir(), 'delivery-service-bench-'));
	const close = async () => await rm(prepared, { recursive: true, force: true });
	try {
		await installPackage(tarball, prepared);
		const compiled = compile(['mapper.ts', 'n8n/BenchItems.node.ts', 'n8n/BenchResult.node.ts']);
		return { host, prepared, compiled, close };
	} catch (error) {
		await close();
		throw error;
	}
}

/**
 * Starts an n8n with the package and the benchmark's own nodes, and signs in. `prepare` may change
 * the installed package, whose folder it gets. Throws a SetupError if a server is not installed and
 * can't be; Error if something doesn't start.
 */
export async function openInstallation(
	{ host, prepared, compiled }: Equipment,
	database: Database,
	prepare?: (packageFolder: string) => Promise<void>,
): Promise<Installation> {
	const closers: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const end of closers.splice(0).reverse()) await end();
	};
	try {
		const env: NodeJS.ProcessEnv = {
			N8N_CUSTOM_EXTENSIONS: join(compiled, 'n8n'),
			N8N_ENCRYPTION_KEY: randomUUID(),
			EXECUTIONS_DATA_PRUNE: 'false',
		};
		if (database === 'PostgreSQL') {
			const postgresql = await startPostgresql();
			closers.push(async () => await postgresql.close());
			Object.assign(env, postgresqlSettings(postgresql));
		}
		const userFolder = await mkdtemp(join(tmpdir(), 'delivery-service-bench-'));
		closers.push(async () => await rm(userFolder, { recursive: true, force: true }));
		await cp(prepared, userFolder, { recursive: true });
		await prepare?.(join(userFolder, '.n8n/nodes/node_modules/n8n-nodes-delivery-service'));
		const n8n = await startN8n({ host, userFolder, port: await freePort(), env });
		closers.push(async () => await n8n.stop());
		return { n8n, client: await N8nClient.setUp(n8n.url, owner), close };
	} catch (error) {
		await close();
		throw error;
	}
}
