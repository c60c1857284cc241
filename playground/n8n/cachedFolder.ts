import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const stampName = 'complete.txt';

/**
 * Fills a folder once. The content is created in a temporary folder next to it and moved only when
 * it is complete, so that an interrupted run starts over and concurrent runs don't interfere.
 *
 * @param folder the folder to create
 * @param key identifies the sources of the content; a folder with another key is replaced
 * @param fill writes the content into an empty folder; its errors are passed on
 * @returns whether the folder had to be filled
 */
export async function fillOnce(
	folder: string,
	key: string,
	fill: (emptyFolder: string) => Promise<void>,
): Promise<boolean> {
	if (await isComplete(folder, key)) return false;
	await removeAbandonedFolders(folder);
	const partial = `${folder}.partial-${process.pid}`;
	await mkdir(partial, { recursive: true });
	try {
		await fill(partial);
		await writeFile(join(partial, stampName), key);
		// A concurrent run may have finished first, with the same content.
		if (!(await isComplete(folder, key))) {
			await rm(folder, { recursive: true, force: true });
			await rename(partial, folder);
		}
	} finally {
		await rm(partial, { recursive: true, force: true });
	}
	return true;
}

async function isComplete(folder: string, key: string): Promise<boolean> {
	try {
		return (await readFile(join(folder, stampName), 'utf8')) === key;
	} catch {
		return false;
	}
}

async function removeAbandonedFolders(folder: string): Promise<void> {
	const parent = dirname(folder);
	await mkdir(parent, { recursive: true });
	const prefix = `${basename(folder)}.partial-`;
	for (const name of await readdir(parent)) {
		if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length)))) {
			await rm(join(parent, name), { recursive: true, force: true });
		}
	}
}

function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}
