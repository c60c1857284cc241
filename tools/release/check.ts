/**
 * `npm run release:check [-- --tag v1.2.3]`: all that can be checked before a version is published,
 * besides tests and lint. The versions in package.json, package-lock.json and CHANGELOG.md must be
 * one; with `--tag`, it must be theirs, and nothing may be left unreleased or uncommitted. Then the
 * package is built, verified and packed twice, which must give the same bytes.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { messageOf } from '../../playground/n8n/errors';
import { projectFolder } from '../../playground/n8n/folders';
import { releasedVersions, releaseProblems } from './changelog';

const manifestSchema = z.object({ version: z.string() });
const lockSchema = manifestSchema.extend({
	packages: z.object({ '': manifestSchema }).passthrough(),
});

const read = async (file: string) => await readFile(join(projectFolder, file), 'utf8');

async function versionProblems(tag: string | undefined): Promise<string[]> {
	const lock = lockSchema.parse(JSON.parse(await read('package-lock.json')));
	const { version } = manifestSchema.parse(JSON.parse(await read('package.json')));
	const changelog = await read('CHANGELOG.md');
	const problems = releaseProblems({
		manifestVersion: version,
		lockVersions: [lock.version, lock.packages[''].version],
		changelog,
		tag,
		today: new Date().toISOString().slice(0, 10),
	});
	const saved = await readdir(join(projectFolder, 'test', 'engine', 'published'));
	for (const released of releasedVersions(changelog))
		if (!saved.includes(`${released}.json`))
			problems.push(
				`test/engine/published/${released}.json is missing: a workflow that was saved with ${released}, for the test that later versions still run it.`,
			);
	return problems;
}

/** Runs a command with the user's terminal attached. Gives a problem when it fails. */
function command(name: string, args: readonly string[]): string[] {
	const { status } = spawnSync(name, args, { cwd: projectFolder, stdio: 'inherit' });
	return status === 0 ? [] : [`\`${name} ${args.join(' ')}\` failed; its own message is above.`];
}

function uncommitted(): string[] {
	const { stdout } = spawnSync('git', ['status', '--porcelain'], {
		cwd: projectFolder,
		encoding: 'utf8',
	});
	return stdout.trim() ? [`There are changes that are not committed:\n${stdout}`] : [];
}

/** Builds and packs; gives the checksum of the tarball. */
async function packed(): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'delivery-service-release-'));
	try {
		const options = { cwd: projectFolder, encoding: 'utf8' } as const;
		for (const args of [
			['run', 'build'],
			['pack', '--ignore-scripts', `--pack-destination=${folder}`],
		]) {
			const { status, stdout, stderr } = spawnSync('npm', args, options);
			if (status !== 0) throw new Error(`npm ${args.join(' ')} failed:\n${stdout}${stderr}`);
		}
		const [tarball = ''] = await readdir(folder);
		return createHash('sha256')
			.update(await readFile(join(folder, tarball)))
			.digest('hex');
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

async function packProblems(): Promise<string[]> {
	const checksums = [await packed(), await packed()];
	console.log(`Packed twice: SHA-256 ${[...new Set(checksums)].join(' and ')}.`);
	return new Set(checksums).size === 1 ? [] : ['Two builds were packed into different bytes.'];
}

async function main(): Promise<void> {
	const { tag } = parseArgs({ options: { tag: { type: 'string' } } }).values;
	const problems = [
		...(await versionProblems(tag)),
		...(tag === undefined ? [] : uncommitted()),
		...command('npm', ['run', 'docs', '--', '--check']),
		...command('npm', ['run', 'verify']),
		...(await packProblems()),
	];
	for (const problem of problems) console.error(`- ${problem}`);
	if (problems.length > 0) process.exitCode = 1;
	else if (tag === undefined)
		console.log('Nothing stands in the way of a release. Tests and lint are not part of this.');
	else console.log(`${tag} can be published.`);
}

main().catch((error: unknown) => {
	console.error(messageOf(error));
	process.exitCode = 1;
});
