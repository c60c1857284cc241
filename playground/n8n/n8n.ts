import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import axios from 'axios';

import { freePort } from './checks';
import { lastLines, startChild, type Child } from './childProcess';
import type { Host } from './host';
import { step, waitFor } from './progress';

const loopback = '127.0.0.1';
const startTimeoutMs = 180_000;

/** A running n8n. */
export interface N8n {
	url: string;
	child: Child;
	stop(): Promise<void>;
}

/** All of n8n in one process; or, in queue mode, one that takes webhooks or runs executions. */
export type N8nCommand = 'start' | 'webhook' | 'worker';

/** What n8n is started with. */
export interface N8nOptions {
	host: Host;
	/** Holds its settings, database and community packages; kept. */
	userFolder: string;
	/** Where it answers; a worker, whose settings must have it listen there, only for its health. */
	port: number;
	command?: N8nCommand;
	/** More environment variables, which win over those set here. */
	env?: NodeJS.ProcessEnv;
}

/**
 * Starts n8n and waits until it answers. It listens on the loopback address only, and it ends when
 * this process ends, however that happens. Gives the running n8n, with its log in
 * `<userFolder>/n8n.log`. Throws an Error with the end of n8n's log when it ends or does not answer
 * in time.
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
	const guard = join(__dirname, 'end-with-parent.cjs');
	const title = `Starting n8n ${host.version}${command === 'start' ? '' : ` (${command})`}`;
	return await step(title, async () => {
		const child = await startChild(host.node.binary, ['--require', guard, host.n8n, command], {
			cwd: userFolder,
			env: { ...host.node.env, ...(await settings(userFolder, port, url)), ...env },
			logFile: join(userFolder, 'n8n.log'),
			channel: true,
		});
		try {
			await answers(url, command, child);
		} catch (error) {
			await child.stop();
			throw new Error(`n8n did not start. Its log ends with:\n${await lastLines(child.logFile)}`, {
				cause: error,
			});
		}
		return { url, child, stop: async () => await child.stop() };
	});
}

async function settings(userFolder: string, port: number, url: string): Promise<NodeJS.ProcessEnv> {
	return {
		N8N_USER_FOLDER: userFolder,
		N8N_PORT: String(port),
		N8N_HOST: loopback,
		N8N_LISTEN_ADDRESS: loopback,
		N8N_EDITOR_BASE_URL: url,
		WEBHOOK_URL: url,
		N8N_SECURE_COOKIE: 'false',
		N8N_RUNNERS_ENABLED: 'true',
		N8N_RUNNERS_BROKER_PORT: String(await freePort()),
		N8N_RUNNERS_BROKER_LISTEN_ADDRESS: loopback,
		N8N_ENFORCE_SETTINGS_FILE_PERMISSIONS: 'true',
		DB_SQLITE_POOL_SIZE: '4',
		// Under a test runner's own value, n8n logs nothing and ends.
		NODE_ENV: 'production',
		// What n8n would otherwise ask the internet for, or the user at the first sign-in.
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_WHATS_NEW_ENABLED: 'false',
		N8N_DYNAMIC_BANNERS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
	};
}

async function answers(url: string, command: N8nCommand, child: Child): Promise<void> {
	let outcome: number | NodeJS.Signals | undefined;
	void child.ended.then((ended) => (outcome = ended));
	// It answers /healthz while it still migrates its database; its own settings come last.
	const path = command === 'start' ? '/rest/settings' : '/healthz/readiness';
	await waitFor('an answer from n8n', startTimeoutMs, async () => {
		if (outcome !== undefined) throw new Error(`n8n ended with ${outcome}`);
		try {
			const { data } = await axios.get<unknown>(`${url}${path}`, { proxy: false });
			return typeof data === 'object' ? data : undefined;
		} catch {
			return undefined;
		}
	});
}
