import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { fillOnce } from './cachedFolder';
import { hostsFolder } from './folders';
import { npm } from './npm';
import { step } from './progress';

/** Supported by every n8n version in hosts/: 2.x requires 24 or newer, 1.x requires 24 or older. */
const nodeVersion = '24.21.0';

/** An installed Node.js. */
export interface NodeInstallation {
	binary: string;
	/** Environment variables that make `node` this installation, also for building native packages. */
	env: NodeJS.ProcessEnv;
}

/**
 * Installs the Node.js that n8n runs on: the same version on every machine, with the headers needed to
 * build native packages. Only the first call takes time. Throws a SetupError if the package registry
 * cannot be reached, a CommandError if there is no package for this platform.
 */
export async function installNode(): Promise<NodeInstallation> {
	const name = `node-${process.platform}-${process.arch}`;
	const folder = join(hostsFolder(), `node-${nodeVersion}`);
	await fillOnce(folder, name, async (partial) => {
		await writeFile(join(partial, 'package.json'), '{ "private": true }\n');
		const args = ['install', '--ignore-scripts', `${name}@${nodeVersion}`];
		await step(`Installing Node.js ${nodeVersion} for n8n`, async () => {
			await npm(args, { cwd: partial, logFile: join(partial, 'install.log') });
		});
	});
	const home = join(folder, 'node_modules', name);
	const path = `${join(home, 'bin')}:${process.env.PATH ?? ''}`;
	return { binary: join(home, 'bin', 'node'), env: { PATH: path, npm_config_nodedir: home } };
}
