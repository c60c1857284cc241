import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import axios from 'axios';

import { freePort } from '../../../playground/n8n/checks';
import { N8nClient, type Owner } from '../../../playground/n8n/client';
import type { HostName } from '../../../playground/n8n/host';
import { findHost, startN8n, type N8n } from '../../../playground/n8n/n8n';
import { getTarball, installPackage } from '../../../playground/n8n/package';
import { waitFor } from '../../../playground/n8n/progress';
import { startService, type LocalService } from '../../../playground/service/server';

type Webhooks = ReturnType<LocalService['control']['webhooks']>;

export const owner: Owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'End-to-end-1',
};

/** The credential in each installation. */
export const credentialName = 'Delivery Service account';
export const credentialType = 'deliveryServiceApi';

/** A real n8n with the packed package, a local service, and a signed-in client. */
export interface Installation {
	/** The running n8n. */
	readonly n8n: N8n;
	client: N8nClient;
	/** The running local service, or the last one. */
	readonly service: LocalService;
	/** The stored credential, as nodes reference it. */
	credentials: Record<typeof credentialType, { id: string; name: string }>;
	/** n8n's user folder, deleted by `close`. */
	userFolder: string;
	/** Restarts n8n at the same URL with the same data, and waits until it has activated its workflows. */
	restartN8n(): Promise<void>;
	/** Stops n8n. `startN8n` starts it again. */
	stopN8n(): Promise<void>;
	/** Kills n8n, as in a crash. `startN8n` starts it again. */
	killN8n(): Promise<void>;
	/**
	 * Starts n8n after `stopN8n` or `killN8n`.
	 *
	 * @param moreEnv more environment variables, only for this start
	 * @param version another n8n version than before, only for this start
	 */
	startN8n(moreEnv?: NodeJS.ProcessEnv, version?: HostName): Promise<void>;
	/** Stops the service, to simulate an outage. */
	stopService(): Promise<void>;
	/**
	 * Starts the service again at the same URL with the same webhooks.
	 *
	 * @param apiSecret the API secret that it accepts; defaults to the current one
	 */
	resumeService(apiSecret?: string): Promise<void>;
	/** Stops all processes and deletes all created files. */
	close(): Promise<void>;
}

/**
 * Starts n8n with SQLite, installs the package into it as n8n's installer does, and sets up an owner
 * and a credential for a local service.
 *
 * @param name the n8n version
 * @param env additional environment variables for n8n
 * @returns the installation; the caller closes it
 */
export async function openInstallation(
	name: HostName = 'newest',
	env?: NodeJS.ProcessEnv,
): Promise<Installation> {
	const closers: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const closer of closers.reverse()) await closer();
	};
	try {
		const host = await findHost(name);
		const userFolder = await mkdtemp(join(tmpdir(), 'delivery-service-e2e-'));
		closers.push(async () => await rm(userFolder, { recursive: true, force: true }));
		await installPackage(await getTarball(), userFolder);
		let service = await startService();
		closers.push(async () => await service.close());
		const n8nOptions = { host, userFolder, port: await freePort(), env };
		let n8n = await startN8n(n8nOptions);
		closers.push(async () => await n8n.stop());
		const client = await N8nClient.setUp(n8n.url, owner);
		const id = await client.createCredential(credentialName, credentialType, service.credential);
		return {
			get n8n() {
				return n8n;
			},
			client,
			get service() {
				return service;
			},
			credentials: { [credentialType]: { id, name: credentialName } },
			userFolder,
			async restartN8n() {
				await n8n.stop();
				n8n = await startN8n(n8nOptions);
				const { logFile } = n8n.child;
				await waitFor('n8n to activate its workflows', async () => {
					const log = await readFile(logFile, 'utf8');
					return log.includes('Editor is now accessible');
				});
			},
			stopN8n: async () => await n8n.stop(),
			async killN8n() {
				n8n.child.kill('SIGKILL');
				await n8n.stop();
			},
			async startN8n(moreEnv, version = name) {
				const options = { ...n8nOptions, host: await findHost(version) };
				n8n = await startN8n({ ...options, env: { ...env, ...moreEnv } });
			},
			stopService: async () => await service.close(),
			async resumeService(apiSecret = service.credential.apiSecret) {
				const { port, control } = service;
				const webhooks = control.webhooks();
				service = await startService({ port, apiSecret });
				await createWebhooks(service, webhooks);
			},
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** Stores the credential of another service than the installation's, as nodes reference it. */
export async function storeCredential(
	client: N8nClient,
	{ port, credential }: LocalService,
): Promise<Installation['credentials']> {
	const name = `Service at port ${port}`;
	const id = await client.createCredential(name, credentialType, credential);
	return { [credentialType]: { id, name } };
}

async function createWebhooks(
	{ credential: { baseUrl, apiKeyId, apiSecret } }: LocalService,
	webhooks: Webhooks,
): Promise<void> {
	const auth = { username: apiKeyId, password: apiSecret };
	const options = { auth, proxy: false } as const;
	for (const { companyId, url, action } of webhooks) {
		const body = new URLSearchParams({ url, action: String(action) });
		await axios.post(`${baseUrl}/hooks/companies/${companyId}`, body, options);
	}
}
