import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { fillOnce } from './cachedFolder';
import { CommandError } from './childProcess';
import { SetupError } from './errors';
import { hostsFolder } from './folders';
import { npm } from './npm';
import { step } from './progress';

/** Supported by every n8n version in hosts/: 2.x requires 24 or newer, 1.x requires 24 or older. */
const nodeMajor = 24;
/** On Linux, the same version on every machine; for macOS, not every version is published. */
const linuxVersion = '24.21.0';

/** An installed Node.js. */
export interface NodeInstallation {
	binary: string;
	/** Environment variables that make `node` this installation, also for building native packages. */
	env: NodeJS.ProcessEnv;
}

/** There is no Node.js for n8n on this machine. */
export class NoNodeError extends SetupError {}

/**
 * Decides which Node.js n8n runs on: outside Linux the installed one if n8n supports it, otherwise a
 * package.
 *
 * @param machine the platform, the architecture and the installed version, as in `process`
 * @returns the npm package with its version; undefined for the installed Node.js
 */
export function nodePackage(machine: {
	platform: string;
	arch: string;
	version: string;
}): string | undefined {
	const { platform, arch, version } = machine;
	if (platform === 'linux') return `node-linux-${arch}@${linuxVersion}`;
	if (Number.parseInt(version.replace('v', '')) >= nodeMajor) return undefined;
	const prefix = platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node';
	return `${prefix}-${platform}-${arch}@${nodeMajor}`;
}

/**
 * Installs the Node.js that n8n runs on: on Linux the same version on every machine, with the headers
 * needed to build native packages. Only the first call takes time. Throws a SetupError if the package
 * registry cannot be reached, a NoNodeError if it has no package for this platform.
 */
export async function installNode(): Promise<NodeInstallation> {
	const wanted = nodePackage(process);
	if (wanted === undefined) return { binary: process.execPath, env: {} };
	const [name = '', version = ''] = wanted.split('@');
	const folder = join(hostsFolder(), `node-${version}`);
	await fillOnce(folder, name, async (partial) => {
		await writeFile(join(partial, 'package.json'), '{ "private": true }\n');
		await step(`Installing Node.js ${version} for n8n`, async () => {
			const args = ['install', '--ignore-scripts', wanted];
			await npm(args, { cwd: partial, logFile: join(partial, 'install.log') });
		});
	}).catch((error: unknown) => {
		if (!(error instanceof CommandError)) throw error;
		throw new NoNodeError(
			`There is no package ${wanted}. Install Node.js ${nodeMajor} or newer (https://nodejs.org) or ` +
				'Docker, then run the same command again.',
		);
	});
	const home = join(folder, 'node_modules', name);
	const path = `${join(home, 'bin')}:${process.env.PATH ?? ''}`;
	return { binary: join(home, 'bin', 'node'), env: { PATH: path, npm_config_nodedir: home } };
}
