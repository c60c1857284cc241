/**
 * `npm run n8n:newest [-- <version>]`: sets the host "newest" to the newest n8n whose packages are all in
 * the registry, or to the given version, with its own lock file, and names newer ones that can't be
 * installed.
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
/** How many newer versions to try. */
const maxAttempts = 5;

/**
 * Returns the released versions that are newer than the current one, newest first.
 *
 * @param listed all versions in the registry, also previews such as 2.42.0-beta.1
 */
export function newerVersions(listed: readonly string[], current: string): string[] {
	const isRelease = (version: string) => /^\d+\.\d+\.\d+$/.test(version);
	const compare = (one: string, other: string) => one.localeCompare(other, 'en', { numeric: true });
	return listed
		.filter((version) => isRelease(version) && compare(version, current) > 0)
		.sort(compare)
		.reverse();
}

async function main(requested: string | undefined): Promise<void> {
	const before = await versionOf('newest');
	const workFolder = await mkdtemp(join(tmpdir(), 'delivery-service-newest-'));
	try {
		const candidates = requested
			? [requested].filter((version) => version !== before)
			: newerVersions(await listedVersions(workFolder), before).slice(0, maxAttempts);
		for (const version of candidates) {
			const problem = await problemOf(before, version, workFolder);
			if (problem !== undefined) {
				console.log(`n8n ${version} can't be installed:\n${problem}`);
				continue;
			}
			for (const file of [manifest, lock])
				await copyFile(join(workFolder, file), join(hostFolder, file));
			console.log(`Updated the host "newest" from n8n ${before} to n8n ${version}.`);
			return;
		}
		console.log(`The host "newest" stays n8n ${before}.`);
		if (requested !== undefined && candidates.length > 0) process.exitCode = 1;
	} finally {
		await rm(workFolder, { recursive: true, force: true });
	}
}

async function listedVersions(workFolder: string): Promise<string[]> {
	const options = { cwd: workFolder, logFile: join(workFolder, 'view.log') };
	const listed: unknown = JSON.parse(await npm(['view', 'n8n', 'versions', '--json'], options));
	if (!Array.isArray(listed))
		throw new SetupError('The package registry lists no versions of n8n.');
	return listed.map(String);
}

/** Writes the manifest and its lock file to the work folder. @returns why it can't be resolved */
async function problemOf(
	before: string,
	version: string,
	workFolder: string,
): Promise<string | undefined> {
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
		return undefined;
	} catch (error) {
		if (error instanceof CommandError) return error.output;
		throw error;
	}
}

if (require.main === module)
	main(process.argv[2]).catch((error: unknown) => {
		if (!(error instanceof SetupError)) throw error;
		console.error(error.message);
		process.exitCode = 1;
	});
