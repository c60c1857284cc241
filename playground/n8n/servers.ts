import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from './checks';
import { lastLines, runCommand, startChild, type Child } from './childProcess';
import { step, waitFor } from './progress';
import { requireProgram } from './system';

const startTimeoutMs = 30_000;
/** Debian keeps PostgreSQL's own programs, of one version or several, out of PATH. */
const postgresqlFolders = [18, 17, 16, 15, 14, 13].map(
	(version) => `/usr/lib/postgresql/${version}/bin`,
);

/** A server of one's own, on the loopback address. */
export interface Server {
	readonly port: number;
	/** Ends it in an orderly way and starts it again with the same data, at the same port. */
	restart(): Promise<void>;
	/** Ends it and deletes its data. */
	close(): Promise<void>;
}

interface User {
	uid: number;
	gid: number;
}

/**
 * Finds Redis and PostgreSQL, and installs them where that is possible; gives the paths.
 *
 * @throws SetupError when one is not installed and cannot be
 */
export async function requireServers(): Promise<Record<'redis' | 'initdb' | 'postgres', string>> {
	return {
		redis: await requireProgram('redis-server'),
		initdb: await requireProgram('initdb', 'postgresql', postgresqlFolders),
		postgres: await requireProgram('postgres', 'postgresql', postgresqlFolders),
	};
}

/**
 * Starts a Redis that keeps its data over a restart.
 *
 * @throws SetupError when it is not installed and cannot be; Error when it does not start
 */
export async function startRedis(): Promise<Server> {
	const { redis: program } = await requireServers();
	return await startServer({
		name: 'Redis',
		program,
		args: (folder, port) => [
			...['--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
			...['--save', '', '--appendonly', 'yes'],
		],
		endSignal: 'SIGTERM',
	});
}

/**
 * Starts a PostgreSQL with an empty database `postgres` of a user `n8n` without a password. It
 * refuses to run as root, who therefore starts it as the user of Debian's package.
 *
 * @throws SetupError when it is not installed and cannot be; Error when it does not start
 */
export async function startPostgresql(): Promise<Server> {
	const { initdb, postgres: program } = await requireServers();
	const user = process.getuid?.() === 0 ? await userNamed('postgres') : undefined;
	return await startServer({
		name: 'PostgreSQL',
		program,
		user,
		prepare: async (folder) => {
			const args = ['--pgdata', join(folder, 'data'), '--username=n8n', '--auth=trust'];
			const logFile = join(folder, 'initdb.log');
			const settings = { program: initdb, ...user, endSignal: 'SIGTERM' };
			await runCommand(
				process.execPath,
				[guard, JSON.stringify(settings), ...args, '--encoding=UTF8', '--no-locale'],
				{ cwd: folder, logFile },
			);
		},
		args: (folder, port) => [
			...['-D', join(folder, 'data'), '-p', String(port), '-h', '127.0.0.1', '-k', folder],
			...['-c', 'max_connections=200'],
			// Its data need not outlive the machine, only its own restart.
			...['-c', 'fsync=off', '-c', 'synchronous_commit=off'],
		],
		// It waits for its clients to leave when it is ended by SIGTERM.
		endSignal: 'SIGINT',
	});
}

/** The settings with which n8n keeps its data in this PostgreSQL. */
export function postgresqlSettings({ port }: Pick<Server, 'port'>): NodeJS.ProcessEnv {
	return {
		DB_TYPE: 'postgresdb',
		DB_POSTGRESDB_HOST: '127.0.0.1',
		DB_POSTGRESDB_PORT: String(port),
		DB_POSTGRESDB_DATABASE: 'postgres',
		DB_POSTGRESDB_USER: 'n8n',
		DB_POSTGRESDB_PASSWORD: 'n8n',
		DB_POSTGRESDB_POOL_SIZE: '10',
	};
}

/**
 * The settings with which each process of an n8n in queue mode finds the others: the same secret for
 * all of them.
 */
export function queueSettings(
	{ port }: Pick<Server, 'port'>,
	encryptionKey: string,
): NodeJS.ProcessEnv {
	return {
		EXECUTIONS_MODE: 'queue',
		N8N_ENCRYPTION_KEY: encryptionKey,
		QUEUE_BULL_REDIS_HOST: '127.0.0.1',
		QUEUE_BULL_REDIS_PORT: String(port),
	};
}

/** The settings with which a worker answers at its port whether it is ready. */
export function workerSettings(port: number): NodeJS.ProcessEnv {
	return {
		QUEUE_HEALTH_CHECK_ACTIVE: 'true',
		QUEUE_HEALTH_CHECK_PORT: String(port),
		N8N_WORKER_SERVER_ADDRESS: '127.0.0.1',
	};
}

const guard = join(__dirname, 'guard.cjs');

async function userNamed(name: string): Promise<User> {
	const ask = async (option: string) => {
		const folder = tmpdir();
		const logFile = join(folder, `delivery-service-id-${process.pid}.log`);
		const number = Number(await runCommand('id', [option, name], { cwd: folder, logFile }));
		await rm(logFile);
		return number;
	};
	return { uid: await ask('-u'), gid: await ask('-g') };
}

async function startServer({
	name,
	program,
	user,
	prepare,
	args,
	endSignal,
}: {
	name: string;
	program: string;
	user?: User;
	prepare?: (folder: string) => Promise<void>;
	args: (folder: string, port: number) => string[];
	endSignal: NodeJS.Signals;
}): Promise<Server> {
	const folder = await mkdtemp(join(tmpdir(), 'delivery-service-'));
	let child: Child | undefined;
	const close = async () => {
		await child?.stop();
		await rm(folder, { recursive: true, force: true });
	};
	try {
		if (user) await chown(folder, user.uid, user.gid);
		await prepare?.(folder);
		const port = await freePort();
		const start = async () => {
			const settings = { program, ...user, endSignal };
			child = await startChild(
				process.execPath,
				[guard, JSON.stringify(settings), ...args(folder, port)],
				{ cwd: folder, logFile: join(folder, 'server.log'), channel: true },
			);
			await listening(name, child, port);
		};
		await step(`Starting ${name}`, start);
		const restart = async () => {
			await child?.stop();
			await start();
		};
		return { port, restart, close };
	} catch (error) {
		await close();
		throw error;
	}
}

async function listening(name: string, child: Child, port: number): Promise<void> {
	const ended = child.ended.then(async (outcome) => {
		throw new Error(`${name} ended with ${outcome}:\n${await lastLines(child.logFile)}`);
	});
	const connected = waitFor(`${name} at port ${port}`, startTimeoutMs, async () => {
		return (await accepts(port)) || undefined;
	});
	// Whichever of the two comes second has nothing more to say.
	ended.catch(() => undefined);
	connected.catch(() => undefined);
	await Promise.race([ended, connected]);
}

async function accepts(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = createConnection({ host: '127.0.0.1', port });
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}
