import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../playground/n8n/checks';
import { N8nClient } from '../playground/n8n/client';
import { installHost, type Host } from '../playground/n8n/host';
import { startN8n, type N8n } from '../playground/n8n/n8n';
import { getTarball, installPackage } from '../playground/n8n/package';

const owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'Bench-12345',
};

/** A running n8n with the package and the benchmark's own nodes. */
export interface Installation {
	host: Host;
	n8n: N8n;
	client: N8nClient;
	close(): Promise<void>;
}

/** Installs what is missing, starts n8n and signs in. Throws a SetupError if something can't be installed. */
export async function openInstallation(): Promise<Installation> {
	const host = await installHost('newest');
	const tarball = await getTarball();
	const userFolder = await mkdtemp(join(tmpdir(), 'delivery-service-bench-'));
	const removeFolder = async () => await rm(userFolder, { recursive: true, force: true });
	try {
		await installPackage(tarball, userFolder);
		const env = {
			N8N_CUSTOM_EXTENSIONS: join(__dirname, 'n8n'),
			N8N_ENCRYPTION_KEY: randomUUID(),
			EXECUTIONS_DATA_PRUNE: 'false',
		};
		const n8n = await startN8n({ host, userFolder, port: await freePort(), env });
		const close = async () => {
			await n8n.stop();
			await removeFolder();
		};
		try {
			return { host, n8n, client: await N8nClient.setUp(n8n.url, owner), close };
		} catch (error) {
			await n8n.stop();
			throw error;
		}
	} catch (error) {
		await removeFolder();
		throw error;
	}
}
