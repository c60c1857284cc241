import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { fillOnce } from './cachedFolder';
import { requireDiskSpace } from './checks';
import { CommandError } from './childProcess';
import { SetupError } from './errors';
import { hostsFolder, manifestsFolder } from './folders';
import { installNode, type OwnNode } from './node';
import { npm } from './npm';
import { step } from './progress';

const neededGigabytes = 3;
const manifestFiles = ['package.json', 'package-lock.json'];

/** The n8n versions that there is a manifest for. */
export type HostVersion = '2.41.1' | '1.123.81';

/** An installed n8n. */
export interface Host {
	version: HostVersion;
	folder: string;
	node: OwnNode;
	/** n8n's command line program, a script for `node`. */
	n8n: string;
}

/**
 * Installs an n8n version in a folder of its own, with the Node.js that it needs. Only the first
 * call takes time: later ones find it in the folder. Throws a SetupError when the disk is too
 * small, the package registry cannot be reached, or the SQLite driver can be neither downloaded nor
 * built; CommandError when npm fails otherwise.
 */
export async function installHost(version: HostVersion): Promise<Host> {
	const folder = join(hostsFolder(), `n8n-${version}`);
	await mkdir(hostsFolder(), { recursive: true });
	const node = await installNode();
	await fillOnce(folder, await manifestKey(version), async (partial) => {
		await requireDiskSpace(hostsFolder(), neededGigabytes, `n8n ${version}`);
		await installPackages(version, partial);
		await buildSqliteDriver(partial, node);
	});
	return { version, folder, node, n8n: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}

async function manifestKey(version: HostVersion): Promise<string> {
	const hash = createHash('sha256');
	for (const file of manifestFiles)
		hash.update(await readFile(join(manifestsFolder, version, file)));
	return hash.digest('hex');
}

async function installPackages(version: HostVersion, folder: string): Promise<void> {
	for (const file of manifestFiles) {
		await copyFile(join(manifestsFolder, version, file), join(folder, file));
	}
	// Without --legacy-peer-deps npm's resolver does not come to an end with n8n's packages. Their
	// install scripts are not needed or fail, save the one that buildSqliteDriver runs.
	const args = ['install', '--legacy-peer-deps', '--ignore-scripts'];
	await step(`Installing n8n ${version} (once: 1 to 3 minutes, 2.3 GB)`, async () => {
		await npm(args, { cwd: folder, logFile: join(folder, 'install.log') });
	});
}

async function buildSqliteDriver(folder: string, node: OwnNode): Promise<void> {
	try {
		await step('Preparing its SQLite driver (once: up to a minute)', async () => {
			await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], {
				cwd: folder,
				env: node.env,
				logFile: join(folder, 'sqlite.log'),
			});
		});
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		throw new SetupError(
			'The SQLite driver could be neither downloaded nor built. Building it needs Python 3, make ' +
				`and a C++ compiler (on Debian: apt-get install python3 make g++).\n${error.output}`,
		);
	}
}
