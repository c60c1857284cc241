import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { statfs } from 'node:fs/promises';
import { createServer } from 'node:net';

import { messageOf, SetupError } from './errors';

const loopback = '127.0.0.1';

/** Below the ports that systems give to connections and to servers without a fixed port. */
let nextPort = randomInt(10_000, 16_000);

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
		const reason = isTaken(error)
			? 'is in use by another program'
			: `cannot be used (${messageOf(error)})`;
		throw new SetupError(`Port ${port} ${reason}. ${remedy}`);
	}
}

/** Returns a free port that no other test or demo on this machine gets until this process ends. */
export async function freePort(): Promise<number> {
	const port = nextPort++;
	try {
		await bindPort(port);
		await reservePort(port);
	} catch (error) {
		if (isTaken(error)) return await freePort();
		throw error;
	}
	return port;
}

/** Not by `instanceof`: in Jest, errors of Node.js are instances of another `Error`. */
function isTaken(error: unknown): boolean {
	const hasCode = typeof error === 'object' && error !== null && 'code' in error;
	return hasCode && error.code === 'EADDRINUSE';
}

/**
 * Takes the UDP port of the same number: n8n needs seconds to take its TCP port, in which another
 * process would find that free. The system frees it however this process ends.
 */
async function reservePort(port: number): Promise<void> {
	const socket = createSocket('udp4').unref();
	await new Promise<void>((resolve, reject) => {
		socket.once('error', reject);
		socket.bind({ port, address: loopback, exclusive: true }, resolve);
	});
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
