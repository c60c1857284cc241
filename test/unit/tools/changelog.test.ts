import { releasedVersions, releaseProblems, type Release } from '../../../tools/release/changelog';

const link = (name: string) => `[${name}]: https://example.com/${name}`;

function changelogOf(...sections: Array<[heading: string, ...entries: string[]]>): string {
	const names = sections.map(([heading]) => /\[([^\]]+)\]/.exec(heading)?.[1] ?? '');
	return [
		'# Changelog',
		...sections.map(([heading, ...entries]) => [`## ${heading}`, ...entries].join('\n\n')),
		names.map(link).join('\n'),
		'',
	].join('\n\n');
}

const ready: Release = {
	manifestVersion: '0.2.0',
	lockVersions: ['0.2.0', '0.2.0'],
	changelog: changelogOf(
		['[Unreleased]'],
		['[0.2.0] - 2026-03-01', '- Something new'],
		['[0.1.0] - 2026-01-31', '- All of it'],
	),
	tag: 'v0.2.0',
	today: '2026-03-02',
};

test('a release that is ready has no problems, nor has the time before its tag', () => {
	expect(releaseProblems(ready)).toEqual([]);
	const changelog = changelogOf(
		['[Unreleased]', '- Coming'],
		['[0.2.0] - 2026-03-01', '- Something new'],
	);
	expect(releaseProblems({ ...ready, changelog, tag: undefined })).toEqual([]);
});

test('without a tag, nothing depends on the day', () => {
	expect(releaseProblems({ ...ready, tag: undefined, today: '2020-01-01' })).toEqual([]);
});

test.each<[string, Partial<Release>, RegExp]>([
	[
		'a tag of another version',
		{ tag: 'v0.3.0' },
		/tag is v0\.3\.0, but package\.json says 0\.2\.0/,
	],
	['a tag without its letter', { tag: '0.2.0' }, /its tag is v0\.2\.0/],
	['another version in the lock file', { lockVersions: ['0.1.0', '0.2.0'] }, /package-lock\.json/],
	[
		'another version in the manifest',
		{ manifestVersion: '0.2.1', lockVersions: ['0.2.1'], tag: 'v0.2.1' },
		/newest section of CHANGELOG\.md is 0\.2\.0/,
	],
	[
		'entries that are not released',
		{ changelog: changelogOf(['[Unreleased]', '- Late'], ['[0.2.0] - 2026-03-01', '- New']) },
		/entries under \[Unreleased\]/,
	],
	[
		'a version of which nothing is said',
		{ changelog: changelogOf(['[Unreleased]'], ['[0.2.0] - 2026-03-01']) },
		/says nothing of 0\.2\.0/,
	],
	[
		'no section for what comes next',
		{ changelog: changelogOf(['[0.2.0] - 2026-03-01', '- New']) },
		/must begin with the section \[Unreleased\]/,
	],
	[
		'a version without a date',
		{ changelog: changelogOf(['[Unreleased]'], ['[0.2.0]', '- New']) },
		/0\.2\.0 has no date/,
	],
	[
		'a date to come',
		{ changelog: changelogOf(['[Unreleased]'], ['[0.2.0] - 2026-03-03', '- New']) },
		/2026-03-03\) is to come/,
	],
	[
		'a version without a link',
		{ changelog: ready.changelog.replace(link('0.2.0'), '') },
		/no link \[0\.2\.0\]/,
	],
	[
		'versions out of order',
		{
			changelog: changelogOf(
				['[Unreleased]'],
				['[0.2.0] - 2026-03-01', '- New'],
				['[0.10.0] - 2026-02-01', '- Old'],
			),
		},
		/0\.2\.0 stands above 0\.10\.0, but is not newer/,
	],
])('%s is a problem', (_what, changes, expected) => {
	expect(releaseProblems({ ...ready, ...changes })).toEqual([expect.stringMatching(expected)]);
});

test('the released versions are those with a section of their own, the newest first', () => {
	expect(releasedVersions(ready.changelog)).toEqual(['0.2.0', '0.1.0']);
});
