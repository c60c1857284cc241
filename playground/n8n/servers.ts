import { chown, mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from './checks';
import { lastLines, runCommand, startChild, type Child } from './childProcess';
import { step, waitFor } from './progress';
import { requireProgram } from './system';

/** Debian installs PostgreSQL's programs, possibly of several versions, outside PATH. */
const postgresqlFolders = [18, 17, 16, 15, 14, 13].map(
	(version) => `/usr/lib/postgresql/${version}/bin`,
);

/** A server that was started here, on the loopback address. */
export interface Server {
	readonly port: number;
	/** Stops it in an orderly way and starts it again with the same data and port. */
	restart(): Promise<void>;
	/** Stops it and deletes its data. */
	close(): Promise<void>;
}

interface User {
	uid: number;
	gid: number;
}

/**
 * Finds Redis and PostgreSQL, or installs them if possible.
 *
 * @returns the paths of their programs
 * @throws SetupError if one is missing and cannot be installed
 */
export async function requireServers(): Promise<
	Record<'redis' | 'initdb' | 'postgres' | 'createdb', string>
> {
	return {
		redis: await requireProgram('redis-server'),
		initdb: await requireProgram('initdb', 'postgresql', postgresqlFolders),
		postgres: await requireProgram('postgres', 'postgresql', postgresqlFolders),
		createdb: await requireProgram('createdb', 'postgresql', postgresqlFolders),
	};
}

/**
 * Starts a Redis that keeps its data across restarts.
 *
 * @throws SetupError if it is missing and cannot be installed; Error if it does not start
 */
export async function startRedis(): Promise<Server> {
	const { redis: program } = await requireServers();
	return await startServer({
		name: 'Redis',
		program,
		args: (folder, port) => [
			'--bind',
			'127.0.0.1',
			'--port',
			String(port),
			'--dir',
			folder,
			'--save',
			'',
			'--appendonly',
			'yes',
		],
		endSignal: 'SIGTERM',
	});
}

/**
 * Starts a PostgreSQL with an empty database `n8n` and a user `n8n`, whose password it doesn't check.
 * PostgreSQL does not run as root, so root starts it as the user of Debian's package.
 *
 * @throws SetupError if it is missing and cannot be installed; Error if it does not start
 */
export async function startPostgresql(): Promise<Server> {
	const { initdb, postgres: program, createdb } = await requireServers();
	const user = process.getuid?.() === 0 ? await findUser('postgres') : undefined;
	const server = await startServer({
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
			'-D',
			join(folder, 'data'),
			'-p',
			String(port),
			'-h',
			'127.0.0.1',
			'-k',
			folder,
			'-c',
			'max_connections=200',
			// The data need not survive a crash of the machine.
			'-c',
			'fsync=off',
			'-c',
			'synchronous_commit=off',
		],
		// On SIGTERM it would wait for its clients to disconnect.
		endSignal: 'SIGINT',
	});
	const address = ['--host=127.0.0.1', `--port=${server.port}`, '--username=n8n'];
	const logFile = join(tmpdir(), `delivery-service-createdb-${process.pid}.log`);
	await runCommand(createdb, [...address, 'n8n'], { cwd: tmpdir(), logFile });
	await rm(logFile);
	return server;
}

const guard = join(__dirname, 'guard.cjs');

async function findUser(name: string): Promise<User> {
	const readId = async (option: string) => {
		const folder = tmpdir();
		const logFile = join(folder, `delivery-service-id-${process.pid}.log`);
		const number = Number(await runCommand('id', [option, name], { cwd: folder, logFile }));
		await rm(logFile);
		return number;
	};
	return { uid: await readId('-u'), gid: await readId('-g') };
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
			await waitUntilListening(name, child, port);
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

async function waitUntilListening(name: string, child: Child, port: number): Promise<void> {
	const exited = child.ended.then(async (outcome) => {
		throw new Error(`${name} exited with ${outcome}:\n${await lastLines(child.logFile)}`);
	});
	const connected = waitFor(`${name} to listen on port ${port}`, async () => {
		return await acceptsConnections(port);
	});
	// The one that loses the race may still reject.
	exited.catch(() => undefined);
	connected.catch(() => undefined);
	await Promise.race([exited, connected]);
}

async function acceptsConnections(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = createConnection({ host: '127.0.0.1', port });
		socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
		socket.once('connect', () => socket.destroy());
	});
}
