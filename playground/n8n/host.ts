import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { fillOnce } from './cachedFolder';
import { requireDiskSpace } from './checks';
import { CommandError } from './childProcess';
import { SetupError } from './errors';
import { hostsFolder, manifestsFolder } from './folders';
import { installNode, type NodeInstallation } from './node';
import { npm } from './npm';
import { step } from './progress';

const requiredGigabytes = 3;
const manifestFiles = ['package.json', 'package-lock.json'];

const manifestSchema = z.object({ dependencies: z.object({ n8n: z.string() }) });
const packageSchema = z.object({ version: z.string() });

/** The n8n versions that this package is tested with: the names of their folders in hosts/. */
export type HostName = 'newest' | '1.123';

/** An installed n8n. */
export interface Host {
	version: string;
	folder: string;
	node: NodeInstallation;
	/** n8n's command-line program, a script for `node`. */
	n8n: string;
}

/**
 * Installs an n8n version in its own folder, with the Node.js that it needs. Only the first call takes
 * time; later calls reuse the folder. The folder's name contains a hash of the manifest, so that clones
 * in different states can share a hosts folder.
 *
 * @param name the version to install
 * @returns the installed n8n
 * @throws SetupError if the disk is too small, the package registry cannot be reached, or the SQLite
 * driver can be neither downloaded nor built; CommandError if npm fails for another reason
 */
export async function installHost(name: HostName): Promise<Host> {
	const version = await versionOf(name);
	const key = await manifestKey(name);
	const folder = join(hostsFolder(), `n8n-${version}-${key.slice(0, 8)}`);
	await mkdir(hostsFolder(), { recursive: true });
	const node = await installNode();
	await fillOnce(folder, key, async (partial) => {
		await requireDiskSpace(hostsFolder(), requiredGigabytes, `n8n ${version}`);
		await installPackages(name, version, partial);
		await addSqliteDriver(partial, node);
	});
	return { version, folder, node, n8n: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}

/** Returns the n8n version in a manifest. */
export async function versionOf(name: HostName): Promise<string> {
	const manifest: unknown = JSON.parse(
		await readFile(join(manifestsFolder, name, 'package.json'), 'utf8'),
	);
	return manifestSchema.parse(manifest).dependencies.n8n;
}

async function manifestKey(name: HostName): Promise<string> {
	const hash = createHash('sha256');
	for (const file of manifestFiles) hash.update(await readFile(join(manifestsFolder, name, file)));
	return hash.digest('hex');
}

async function installPackages(name: HostName, version: string, folder: string): Promise<void> {
	for (const file of manifestFiles) {
		await copyFile(join(manifestsFolder, name, file), join(folder, file));
	}
	// Without --legacy-peer-deps, npm's resolver never finishes with n8n's packages. Their install
	// scripts fail or are not needed, except the one that buildSqliteDriver runs.
	const args = ['install', '--legacy-peer-deps', '--ignore-scripts'];
	await step(`Installing n8n ${version} (once: 1 to 3 minutes, 2.3 GB)`, async () => {
		await npm(args, { cwd: folder, logFile: join(folder, 'install.log') });
	});
}

/**
 * Adds the SQLite driver to an n8n. It uses Node-API and depends only on the version of its package, so
 * building it once, which takes a minute, is enough for all n8n versions.
 */
async function addSqliteDriver(folder: string, node: NodeInstallation): Promise<void> {
	const driver = 'node_sqlite3.node';
	const packageFolder = join(folder, 'node_modules', 'sqlite3');
	const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
	const { version } = packageSchema.parse(manifest);
	const target = join(packageFolder, 'build', 'Release');
	const cached = join(hostsFolder(), `sqlite3-${version}`);
	const isBuilt = await fillOnce(cached, version, async (partial) => {
		await buildSqliteDriver(folder, node);
		await copyFile(join(target, driver), join(partial, driver));
	});
	if (isBuilt) return;
	await mkdir(target, { recursive: true });
	await copyFile(join(cached, driver), join(target, driver));
}

async function buildSqliteDriver(folder: string, node: NodeInstallation): Promise<void> {
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
