import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

import { cacheFolder, projectFolder } from './folders';
import { npm } from './npm';
import { step } from './progress';

/**
 * Builds this package and packs it as for publishing. Returns the path of the tarball. Throws a
 * CommandError if the build fails.
 */
export async function buildAndPack(): Promise<string> {
	const folder = join(cacheFolder, 'packed');
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	return await step('Building and packing this package', async () => {
		const logFile = join(folder, 'build.log');
		await npm(['run', 'build'], { cwd: projectFolder, logFile });
		await npm(['pack', '--ignore-scripts', `--pack-destination=${folder}`], {
			cwd: projectFolder,
			logFile: join(folder, 'pack.log'),
		});
		const [tarball] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
		if (tarball === undefined) throw new Error('npm pack created no tarball');
		return join(folder, tarball);
	});
}

let packed: Promise<string> | undefined;

/**
 * Returns the path of this package's tarball: the one that the environment variable E2E_TARBALL names,
 * or one that is built once for this process.
 */
export async function getTarball(): Promise<string> {
	return process.env.E2E_TARBALL ?? (await (packed ??= buildAndPack()));
}

/**
 * Installs a packed package into an n8n as n8n's own installer does: without peer dependencies, so
 * that at run time the package uses n8n's copies of them. Throws a CommandError if npm rejects the
 * tarball.
 */
export async function installPackage(tarball: string, userFolder: string): Promise<void> {
	const folder = join(userFolder, '.n8n', 'nodes');
	await mkdir(folder, { recursive: true });
	const args = ['install', '--omit=peer', '--ignore-scripts', '--prefix', folder, tarball];
	await step('Installing the package into n8n', async () => {
		await npm(args, { cwd: folder, logFile: join(userFolder, 'install-package.log') });
	});
}
