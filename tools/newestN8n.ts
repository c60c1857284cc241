/**
 * `npm run n8n:newest [-- <version>]`: sets the host "newest", with its lock file, to the newest n8n whose
 * packages are all in the registry, or to the given version, and names newer ones.
 */
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { z } from 'zod';

import { CommandError } from '../playground/n8n/childProcess';
import { SetupError } from '../playground/n8n/errors';
import { manifestsFolder } from '../playground/n8n/folders';
import { versionOf } from '../playground/n8n/host';
import { npm } from '../playground/n8n/npm';

const manifest = 'package.json';
const lock = 'package-lock.json';
const hostFolder = join(manifestsFolder, 'newest');
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

/** Returns the first version without a problem, undefined if there is none; names those before it. */
export async function firstInstallable(
	versions: readonly string[],
	problemOf: (version: string) => Promise<string | undefined>,
): Promise<string | undefined> {
	for (const version of versions) {
		const problem = await problemOf(version);
		if (problem === undefined) return version;
		console.log(`n8n ${version} can't be installed:\n${problem}`);
	}
	return undefined;
}

async function main(requested: string | undefined): Promise<void> {
	const before = await versionOf('newest');
	const workFolder = await mkdtemp(join(tmpdir(), 'delivery-service-newest-'));
	try {
		const candidates = requested
			? [requested].filter((version) => version !== before)
			: newerVersions(await listedVersions(workFolder), before).slice(0, maxAttempts);
		const tryOne = async (version: string) => await problemOf(before, version, workFolder);
		const newest = await firstInstallable(candidates, tryOne);
		if (newest !== undefined)
			for (const file of [manifest, lock])
				await copyFile(join(workFolder, file), join(hostFolder, file));
		else if (requested !== undefined && candidates.length > 0) process.exitCode = 1;
		console.log(`The host "newest" was n8n ${before}, and is n8n ${newest ?? before}.`);
	} finally {
		await rm(workFolder, { recursive: true, force: true });
	}
}

async function listedVersions(workFolder: string): Promise<string[]> {
	const options = { cwd: workFolder, logFile: join(workFolder, 'view.log') };
	const text = await npm(['view', 'n8n', 'versions', '--json'], options);
	return z.array(z.string()).parse(JSON.parse(text));
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
	const options = { cwd: workFolder, logFile: join(workFolder, 'resolve.log') };
	try {
		await npm([...args, '--omit-lockfile-registry-resolved'], options);
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
