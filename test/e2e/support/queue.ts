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
import { credentialName, credentialType, owner, tarball, type Installation } from './installation';

/** One of n8n's processes, in a user folder of its own as in a container of its own. */
interface Process {
	n8n: N8n;
	/** The numbers of the executions that it has started, or finished, so far, as its log tells. */
	log: (what: 'started' | 'finished') => Promise<string[]>;
}

/** A real n8n in queue mode, with the packed package, beside a local service. */
export interface QueueWorld {
	client: N8nClient;
	/** The process that takes webhooks. */
	webhookUrl: string;
	service: LocalService;
	credentials: Installation['credentials'];
	redis: Server;
	postgresql: Server;
	/** The workers that run, also those that were added. */
	workers: Process[];
	/** Those of them that execute something. */
	busyWorkers: () => Promise<Process[]>;
	addWorker: () => Promise<Process>;
	/** Ends a worker at once, without giving it a chance to do anything. */
	killWorker: (worker: Process) => Promise<void>;
	/** The executions on which no worker works any longer, even if n8n says that they run. */
	left: () => Promise<Set<string>>;
	/** Ends all that runs and deletes what was made. */
	close: () => Promise<void>;
}

/**
 * Starts n8n in queue mode as it is run in production: a main process, one that takes webhooks and
 * two workers, with a Redis and a PostgreSQL of their own.
 *
 * @param name the version of n8n
 * @throws SetupError when a server is not installed and cannot be; Error when something does not
 *   start
 */
export async function openQueueWorld(name: HostName = 'newest'): Promise<QueueWorld> {
	const closers: Array<() => Promise<void>> = [];
	const close = async () => {
		for (const end of closers.splice(0).reverse()) await end();
	};
	try {
		const host = await installHost(name);
		const packed = await mkdtemp(join(tmpdir(), 'delivery-service-e2e-'));
		closers.push(async () => await rm(packed, { recursive: true, force: true }));
		await installPackage(await tarball(), packed);
		const redis = await startRedis();
		closers.push(async () => await redis.close());
		const postgresql = await startPostgresql();
		closers.push(async () => await postgresql.close());
		const service = await startService();
		closers.push(async () => await service.close());

		const webhookPort = await freePort();
		const env = settings(redis, postgresql, `http://127.0.0.1:${webhookPort}`);
		const start = async (command: N8nCommand, port: number) => {
			const process = await startProcess(host, packed, command, port, env);
			closers.push(async () => await process.close());
			return process;
		};
		const main = await start('start', await freePort());
		const client = await N8nClient.setUp(main.n8n.url, owner);
		const id = await client.createCredential(credentialName, credentialType, service.credential);
		const workers: Process[] = [];
		const killed: Process[] = [];
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
					workers.map(async ({ log }) => {
						const finished = new Set(await log('finished'));
						return (await log('started')).some((id) => !finished.has(id));
					}),
				);
				return workers.filter((_, number) => isBusy[number]);
			},
			addWorker,
			async killWorker(worker) {
				worker.n8n.child.kill('SIGKILL');
				killed.push(...workers.splice(workers.indexOf(worker), 1));
				await worker.n8n.stop();
			},
			async left() {
				const ofKilled = killed.map(async (worker) => await worker.log('started'));
				const ofOthers = workers.map(async (worker) => await worker.log('finished'));
				return new Set((await Promise.all([...ofKilled, ...ofOthers])).flat());
			},
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

const encryptionKey = randomUUID();

function settings(redis: Server, postgresql: Server, webhookUrl: string): NodeJS.ProcessEnv {
	return {
		...queueSettings(redis, encryptionKey),
		...postgresqlSettings(postgresql),
		WEBHOOK_URL: webhookUrl,
		// A worker that is gone is noticed in seconds instead of a minute.
		QUEUE_WORKER_LOCK_DURATION: '6000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
		QUEUE_WORKER_STALLED_INTERVAL: '2000',
	};
}

async function startProcess(
	host: Host,
	packed: string,
	command: N8nCommand,
	port: number,
	env: NodeJS.ProcessEnv,
): Promise<Process & { close(): Promise<void> }> {
	const userFolder = await mkdtemp(join(tmpdir(), 'delivery-service-e2e-'));
	const remove = async () => await rm(userFolder, { recursive: true, force: true });
	try {
		await cp(packed, userFolder, { recursive: true });
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
			async log(what) {
				const log = await readFile(n8n.child.logFile, 'utf8');
				const lines = log.matchAll(new RegExp(`Worker ${what} execution (\\d+)`, 'g'));
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
