import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../../../playground/n8n/checks';
import { N8nClient } from '../../../playground/n8n/client';
import { installHost, type Host, type HostName } from '../../../playground/n8n/host';
import { startN8n, type N8n, type N8nCommand } from '../../../playground/n8n/n8n';
import { installPackage } from '../../../playground/n8n/package';
import {
	postgresqlSettings,
	queueSettings,
	startPostgresql,
	startRedis,
	workerSettings,
	type Server,
} from '../../../playground/n8n/servers';
import { startService, type LocalService } from '../../../playground/service/server';
import {
	credentialName,
	credentialType,
	getTarball,
	owner,
	type Installation,
} from './installation';

/** One of n8n's processes, with its own user folder, as if in its own container. */
interface N8nProcess {
	n8n: N8n;
	/** The IDs of the executions that it has started or finished so far, according to its log. */
	loggedExecutions: (event: 'started' | 'finished') => Promise<string[]>;
}

/** A real n8n in queue mode with the packed package, and a local service. */
export interface QueueInstallation {
	client: N8nClient;
	/** The URL of the process that receives webhooks. */
	webhookUrl: string;
	service: LocalService;
	credentials: Installation['credentials'];
	redis: Server;
	postgresql: Server;
	/** The running workers, including added ones. */
	workers: N8nProcess[];
	/** The workers with an execution in progress. */
	busyWorkers: () => Promise<N8nProcess[]>;
	addWorker: () => Promise<N8nProcess>;
	/** Kills a worker immediately, without a graceful shutdown. */
	killWorker: (worker: N8nProcess) => Promise<void>;
	/** The IDs of finished and abandoned executions, even if n8n still reports them as running. */
	inactiveExecutions: () => Promise<Set<string>>;
	/** Stops all processes and deletes all created files. */
	close: () => Promise<void>;
}

/**
 * Starts n8n in queue mode as in production: a main process, a webhook process and two workers, with
 * their own Redis and PostgreSQL.
 *
 * @param name the n8n version
 * @returns the installation; the caller closes it
 * @throws SetupError when a server is not installed and cannot be installed; Error when a process does
 *   not start
 */
export async function openQueueInstallation(name: HostName = 'newest'): Promise<QueueInstallation> {
	const closers: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const closer of closers.splice(0).reverse()) await closer();
	};
	try {
		const host = await installHost(name);
		const packageFolder = await mkdtemp(join(tmpdir(), 'delivery-service-e2e-'));
		closers.push(async () => await rm(packageFolder, { recursive: true, force: true }));
		await installPackage(await getTarball(), packageFolder);
		const redis = await startRedis();
		closers.push(async () => await redis.close());
		const postgresql = await startPostgresql();
		closers.push(async () => await postgresql.close());
		const service = await startService();
		closers.push(async () => await service.close());

		const webhookPort = await freePort();
		const env = environment(redis, postgresql, `http://127.0.0.1:${webhookPort}`);
		const start = async (command: N8nCommand, port: number) => {
			const process = await startProcess(host, packageFolder, command, port, env);
			closers.push(async () => await process.close());
			return process;
		};
		const main = await start('start', await freePort());
		const client = await N8nClient.setUp(main.n8n.url, owner);
		const id = await client.createCredential(credentialName, credentialType, service.credential);
		const workers: N8nProcess[] = [];
		const killed: N8nProcess[] = [];
		const addWorker = async () => {
			const worker = await start('worker', await freePort());
			workers.push(worker);
			return worker;
		};
		const webhook = await start('webhook', webhookPort);
		await addWorker();
		await addWorker();
		return {
			client,
			webhookUrl: webhook.n8n.url,
			service,
			credentials: { [credentialType]: { id, name: credentialName } },
			redis,
			postgresql,
			workers,
			async busyWorkers() {
				const isBusy = await Promise.all(
					workers.map(async ({ loggedExecutions }) => {
						const finished = new Set(await loggedExecutions('finished'));
						return (await loggedExecutions('started')).some((id) => !finished.has(id));
					}),
				);
				return workers.filter((_, index) => isBusy[index]);
			},
			addWorker,
			async killWorker(worker) {
				worker.n8n.child.kill('SIGKILL');
				killed.push(...workers.splice(workers.indexOf(worker), 1));
				await worker.n8n.stop();
			},
			async inactiveExecutions() {
				const abandoned = killed.map(async (worker) => await worker.loggedExecutions('started'));
				const finished = workers.map(async (worker) => await worker.loggedExecutions('finished'));
				return new Set((await Promise.all([...abandoned, ...finished])).flat());
			},
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

const encryptionKey = randomUUID();

function environment(redis: Server, postgresql: Server, webhookUrl: string): NodeJS.ProcessEnv {
	return {
		...queueSettings(redis, encryptionKey),
		...postgresqlSettings(postgresql),
		WEBHOOK_URL: webhookUrl,
		// Detects a crashed worker within seconds instead of a minute.
		QUEUE_WORKER_LOCK_DURATION: '6000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
		QUEUE_WORKER_STALLED_INTERVAL: '2000',
	};
}

async function startProcess(
	host: Host,
	packageFolder: string,
	command: N8nCommand,
	port: number,
	env: NodeJS.ProcessEnv,
): Promise<N8nProcess & { close(): Promise<void> }> {
	const userFolder = await mkdtemp(join(tmpdir(), 'delivery-service-e2e-'));
	const remove = async () => await rm(userFolder, { recursive: true, force: true });
	try {
		await cp(packageFolder, userFolder, { recursive: true });
		const n8n = await startN8n({
			host,
			userFolder,
			port,
			command,
			env: {
				...env,
				...(command === 'worker' && workerSettings(port)),
			},
		});
		return {
			n8n,
			async loggedExecutions(event) {
				const log = await readFile(n8n.child.logFile, 'utf8');
				const lines = log.matchAll(new RegExp(`Worker ${event} execution (\\d+)`, 'g'));
				return [...lines].map(([, id = '']) => id);
			},
			async close() {
				await n8n.stop();
				await remove();
			},
		};
	} catch (error) {
		await remove();
		throw error;
	}
}
