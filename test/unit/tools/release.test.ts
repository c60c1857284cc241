import { releasedVersions, releaseProblems, type Release } from '../../../tools/release/problems';

const registryPage = 'https://www.npmjs.com/package/n8n-nodes-delivery-service';

const unpublished: Release = {
	version: '0.1.0',
	lockVersions: ['0.1.0', '0.1.0'],
	changelog: '# Changelog\n\n## Unreleased: first version\n\n- Everything\n',
	texts: { 'README.md': 'This package is not published yet.' },
	tags: [],
	today: '2026-03-02',
};

const ready: Release = {
	version: '0.2.0',
	lockVersions: ['0.2.0', '0.2.0'],
	changelog:
		'# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2026-03-01\n\n- New\n\n## 0.1.0 - 2026-01-31\n\n- All\n',
	texts: {
		'README.md': `Install it from ${registryPage}.`,
		'examples/compose.yaml': 'RUN npm install n8n-nodes-delivery-service@0.2.0',
	},
	tags: ['v0.1.0', 'v0.2.0'],
	tag: 'v0.2.0',
	today: '2026-03-02',
};

test.each([
	['before the first release', unpublished],
	['when a release is ready', ready],
	['in a clone without tags', { ...ready, tag: undefined, tags: [] }],
	[
		'with unreleased entries when nothing is being published',
		{ ...ready, tag: undefined, changelog: ready.changelog.replace('## 0.2', '- Next\n\n## 0.2') },
	],
])('release:check finds no problem %s', (_when, release) => {
	expect(releaseProblems(release)).toEqual([]);
});

test.each<[string, Partial<Release>, RegExp]>([
	[
		'a released version in the changelog only',
		{ changelog: '## 0.1.0 - 2026-01-31\n\n- All\n', texts: unpublished.texts },
		/says "not published yet", but 0\.1\.0 is released.*must say where/,
	],
	['a tag without a release in the changelog', { tags: ['v0.1.0'] }, /The tag v0\.1\.0 exists/],
	[
		'a README that does not mention the missing release',
		{ texts: { 'README.md': 'Install it.' } },
		/must say "not published yet"/,
	],
	[
		'a README that links to a page of the registry that does not exist',
		{ texts: { 'README.md': `Not published yet. ${registryPage}` } },
		/links to https:/,
	],
	[
		'a compose file that installs an unreleased version',
		{ texts: { ...unpublished.texts, 'compose.yaml': 'n8n-nodes-delivery-service@0.1.0' } },
		/compose\.yaml installs n8n-nodes-delivery-service@0\.1\.0, which is not released/,
	],
	['a first version without a section', { tag: 'v0.1.0' }, /no entries for 0\.1\.0/],
])('release:check rejects, before the first release, %s', (_what, changes, expected) => {
	expect(releaseProblems({ ...unpublished, ...changes }).join(' ')).toMatch(expected);
});

test.each<[string, Partial<Release>, RegExp]>([
	['a tag of another version', { tag: 'v0.3.0' }, /The tag is v0\.3\.0.* use v0\.2\.0/],
	['a tag without its v', { tag: '0.2.0' }, /use v0\.2\.0/],
	['another version in the lock file', { lockVersions: ['0.1.0', '0.2.0'] }, /package-lock\.json/],
	[
		'a version that is newer than the changelog',
		{ version: '0.2.1', lockVersions: ['0.2.1'], tag: undefined },
		/newest release in CHANGELOG\.md is 0\.2\.0/,
	],
	[
		'unreleased entries',
		{ changelog: ready.changelog.replace('## 0.2', '- Late\n\n## 0.2') },
		/unreleased entries/,
	],
	['a version without entries', { changelog: ready.changelog.replace('- New', '') }, /no entries/],
	['a date in the future', { today: '2026-02-28' }, /\(2026-03-01\) is in the future/],
	['a date more than a week ago', { today: '2026-03-09' }, /\(2026-03-01\) is 8 days ago/],
	[
		'a date that does not exist',
		{ changelog: ready.changelog.replace('2026-01-31', '2026-01-32'), tag: undefined },
		/0\.1\.0 has a date that doesn't exist: 2026-01-32/,
	],
	[
		'February 30',
		{ changelog: ready.changelog.replace('2026-01-31', '2026-02-30') },
		/0\.1\.0 has a date that doesn't exist: 2026-02-30/,
	],
	[
		'a release that is older than the one before it',
		{ changelog: ready.changelog.replace('2026-01-31', '2026-03-02'), tag: undefined },
		/0\.2\.0 \(2026-03-01\) is older than 0\.1\.0 \(2026-03-02\)/,
	],
	[
		'a heading without a date',
		{ changelog: ready.changelog.replace('0.1.0 - 2026-01-31', '0.1.0') },
		/"0\.1\.0" must be/,
	],
])('release:check rejects %s', (_what, changes, expected) => {
	expect(releaseProblems({ ...ready, ...changes }).join(' ')).toMatch(expected);
});

test('lists the released versions, newest first', () => {
	expect(releasedVersions(ready.changelog)).toEqual(['0.2.0', '0.1.0']);
	expect(releasedVersions(unpublished.changelog)).toEqual([]);
});
