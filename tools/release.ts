/**
 * `npm run release`: tags the last commit of main with the version in package.json, and pushes the tag,
 * which starts .github/workflows/publish.yml. It can run again after a rejected push. `-- --check <tag>`
 * only checks the commit and the tag, as that workflow does.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

import axios from 'axios';
import { z } from 'zod';

import { projectFolder } from '../playground/n8n/folders';

/** What must agree before a release. */
export interface Release {
	/** The version in package.json. */
	version: string;
	/** The version in package-lock.json. */
	lockVersion: string;
	/** The email address in package.json. */
	email: string;
	changelog: string;
	/** The uncommitted changes, as git lists them. */
	changes: string;
	/** Whether the last commit is on the branch main of the public repository. */
	isOnMain: boolean;
	/** The commit with the tag of this version, if there is one. */
	taggedCommit?: string;
	lastCommit: string;
	/** The URLs of the repository that did not answer, each with the reason. */
	deadUrls: readonly string[];
}

/** Domains that never receive mail (RFC 2606, RFC 6761). */
const reservedDomain = /[@.](?:test|example|invalid|localhost|example\.(?:com|net|org))$/i;

/** Returns what must be done before the release, each as a sentence. */
export function releaseProblems(release: Release): string[] {
	const { version, lockVersion, email, changelog, changes, isOnMain } = release;
	const { taggedCommit, lastCommit, deadUrls } = release;
	const escapedVersion = version.replaceAll('.', '\\.');
	const heading = new RegExp(`^## ${escapedVersion} - \\d{4}-\\d\\d-\\d\\d$`, 'm');
	const [, section = ''] = changelog.split(heading);
	return [
		changes !== '' && `There are uncommitted changes:\n${changes}`,
		!isOnMain && 'The last commit is not on the branch main of the repository. Merge it first.',
		lockVersion !== version &&
			`package.json has version ${version}, package-lock.json ${lockVersion}. Set both with npm version.`,
		!/^- /m.test(section.split(/^## /m)[0] ?? '') &&
			`CHANGELOG.md has no section "${version} - <date>" with entries.`,
		reservedDomain.test(email) &&
			`package.json: ${email} has a reserved domain. Enter an address that receives mail.`,
		taggedCommit !== undefined &&
			taggedCommit !== lastCommit &&
			`The tag v${version} is another commit. Set a new version.`,
		...deadUrls.map((url) => `A link for users leads nowhere: ${url}.`),
	].filter((problem) => problem !== false);
}

const manifestSchema = z.object({
	version: z.string(),
	homepage: z.string(),
	author: z.object({ email: z.string() }),
});

/** Returns a URL without the end of its sentence, and without what only git needs. */
function withoutEnd(url: string): string {
	return url.replace(/\.+$/, '').replace(/\.git$/, '');
}

/** Returns why a URL does not answer, for the end of a sentence; undefined if it does. */
async function urlProblem(url: string): Promise<string | undefined> {
	try {
		const { status } = await axios.head(url, { timeout: 10_000, validateStatus: () => true });
		return status < 400 ? undefined : `${url} (status ${status})`;
	} catch (error) {
		return `${url} (${error instanceof Error ? error.message : String(error)})`;
	}
}

/**
 * Checks the last commit of a clone; without a pushed tag, tags it and pushes the tag.
 *
 * @returns the problems, each as a sentence
 */
export async function release(folder: string, pushedTag?: string): Promise<string[]> {
	const git = (...args: string[]) => {
		const { status, stdout, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
		return { isFine: status === 0, output: stdout.trim(), error: stderr.trim() };
	};
	const read = (file: string) => readFileSync(join(folder, file), 'utf8');
	const { version, homepage, author } = manifestSchema.parse(JSON.parse(read('package.json')));
	const lock = z.object({ version: z.string() }).parse(JSON.parse(read('package-lock.json')));
	const tag = `v${version}`;
	// The links of nodes, examples and pages: n8n, emails and the registry show them to users.
	const [home = ''] = homepage.split('#');
	const links = git(
		'grep',
		'-ohIE',
		`${home.replaceAll('.', '\\.')}[A-Za-z0-9_./-]*`,
		'HEAD',
		'--',
		':!test',
	);
	const urls = new Set([home, ...links.output.split('\n').filter(Boolean).map(withoutEnd)]);
	const fetched = git('fetch', 'origin', 'main');
	const tagged = git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`);
	const problems = releaseProblems({
		version,
		lockVersion: lock.version,
		email: author.email,
		changelog: read('CHANGELOG.md'),
		changes: git('status', '--porcelain').output,
		isOnMain: fetched.isFine && git('merge-base', '--is-ancestor', 'HEAD', 'FETCH_HEAD').isFine,
		taggedCommit: tagged.isFine ? tagged.output : undefined,
		lastCommit: git('rev-parse', 'HEAD').output,
		deadUrls: (await Promise.all([...urls].map(urlProblem))).filter((url) => url !== undefined),
	});
	if (pushedTag !== undefined && pushedTag !== tag)
		problems.push(`The tag is ${pushedTag}, but package.json has version ${version}.`);
	if (problems.length > 0 || pushedTag !== undefined) return problems;
	git('tag', tag);
	const pushed = git('push', 'origin', tag);
	return pushed.isFine ? [] : [`git push was rejected; run this command again.\n${pushed.error}`];
}

async function main(): Promise<void> {
	const { check } = parseArgs({ options: { check: { type: 'string' } } }).values;
	const problems = await release(projectFolder, check);
	for (const problem of problems) console.error(`- ${problem}`);
	if (problems.length > 0) process.exitCode = 1;
}

if (require.main === module) void main();
