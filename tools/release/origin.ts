import { spawnSync } from 'node:child_process';

const emails = /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g;

/** Domains that never receive mail (RFC 2606, RFC 6761). */
const reservedDomain = /(?:^|[@.])(?:test|example|invalid|localhost|example\.(?:com|net|org))$/i;

/**
 * Checks that people who write to the maintainers reach them.
 *
 * @param texts the texts that contain the addresses, by path
 * @returns the problems, each as a sentence that says what to do
 */
export function contactProblems(texts: Readonly<Record<string, string>>): string[] {
	return Object.entries(texts).flatMap(([path, text]) => {
		const found = text.match(emails) ?? [];
		if (found.length === 0) return [`${path} must contain an email address.`];
		return found
			.filter((email) => reservedDomain.test(email))
			.map(
				(email) => `${path}: ${email} has a reserved domain. Enter an address that receives mail.`,
			);
	});
}

/** Returns the URL to clone from, or undefined if it is not a repository on GitHub. */
export function repositoryUrl(url: string): string | undefined {
	return /^git\+(https:\/\/github\.com\/[\w.-]+\/[\w.-]+\.git)$/.exec(url)?.[1];
}

/**
 * Checks that anyone can read the repository, that the last commit is on its branch main, and that an
 * existing tag is this commit.
 *
 * @param folder a clone with its whole history
 * @param repository the URL of the public repository
 * @param tag the tag to publish, which may not exist yet
 * @returns the problems, each as a sentence that says what to do
 */
export function sourceProblems(folder: string, repository: string, tag: string): string[] {
	const git = (...args: string[]) =>
		spawnSync('git', args, {
			cwd: folder,
			encoding: 'utf8',
			env: { ...process.env, GIT_TERMINAL_PROMPT: '0' },
		});
	const problems: string[] = [];
	const tagged = git('rev-parse', '--verify', '--quiet', `refs/tags/${tag}^{commit}`);
	const head = git('rev-parse', 'HEAD').stdout;
	if (tagged.status === 0 && tagged.stdout !== head)
		problems.push(`The tag ${tag} is another commit than the one that is checked out.`);
	// Without stored passwords, so that a private repository counts as missing.
	const fetched = git('-c', 'credential.helper=', 'fetch', '--quiet', repository, 'main');
	if (fetched.status !== 0)
		problems.push(
			`Not everyone can read the branch main of ${repository}: ${fetched.stderr.trim()}`,
		);
	else if (git('merge-base', '--is-ancestor', 'HEAD', 'FETCH_HEAD').status !== 0)
		problems.push(`The last commit is not on the branch main of ${repository}. Merge it first.`);
	return problems;
}
