import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { contactProblems, repositoryUrl, sourceProblems } from '../../../tools/release/origin';

test.each([
	'integrations@delivery-service.example',
	'hello@example.com',
	'hello@mail.EXAMPLE.org',
	'hello@shop.test',
	'hello@shop.invalid',
	'root@mail.localhost',
])('release:check rejects an author at a reserved domain: %s', (email) => {
	expect(contactProblems({ 'package.json': email })).toEqual([
		`package.json: ${email} has a reserved domain. Enter an address that receives mail.`,
	]);
});

test('release:check finds a reserved domain within a text', () => {
	const texts = { 'CONDUCT.md': 'Write to us@shop.example. We reply.' };
	expect(contactProblems(texts)).toEqual([
		'CONDUCT.md: us@shop.example has a reserved domain. Enter an address that receives mail.',
	]);
});

test('release:check rejects a text without an email address', () => {
	expect(contactProblems({ 'package.json': '' })).toEqual([
		'package.json must contain an email address.',
	]);
});

test.each(['hello@larch-and-linen.com', 'hello@myexample.com', 'hello@example.shop.io'])(
	'release:check accepts an author at a domain that may exist: %s',
	(email) => {
		expect(contactProblems({ 'package.json': email })).toEqual([]);
	},
);

test.each<[string, string | undefined]>([
	['git+https://github.com/shop/package.git', 'https://github.com/shop/package.git'],
	['https://example.com/shop/package.git', undefined],
	['git+ssh://git@github.com/shop/package.git', undefined],
])('release:check reads the repository %s as %s', (url, expected) => {
	expect(repositoryUrl(url)).toBe(expected);
});

describe('release:check in a clone', () => {
	let folder: string;
	let repository: string;
	let clone: string;

	const git = (...args: string[]) =>
		execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
			cwd: clone,
			stdio: 'pipe',
		});
	const commit = (message: string) => git('commit', '--quiet', '--allow-empty', `-m${message}`);

	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), 'delivery-service-release-'));
		repository = join(folder, 'public.git');
		clone = folder;
		git('init', '--quiet', '--bare', '--initial-branch=main', repository);
		clone = join(folder, 'clone');
		execFileSync('git', ['init', '--quiet', '--initial-branch=main', clone]);
		commit('First');
		git('push', '--quiet', repository, 'main');
	});

	afterEach(() => {
		rmSync(folder, { recursive: true });
	});

	test('release:check accepts a commit on main before and after it is tagged', () => {
		expect(sourceProblems(clone, repository, 'v0.1.0')).toEqual([]);
		git('tag', '-m', 'Release', 'v0.1.0');
		expect(sourceProblems(clone, repository, 'v0.1.0')).toEqual([]);
	});

	test('release:check accepts an older commit of main', () => {
		git('tag', 'v0.1.0');
		commit('Second');
		git('push', '--quiet', repository, 'main');
		git('checkout', '--quiet', 'v0.1.0');
		expect(sourceProblems(clone, repository, 'v0.1.0')).toEqual([]);
	});

	test('release:check rejects a tag that is not on main', () => {
		git('checkout', '--quiet', '-b', 'feature');
		commit('Not merged');
		git('tag', 'v0.1.0');
		git('push', '--quiet', repository, 'feature', 'v0.1.0');
		expect(sourceProblems(clone, repository, 'v0.1.0')).toEqual([
			`The last commit is not on the branch main of ${repository}. Merge it first.`,
		]);
	});

	test('release:check rejects a tag of another commit', () => {
		git('tag', 'v0.1.0');
		commit('Second');
		git('push', '--quiet', repository, 'main');
		expect(sourceProblems(clone, repository, 'v0.1.0')).toEqual([
			'The tag v0.1.0 is another commit than the one that is checked out.',
		]);
	});

	test('release:check rejects a repository that does not exist', () => {
		const missing = join(folder, 'missing.git');
		expect(sourceProblems(clone, missing, 'v0.1.0').join()).toMatch(
			/^Not everyone can read the branch main of .+missing\.git: /,
		);
	});
});
