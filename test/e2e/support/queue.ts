import { randomUUID } from 'node:crypto';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import axios from 'axios';
import { z } from 'zod';

import { freePort } from '../../../playground/n8n/checks';
import { startChild, type Child } from '../../../playground/n8n/childProcess';
import { N8nClient } from '../../../playground/n8n/client';
import { installHost, type Host, type HostName } from '../../../playground/n8n/host';
import { startN8n, type N8n } from '../../../playground/n8n/n8n';
import { getTarball, installPackage } from '../../../playground/n8n/package';
import { startPostgresql, startRedis, type Server } from '../../../playground/n8n/servers';
import { startService, type LocalService } from '../../../playground/service/server';
import { composeServices, type ComposeService } from '../../support/compose';
import { credentialName, credentialType, owner, type Installation } from './installation';

/** One of n8n's processes, with its own user folder, as if in its own container. */
interface N8nProcess {
	n8n: N8n;
	/** Its service in compose.yaml. */
	service: ComposeService;
	/** The task runner of a worker. */
	runner?: Child;
	/** The IDs of the executions that it has started or finished so far, according to its log. */
	loggedExecutions: (event: 'started' | 'finished') => Promise<string[]>;
	/** Stops it, deletes its files, and stops its task runner. */
	close: () => Promise<void>;
}

/** A real n8n in queue mode with the packed package, and a local service. */
export interface QueueInstallation {
	client: N8nClient;
	/** The process with the editor. */
	main: N8nProcess;
	/** The process that receives webhooks. */
	webhook: N8nProcess;
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
 * Starts n8n in queue mode with the environment in examples/compose.yaml: a main process, a webhook process
 * and two workers with task runners, with their own Redis and PostgreSQL. Only what Docker's network does
 * is different: where each of them listens.
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
		const services = composeServices({
			N8N_ADDRESS: `http://127.0.0.1:${webhookPort}/`,
			GENERIC_TIMEZONE: timeZone,
			N8N_ENCRYPTION_KEY: randomUUID(),
			RUNNERS_AUTH_TOKEN: randomUUID(),
			POSTGRES_PASSWORD: randomUUID(),
		});
		const serversEnv = serverAddresses(redis, postgresql);
		const start = async (name: string, port: number) => {
			const process = await startProcess(host, packageFolder, services, name, port, serversEnv);
			closers.push(async () => await process.close());
			return process;
		};
		const main = await start('n8n', await freePort());
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
			main,
			webhook,
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
				await worker.runner?.stop();
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

/** The time zone of schedules and of the Code node. */
export const timeZone = 'America/New_York';

/** Where the servers listen, instead of the host names in Docker's network. */
function serverAddresses(redis: Server, postgresql: Server): NodeJS.ProcessEnv {
	return {
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(redis.port),
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(postgresql.port),
		// Detects a crashed worker within seconds instead of a minute.
		QUEUE_WORKER_LOCK_DURATION: '6000',
		QUEUE_WORKER_LOCK_RENEW_TIME: '1000',
		QUEUE_WORKER_STALLED_INTERVAL: '2000',
	};
}

const commandSchema = z.enum(['start', 'webhook', 'worker']).default('start');

async function startProcess(
	host: Host,
	packageFolder: string,
	services: Readonly<Record<string, ComposeService>>,
	name: string,
	port: number,
	serversEnv: NodeJS.ProcessEnv,
): Promise<N8nProcess> {
	const service = services[name];
	if (service === undefined) throw new Error(`compose.yaml has no service ${name}`);
	const userFolder = await mkdtemp(join(tmpdir(), 'delivery-service-e2e-'));
	const closers = [async () => await rm(userFolder, { recursive: true, force: true })];
	const close = async () => {
		for (const closer of closers.splice(0).reverse()) await closer();
	};
	try {
		await cp(packageFolder, userFolder, { recursive: true });
		const brokerPort = await freePort();
		const n8n = await startN8n({
			host,
			userFolder,
			port,
			command: commandSchema.parse(service.command),
			env: {
				...service.environment,
				...serversEnv,
				N8N_RUNNERS_BROKER_PORT: String(brokerPort),
				N8N_RUNNERS_BROKER_LISTEN_ADDRESS: '127.0.0.1',
				QUEUE_HEALTH_CHECK_PORT: String(port),
				N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
			},
		});
		closers.push(async () => await n8n.stop());
		const runnerService = services[`${name}-runner`];
		const runner =
			runnerService && (await startRunner(host, runnerService, brokerPort, userFolder));
		if (runner) closers.push(async () => await runner.stop());
		return {
			n8n,
			service,
			runner,
			async loggedExecutions(event) {
				const log = await readFile(n8n.child.logFile, 'utf8');
				const lines = log.matchAll(new RegExp(`Worker ${event} execution (\\d+)`, 'g'));
				return [...lines].map(([, id = '']) => id);
			},
			close,
		};
	} catch (error) {
		await close();
		throw error;
	}
}

/** Starts the task runner of a process as n8n's runners image does. */
async function startRunner(
	host: Host,
	{ environment }: ComposeService,
	brokerPort: number,
	folder: string,
): Promise<Child> {
	const broker = `http://127.0.0.1:${brokerPort}`;
	// The runner gets a token that is valid once, in exchange for the shared one.
	const shared = { token: environment.N8N_RUNNERS_AUTH_TOKEN };
	const response = await axios.post(`${broker}/runners/auth`, shared, { proxy: false });
	const { token } = z.object({ data: z.object({ token: z.string() }) }).parse(response.data).data;
	const guard = require.resolve('../../../playground/n8n/end-with-parent.cjs');
	const program = join(host.folder, 'node_modules', '@n8n', 'task-runner', 'dist', 'start.js');
	return await startChild(host.node.binary, ['--require', guard, program], {
		cwd: folder,
		env: {
			...host.node.env,
			...environment,
			N8N_RUNNERS_TASK_BROKER_URI: broker,
			N8N_RUNNERS_GRANT_TOKEN: token,
		},
		logFile: join(folder, 'runner.log'),
		channel: true,
	});
}
