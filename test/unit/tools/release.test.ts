import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { z } from 'zod';

import { release, releaseProblems, type Release } from '../../../tools/release';

const ready: Release = {
	version: '0.2.0',
	lockVersion: '0.2.0',
	email: 'hello@larch-and-linen.com',
	changelog:
		'# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-03-01\n\n- New\n\n## 0.1.0 - 2026-01-31\n\n- All\n',
	changes: '',
	isOnMain: true,
	lastCommit: 'a1',
	deadUrls: [],
};

test.each([
	['before it is tagged', ready],
	['after a rejected push of its tag', { ...ready, taggedCommit: 'a1' }],
])('finds no problem in a release %s', (_when, release) => {
	expect(releaseProblems(release)).toEqual([]);
});

test.each<[string, Partial<Release>, RegExp]>([
	['uncommitted changes', { changes: ' M README.md' }, /uncommitted changes:\n M README\.md/],
	['a commit that is not on main', { isOnMain: false }, /not on the branch main/],
	['another version in the lock file', { lockVersion: '0.1.0' }, /package-lock\.json 0\.1\.0/],
	[
		'a version without a section',
		{ version: '0.3.0', lockVersion: '0.3.0' },
		/no section "0\.3\.0/,
	],
	['a version without a date', { changelog: '## 0.2.0\n\n- New\n' }, /no section/],
	['a section without entries', { changelog: ready.changelog.replace('- New', '') }, /no section/],
	[
		'an author at a reserved domain',
		{ email: 'us@shop.example' },
		/us@shop\.example has a reserved/,
	],
	[
		'a dead link',
		{ deadUrls: ['https://shop.example/docs (status 404)'] },
		/leads nowhere: https:\/\/shop\.example\/docs \(status 404\)\.$/,
	],
	['a tag of another commit', { taggedCommit: 'b2' }, /The tag v0\.2\.0 is another commit/],
])('rejects a release with %s', (_what, changes, expected) => {
	const problems = releaseProblems({ ...ready, ...changes });
	expect(problems).toEqual([expect.stringMatching(expected)]);
});

function portOf(server: Server): number {
	return z.object({ port: z.number() }).parse(server.address()).port;
}

test('npm run release checks the links, tags and pushes, and again after a rejected push', async () => {
	const found = new Set(['/mugs', '/mugs/blob/main/docs/email.md']);
	const server = createServer(({ url = '' }, response) => {
		response.writeHead(found.has(url) ? 200 : 404).end();
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const home = `http://127.0.0.1:${portOf(server)}/mugs`;
	const folder = mkdtempSync(join(tmpdir(), 'delivery-service-release-'));
	const [origin, clone] = [join(folder, 'origin.git'), join(folder, 'clone')];
	const git = (cwd: string, ...args: string[]) =>
		execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@localhost', ...args], {
			cwd,
			encoding: 'utf8',
			stdio: 'pipe',
		});
	try {
		git(folder, 'init', '--quiet', '--bare', '--initial-branch=main', origin);
		git(folder, 'clone', '--quiet', origin, clone);
		const manifest = {
			version: '0.2.0',
			homepage: `${home}#readme`,
			author: { email: ready.email },
		};
		writeFileSync(join(clone, 'package.json'), JSON.stringify(manifest));
		writeFileSync(join(clone, 'package-lock.json'), JSON.stringify(manifest));
		writeFileSync(join(clone, 'CHANGELOG.md'), ready.changelog);
		const links = ['docs/email.md#unknown-delivery', 'docs/email.md.', 'docs/gone.md)'];
		writeFileSync(
			join(clone, 'example.json'),
			JSON.stringify(links.map((link) => `Help: ${home}/blob/main/${link}`)),
		);
		git(clone, 'add', '.');
		git(clone, 'commit', '--quiet', '--message=Release');
		expect(await release(clone)).toEqual([
			expect.stringContaining('not on the branch main'),
			`A link for users leads nowhere: ${home}/blob/main/docs/gone.md (status 404).`,
		]);
		found.add('/mugs/blob/main/docs/gone.md');
		git(clone, 'push', '--quiet', 'origin', 'HEAD:main');
		mkdirSync(join(origin, 'hooks'), { recursive: true });
		writeFileSync(join(origin, 'hooks/pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
		expect(await release(clone)).toEqual([
			expect.stringMatching(/^git push was rejected; run this/),
		]);
		rmSync(join(origin, 'hooks/pre-receive'));

		expect(await release(clone)).toEqual([]);

		expect(git(origin, 'tag')).toBe('v0.2.0\n');
		expect(await release(clone, 'v0.2.0')).toEqual([]);
		expect(await release(clone, 'v0.3.0')).toEqual([expect.stringContaining('The tag is v0.3.0')]);
		server.close();
		expect(await release(clone, 'v0.2.0')).toContainEqual(
			expect.stringMatching(/^A link for users leads nowhere: .*\/mugs \(connect ECONNREFUSED/),
		);
	} finally {
		server.close();
		rmSync(folder, { recursive: true });
	}
});
