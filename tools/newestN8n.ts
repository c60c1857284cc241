/**
 * `npm run n8n:newest [-- <version>]`: sets the host "newest" to the newest n8n in the package
 * registry, or to the given version, with its own lock file. If that version can't be resolved, it
 * changes nothing and says why.
 */
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { CommandError } from '../playground/n8n/childProcess';
import { SetupError } from '../playground/n8n/errors';
import { manifestsFolder } from '../playground/n8n/folders';
import { versionOf } from '../playground/n8n/host';
import { npm } from '../playground/n8n/npm';

const manifest = 'package.json';
const lock = 'package-lock.json';
const hostFolder = join(manifestsFolder, 'newest');

async function main(requested: string | undefined): Promise<void> {
	const before = await versionOf('newest');
	const workFolder = await mkdtemp(join(tmpdir(), 'delivery-service-newest-'));
	try {
		const version = requested ?? (await newestVersion(workFolder));
		if (version === before) {
			console.log(`The host "newest" already is n8n ${before}.`);
			return;
		}
		await resolve(before, version, workFolder);
		for (const file of [manifest, lock]) {
			await copyFile(join(workFolder, file), join(hostFolder, file));
		}
		console.log(`Updated the host "newest" from n8n ${before} to n8n ${version}.`);
	} finally {
		await rm(workFolder, { recursive: true, force: true });
	}
}

async function newestVersion(workFolder: string): Promise<string> {
	const options = { cwd: workFolder, logFile: join(workFolder, 'view.log') };
	const lines = (await npm(['view', 'n8n', 'version'], options)).trim().split('\n');
	const version = lines.at(-1) ?? '';
	if (!/^\d+\.\d+\.\d+$/.test(version))
		throw new SetupError(
			`The package registry did not return a version of n8n: ${lines.join('\n')}`,
		);
	return version;
}

/** Writes the manifest and its lock file to the work folder. */
async function resolve(before: string, version: string, workFolder: string): Promise<void> {
	const text = await readFile(join(hostFolder, manifest), 'utf8');
	const changed = text.replace(`"n8n": "${before}"`, `"n8n": "${version}"`);
	await writeFile(join(workFolder, manifest), changed);
	// npm keeps the locked versions that still fit.
	await copyFile(join(hostFolder, lock), join(workFolder, lock));
	const args = ['install', '--package-lock-only', '--legacy-peer-deps', '--ignore-scripts'];
	try {
		await npm([...args, '--omit-lockfile-registry-resolved'], {
			cwd: workFolder,
			logFile: join(workFolder, 'resolve.log'),
		});
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		throw new SetupError(
			`n8n ${version} can't be resolved, so n8n ${before} stays. An entry under "overrides" in ` +
				`${hostFolder} may help.\n${error.output}`,
		);
	}
}

main(process.argv[2]).catch((error: unknown) => {
	if (!(error instanceof SetupError)) throw error;
	console.error(error.message);
	process.exitCode = 1;
});
