import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { fillOnce } from './cachedFolder';
import { hostsFolder } from './folders';
import { npm } from './npm';
import { step } from './progress';

/** Accepted by every n8n version in hosts/: 2.x wants 24 or newer, 1.x wants 24 or older. */
const nodeVersion = '24.21.0';

/** A Node.js of our own. */
export interface OwnNode {
	binary: string;
	/** The environment in which `node` is this one, and native packages are built for it. */
	env: NodeJS.ProcessEnv;
}

/**
 * Brings the Node.js that n8n runs on. It is the same on every machine whatever Node.js runs this,
 * and it has the headers with which native packages are built. Only the first call takes time.
 * Throws a SetupError when the package registry cannot be reached; CommandError when there is none
 * for this platform.
 */
export async function installNode(): Promise<OwnNode> {
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
