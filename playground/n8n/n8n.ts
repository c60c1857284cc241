import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import axios from 'axios';

import { freePort } from './checks';
import { lastLines, startChild, type Child } from './childProcess';
import { installHost, versionOf, type Host, type HostName } from './host';
import { openImage, startContainer, type ContainerOptions, type N8nImage } from './image';
import { NoNodeError } from './node';
import { step, waitFor } from './progress';

const loopback = '127.0.0.1';
/** People may have to download an image first. */
const externalStartTimeoutMs = 30 * 60_000;

/** A running n8n. */
export interface N8n {
	url: string;
	child: Child;
	stop(): Promise<void>;
}

/** All of n8n in one process, or in queue mode a process for webhooks or for executions. */
export type N8nCommand = 'start' | 'webhook' | 'worker';

/** How to start n8n. */
export interface N8nOptions {
	host: Host | N8nImage;
	/** Contains the settings, database and community packages; kept. */
	userFolder: string;
	/** The port of n8n. For a worker, the port of its health check, which `env` must enable. */
	port: number;
	command?: N8nCommand;
	/** More environment variables; they override those set here. */
	env?: NodeJS.ProcessEnv;
}

/**
 * Decides which n8n to start: for `newest`, the image that the environment variable N8N_IMAGE names, or
 * else an n8n that is installed first, see {@link installHost}. Where no Node.js can be installed, n8n's
 * image of the same version is started in a container.
 *
 * @throws SetupError if it can be neither found nor installed
 */
export async function findHost(name: HostName): Promise<Host | N8nImage> {
	const image = name === 'newest' ? process.env.N8N_IMAGE : undefined;
	if (image !== undefined) return await openImage(image);
	try {
		return await installHost(name);
	} catch (error) {
		if (!(error instanceof NoNodeError)) throw error;
		const sameVersion = `docker.n8n.io/n8nio/n8n:${await versionOf(name)}`;
		return await openImage(sameVersion).catch(() => {
			throw error;
		});
	}
}

/**
 * Starts n8n and waits until it is ready. It listens on the loopback address only, and exits whenever
 * and however this process exits. Its log is `<userFolder>/n8n.log`.
 *
 * @param options how to start it
 * @returns the running n8n
 * @throws Error with the last lines of n8n's log if it exits or is not ready in time
 */
export async function startN8n({
	host,
	userFolder,
	port,
	command = 'start',
	env,
}: N8nOptions): Promise<N8n> {
	await mkdir(userFolder, { recursive: true });
	const url = `http://${loopback}:${port}`;
	const title = `Starting n8n ${host.version}${command === 'start' ? '' : ` (${command})`}`;
	return await step(title, async () => {
		const child = await startProcess(host, command, {
			cwd: userFolder,
			env: { ...(await environment(host, userFolder, port, url)), ...env },
			logFile: join(userFolder, 'n8n.log'),
		});
		try {
			await waitUntilReady(url, command, child);
		} catch (error) {
			await child.stop();
			throw new Error(`n8n did not start. Its log ends with:\n${await lastLines(child.logFile)}`, {
				cause: error,
			});
		}
		return { url, child, stop: async () => await child.stop() };
	});
}

async function startProcess(
	host: Host | N8nImage,
	command: N8nCommand,
	options: Pick<ContainerOptions, 'cwd' | 'env' | 'logFile'>,
): Promise<Child> {
	if ('image' in host) return await startContainer(host, { ...options, command: [command] });
	const guard = join(__dirname, 'end-with-parent.cjs');
	return await startChild(host.node.binary, ['--require', guard, host.n8n, command], {
		...options,
		env: { ...host.node.env, ...options.env },
		channel: true,
	});
}

/**
 * Waits until an n8n is ready that is started elsewhere.
 *
 * @param url its URL
 * @throws Error if it is not ready in time
 */
export async function waitForN8n(url: string): Promise<void> {
	await step(`Waiting for n8n at ${url}`, async () => {
		await waitUntilReady(url, 'start', undefined, externalStartTimeoutMs);
	});
}

async function environment(
	{ version }: Host | N8nImage,
	userFolder: string,
	port: number,
	url: string,
): Promise<NodeJS.ProcessEnv> {
	return {
		N8N_USER_FOLDER: userFolder,
		N8N_PORT: String(port),
		N8N_HOST: loopback,
		N8N_LISTEN_ADDRESS: loopback,
		N8N_EDITOR_BASE_URL: url,
		...(version.startsWith('1.')
			? { WEBHOOK_URL: url, N8N_RUNNERS_ENABLED: 'true' }
			: { N8N_WEBHOOK_URL: url }),
		N8N_SECURE_COOKIE: 'false',
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: loopback,
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		DB_SQLITE_POOL_SIZE: '4',
		// With a test runner's value, n8n logs nothing and exits.
		NODE_ENV: 'production',
		// Turn off n8n's requests to the internet and its questions at the first sign-in.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
	};
}

async function waitUntilReady(
	url: string,
	command: N8nCommand,
	child?: Child,
	timeoutMs?: number,
): Promise<void> {
	let outcome: number | NodeJS.Signals | undefined;
	void child?.ended.then((ended) => (outcome = ended));
	// n8n responds to /healthz while it is still migrating its database; /rest/settings comes last.
	const path = command === 'start' ? '/rest/settings' : '/healthz/readiness';
	const respond = async () => {
		if (outcome !== undefined) throw new Error(`n8n exited with ${outcome}`);
		try {
			const { data } = await axios.get<unknown>(`${url}${path}`, { proxy: false });
			return typeof data === 'object' ? data : undefined;
		} catch {
			return undefined;
		}
	};
	await waitFor('n8n to respond', respond, timeoutMs);
}
