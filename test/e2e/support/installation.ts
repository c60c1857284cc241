import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import axios from 'axios';

import { freePort } from '../../../playground/n8n/checks';
import { N8nClient, type Owner } from '../../../playground/n8n/client';
import { installHost, type HostName } from '../../../playground/n8n/host';
import { startN8n, type N8n } from '../../../playground/n8n/n8n';
import { buildAndPack, installPackage } from '../../../playground/n8n/package';
import { startService, type LocalService } from '../../../playground/service/server';

type Subscriptions = ReturnType<LocalService['control']['webhooks']>;

export const owner: Owner = {
	email: 'owner@example.com',
	firstName: 'Shop',
	lastName: 'Owner',
	password: 'End-to-end-1',
};

/** The credential that each installation holds. */
export const credentialName = 'Delivery Service account';
export const credentialType = 'deliveryServiceApi';

/** A real n8n with the packed package, beside a local service, and a client that is signed in. */
export interface Installation {
	/** The n8n that runs at the moment. */
	readonly n8n: N8n;
	client: N8nClient;
	/** The local service that runs at the moment, or ran last. */
	readonly service: LocalService;
	/** The stored credential, as a node refers to it. */
	credentials: Record<typeof credentialType, { id: string; name: string }>;
	/** n8n's user folder, deleted at the end. */
	userFolder: string;
	/** Where n8n is installed. */
	hostFolder: string;
	/** Ends n8n and starts it again at the same address, with the same data. */
	restartN8n(): Promise<void>;
	/** Ends n8n, to be started again later. */
	stopN8n(): Promise<void>;
	/** Starts n8n after it was ended. */
	startN8n(): Promise<void>;
	/** Ends the service, as an outage does. */
	stopService(): Promise<void>;
	/**
	 * Starts the service again at the same address, with the subscriptions that it had.
	 *
	 * @param apiSecret the secret that it accepts from now on; by default the same
	 */
	resumeService(apiSecret?: string): Promise<void>;
	/** Ends all that runs and deletes what was made. */
	close(): Promise<void>;
}

let packed: Promise<string> | undefined;

/**
 * The tarball of this package: the one that run.mjs has made for all groups, else one that is built
 * and packed once for all installations of a test file.
 */
export async function tarball(): Promise<string> {
	return process.env.E2E_TARBALL ?? (await (packed ??= buildAndPack()));
}

/**
 * Starts n8n of a version with SQLite, installs the package into it as n8n's installer does, and
 * sets up an owner and a credential for a local service.
 *
 * @param env more environment variables for n8n
 */
export async function openInstallation(
	name: HostName = 'newest',
	env?: NodeJS.ProcessEnv,
): Promise<Installation> {
	const closers: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const end of closers.reverse()) await end();
	};
	try {
		const host = await installHost(name);
		const userFolder = await mkdtemp(join(tmpdir(), 'delivery-service-e2e-'));
		closers.push(async () => await rm(userFolder, { recursive: true, force: true }));
		await installPackage(await tarball(), userFolder);
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
			hostFolder: host.folder,
			async restartN8n() {
				await n8n.stop();
				n8n = await startN8n(n8nOptions);
			},
			stopN8n: async () => await n8n.stop(),
			async startN8n() {
				n8n = await startN8n(n8nOptions);
			},
			stopService: async () => await service.close(),
			async resumeService(apiSecret = service.credential.apiSecret) {
				const { port, control } = service;
				const subscriptions = control.webhooks();
				service = await startService({ port, apiSecret });
				await subscribe(service, subscriptions);
			},
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

async function subscribe(
	{ credential: { baseUrl, apiKeyId, apiSecret } }: LocalService,
	subscriptions: Subscriptions,
): Promise<void> {
	const auth = { username: apiKeyId, password: apiSecret };
	// Not the connections that are kept: they lead to the service that has ended.
	const options = { auth, proxy: false, httpAgent: new Agent() } as const;
	for (const { companyId, url, action } of subscriptions) {
		const body = new URLSearchParams({ url, action: String(action) });
		await axios.post(`${baseUrl}/hooks/companies/${companyId}`, body, options);
	}
}
