import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';

import { messageOf, SetupError } from './errors';

const loopback = '127.0.0.1';

/**
 * Makes sure that a port can be listened on. `remedy` is what the user can do when it is taken.
 * Throws a SetupError when it is taken or may not be used.
 */
export async function requireFreePort(port: number, remedy: string): Promise<void> {
	try {
		await listenOnce(port);
	} catch (error) {
		const taken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
		const reason = taken ? 'is taken by another program' : `cannot be used (${messageOf(error)})`;
		throw new SetupError(`Port ${port} ${reason}. ${remedy}`);
	}
}

/** Gives a port that nothing listens on at the moment. */
export async function freePort(): Promise<number> {
	return await listenOnce(0);
}

async function listenOnce(port: number): Promise<number> {
	const server = createServer();
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, loopback, resolve);
	});
	const address = server.address();
	await new Promise((resolve) => server.close(resolve));
	if (address === null || typeof address === 'string') throw new Error('a port was expected');
	return address.port;
}

/**
 * Makes sure that a folder's disk has room. `forWhat` is what needs it, for the message. Throws a
 * SetupError when there is less.
 */
export async function requireDiskSpace(
	folder: string,
	gigabytes: number,
	forWhat: string,
): Promise<void> {
	const { bavail, bsize } = await statfs(folder);
	const free = (bavail * bsize) / 1e9;
	if (free >= gigabytes) return;
	throw new SetupError(
		`${forWhat} needs ${gigabytes} GB, but ${folder} has ${free.toFixed(1)} GB left. Free some ` +
			'space, or set N8N_HOSTS_DIR to a folder on a larger disk.',
	);
}
