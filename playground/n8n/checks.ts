import { randomInt } from 'node:crypto';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';

import { messageOf, SetupError } from './errors';

const loopback = '127.0.0.1';

/** Below the ports that Linux and macOS give to connections and to servers without a fixed port. */
let nextPort = randomInt(20_000, 30_000);

/**
 * Checks that a port is free.
 *
 * @param port the port to check
 * @param remedy what the user can do if it is not free, for the message
 * @throws SetupError if the port is in use or cannot be used
 */
export async function requireFreePort(port: number, remedy: string): Promise<void> {
	try {
		await bindPort(port);
	} catch (error) {
		const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
		const reason = isTaken
			? 'is in use by another program'
			: `cannot be used (${messageOf(error)})`;
		throw new SetupError(`Port ${port} ${reason}. ${remedy}`);
	}
}

/** Returns a port that is free, and that only a program which asks for it by number can take. */
export async function freePort(): Promise<number> {
	const port = nextPort++;
	return await bindPort(port).then(() => port, freePort);
}

async function bindPort(port: number): Promise<void> {
	const server = createServer();
	await new Promise<void>((resolve, reject) => {
		server.once('error', reject);
		server.listen(port, loopback, resolve);
	});
	await new Promise((resolve) => server.close(resolve));
}

/**
 * Checks that the disk of a folder has enough free space.
 *
 * @param folder a folder on the disk
 * @param gigabytes the required space
 * @param purpose what needs the space, for the message
 * @throws SetupError if there is less
 */
export async function requireDiskSpace(
	folder: string,
	gigabytes: number,
	purpose: string,
): Promise<void> {
	const { bavail, bsize } = await statfs(folder);
	const free = (bavail * bsize) / 1e9;
	if (free >= gigabytes) return;
	throw new SetupError(
		`${purpose} needs ${gigabytes} GB, but ${folder} has ${free.toFixed(1)} GB left. Free some ` +
			'space, or set N8N_HOSTS_DIR to a folder on a larger disk.',
	);
}
