/**
 * `npm run release:check [-- --tag v1.2.3]`: everything that can be checked before publishing, except
 * for tests and lint. package.json, package-lock.json, CHANGELOG.md, README.md and the git tags must
 * agree on what is published. With `--tag`, everything must be committed and ready for this version,
 * and the author and the repository must exist; without it, what they lack is only printed. The package
 * is then built, verified and packed twice, which must produce identical bytes.
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
import { contactProblems, repositoryUrl, sourceProblems } from './origin';
import { releaseProblems } from './problems';

const versionSchema = z.object({ version: z.string() });
const manifestSchema = versionSchema.extend({
	author: z.object({ email: z.string() }),
	repository: z.object({ url: z.string() }),
});
const lockSchema = versionSchema.extend({
	packages: z.object({ '': versionSchema }).passthrough(),
});

const read = async (file: string) => await readFile(join(projectFolder, file), 'utf8');

const readManifest = async () => manifestSchema.parse(JSON.parse(await read('package.json')));

async function versionProblems(tag: string | undefined): Promise<string[]> {
	const lock = lockSchema.parse(JSON.parse(await read('package-lock.json')));
	const { version } = await readManifest();
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

/** Checks the files that tell people where to write. */
async function publisherProblems(): Promise<string[]> {
	const conduct = '.github/CODE_OF_CONDUCT.md';
	return contactProblems({
		'package.json': (await readManifest()).author.email,
		[conduct]: await read(conduct),
	});
}

async function originProblems(tag: string): Promise<string[]> {
	const { repository } = await readManifest();
	const url = repositoryUrl(repository.url);
	return url === undefined
		? [`package.json: the repository must be on GitHub, not ${repository.url}.`]
		: sourceProblems(projectFolder, url, tag);
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
	const contacts = await publisherProblems();
	const problems = [
		...(await versionProblems(tag)),
		...(tag === undefined ? [] : [...uncommitted(), ...contacts, ...(await originProblems(tag))]),
		...verifyProblems(),
		...(await packProblems()),
	];
	for (const problem of problems) console.error(`- ${problem}`);
	if (problems.length > 0) process.exitCode = 1;
	else if (tag !== undefined) console.log(`${tag} can be published.`);
	else {
		console.log('No problem found. This does not include tests and lint.');
		for (const contact of contacts) console.log(`- Before a release: ${contact}`);
		console.log('- Before a release: see "What only a person can do" in CONTRIBUTING.md.');
	}
}

main().catch((error: unknown) => {
	console.error(messageOf(error));
	process.exitCode = 1;
});
