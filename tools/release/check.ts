/**
 * `npm run release:check [-- --tag v1.2.3]`: everything that can be checked before publishing, except
 * for tests and lint. package.json, package-lock.json, CHANGELOG.md, README.md and the git tags must
 * agree on what is published. With `--tag`, everything must be committed and ready for this version.
 * The package is then built, verified and packed twice, which must produce identical bytes.
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
import { releaseProblems } from './problems';

const manifestSchema = z.object({ version: z.string() });
const lockSchema = manifestSchema.extend({
	packages: z.object({ '': manifestSchema }).passthrough(),
});

const read = async (file: string) => await readFile(join(projectFolder, file), 'utf8');

async function versionProblems(tag: string | undefined): Promise<string[]> {
	const lock = lockSchema.parse(JSON.parse(await read('package-lock.json')));
	const { version } = manifestSchema.parse(JSON.parse(await read('package.json')));
	const texts: Record<string, string> = {};
	for (const path of ['README.md', 'examples/compose.yaml']) texts[path] = await read(path);
	return releaseProblems({
		version,
		lockVersions: [lock.version, lock.packages[''].version],
		changelog: await read('CHANGELOG.md'),
		texts,
		tags: git('tag', '--list', 'v*').split('\n').filter(Boolean),
		tag,
		today: new Date().toISOString().slice(0, 10),
	});
}

function git(...args: string[]): string {
	const { status, stdout, stderr } = spawnSync('git', args, {
		cwd: projectFolder,
		encoding: 'utf8',
	});
	if (status !== 0) throw new Error(`git ${args.join(' ')} failed:\n${stderr}`);
	return stdout.trim();
}

function verifyProblems(): string[] {
	const { status } = spawnSync('npm', ['run', 'verify'], { cwd: projectFolder, stdio: 'inherit' });
	return status === 0 ? [] : ['`npm run verify` failed; see its message above.'];
}

function uncommitted(): string[] {
	const changes = git('status', '--porcelain');
	return changes === '' ? [] : [`There are uncommitted changes:\n${changes}`];
}

/** Builds and packs. Returns the checksum of the tarball. */
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
	return new Set(checksums).size === 1
		? []
		: ['Two builds of the same sources were packed into different bytes.'];
}

async function main(): Promise<void> {
	const { tag } = parseArgs({ options: { tag: { type: 'string' } } }).values;
	const problems = [
		...(await versionProblems(tag)),
		...(tag === undefined ? [] : uncommitted()),
		...verifyProblems(),
		...(await packProblems()),
	];
	for (const problem of problems) console.error(`- ${problem}`);
	if (problems.length > 0) process.exitCode = 1;
	else if (tag === undefined)
		console.log('Ready for a release. This does not include tests and lint.');
	else console.log(`${tag} can be published.`);
}

main().catch((error: unknown) => {
	console.error(messageOf(error));
	process.exitCode = 1;
});
