import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const stampName = 'complete.txt';

/**
 * Fills a folder once. The work is done beside the folder, which appears only when all of it has
 * succeeded: a run that was interrupted is done again, and two runs at once do not meet. `key` says
 * what the content is made from: a folder made from anything else is made again. `fill` puts the
 * content into the folder that it is given; what it throws is passed on. Tells whether there was
 * anything to do.
 */
export async function fillOnce(
	folder: string,
	key: string,
	fill: (emptyFolder: string) => Promise<void>,
): Promise<boolean> {
	if (await isComplete(folder, key)) return false;
	await removeAbandoned(folder);
	const partial = `${folder}.partial-${process.pid}`;
	await mkdir(partial, { recursive: true });
	try {
		await fill(partial);
		await writeFile(join(partial, stampName), key);
		// Another run may have been faster; what it made from the same key is as good.
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

async function removeAbandoned(folder: string): Promise<void> {
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
