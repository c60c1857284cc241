/** The files and tags that say which version is next and which ones are published. */
export interface Release {
	/** The version in package.json. */
	version: string;
	/** The two versions in package-lock.json. */
	lockVersions: readonly string[];
	changelog: string;
	/** The README and the files that install this package, by path. */
	texts: Readonly<Record<string, string>>;
	/** All version tags of the repository, e.g. v1.2.3. A shallow clone has none. */
	tags: readonly string[];
	/** The tag to publish, if any. */
	tag?: string;
	/** Today's date in UTC, e.g. 2026-01-31. */
	today: string;
}

interface Section {
	title: string;
	isUnreleased: boolean;
	/** Undefined if the title isn't a version with its date. */
	version?: string;
	date?: string;
	isEmpty: boolean;
}

/** What the README says until the first release. */
const notPublished = /not published yet/i;
const registryPage = 'https://www.npmjs.com/package/n8n-nodes-delivery-service';

/** How old the date of a release may be: an approval can take some days. */
const maxAgeDays = 7;
const dayMs = 24 * 60 * 60 * 1000;

/** Returns the versions that the changelog lists as released, newest first. */
export function releasedVersions(changelog: string): string[] {
	return sectionsOf(changelog).flatMap(({ version }) => version ?? []);
}

/**
 * Checks that package.json, the lock file, the changelog, the README and the tags agree on what is
 * published, and with a tag, that this version can be published.
 *
 * @returns the problems, each as a sentence that says what to do
 */
export function releaseProblems(release: Release): string[] {
	const { version, lockVersions, changelog, tags, tag } = release;
	const released = releasedVersions(changelog);
	const problems = sectionsOf(changelog)
		.filter((section) => !section.isUnreleased && section.version === undefined)
		.map(
			({ title }) =>
				`CHANGELOG.md: "${title}" must be "Unreleased" or a version with its date, e.g. "${version} - ${release.today}".`,
		);
	if (lockVersions.some((locked) => locked !== version))
		problems.push(
			`package.json has version ${version}, package-lock.json ${lockVersions.join(' and ')}. Set both with npm version.`,
		);
	if (released[0] !== undefined && released[0] !== version)
		problems.push(
			`package.json has version ${version}, but the newest release in CHANGELOG.md is ${released[0]}.`,
		);
	for (const published of tags.filter((name) => !released.includes(name.slice(1))))
		problems.push(`The tag ${published} exists, but CHANGELOG.md has no section for that version.`);
	problems.push(...dateProblems(changelog), ...textProblems(release.texts, released));
	return tag === undefined ? problems : [...problems, ...publishingProblems(release, tag)];
}

/** Checks that the dates of the releases exist and that no release is older than the one before it. */
function dateProblems(changelog: string): string[] {
	const dated = sectionsOf(changelog).flatMap(({ version, date }) =>
		version !== undefined && date !== undefined ? [{ version, date }] : [],
	);
	return dated.flatMap(({ version, date }, index) => {
		if (!isCalendarDay(date))
			return [`CHANGELOG.md: ${version} has a date that doesn't exist: ${date}.`];
		const before = dated[index + 1];
		return before !== undefined && date < before.date
			? [`CHANGELOG.md: ${version} (${date}) is older than ${before.version} (${before.date}).`]
			: [];
	});
}

function isCalendarDay(date: string): boolean {
	const parsed = new Date(`${date}T00:00:00Z`);
	return !Number.isNaN(parsed.getTime()) && parsed.toISOString().startsWith(date);
}

/** Checks that the README and other files only promise what is published. */
function textProblems(texts: Release['texts'], released: readonly string[]): string[] {
	const problems = Object.entries(texts).flatMap(([path, text]) =>
		[...text.matchAll(/n8n-nodes-delivery-service@(\d+\.\d+\.\d+)/g)]
			.filter(([, named = '']) => !released.includes(named))
			.map(([named]) => `${path} installs ${named}, which is not released.`),
	);
	const readme = texts['README.md'] ?? '';
	if (released.length === 0) {
		if (!notPublished.test(readme))
			problems.push('README.md must say "not published yet": CHANGELOG.md has no release.');
		if (readme.includes(registryPage))
			problems.push(`README.md links to ${registryPage}, but CHANGELOG.md has no release.`);
	} else {
		if (notPublished.test(readme))
			problems.push(`README.md says "not published yet", but ${released[0]} is released.`);
		if (!readme.includes(registryPage))
			problems.push(`README.md must say where the package is published: ${registryPage}.`);
	}
	return problems;
}

function publishingProblems({ version, changelog, today }: Release, tag: string): string[] {
	const problems: string[] = [];
	if (tag !== `v${version}`)
		problems.push(`The tag is ${tag}, but package.json has version ${version}: use v${version}.`);
	const sections = sectionsOf(changelog);
	const section = sections.find((one) => one.version === version);
	if (section === undefined || section.isEmpty)
		problems.push(`CHANGELOG.md has no entries for ${version}.`);
	if (section?.date !== undefined) {
		const ageDays = (Date.parse(today) - Date.parse(section.date)) / dayMs;
		if (ageDays < 0)
			problems.push(`CHANGELOG.md: the date of ${version} (${section.date}) is in the future.`);
		else if (ageDays > maxAgeDays)
			problems.push(
				`CHANGELOG.md: the date of ${version} (${section.date}) is ${ageDays} days ago. Enter the day of the release.`,
			);
	}
	if (sections.some(({ isUnreleased, isEmpty }) => isUnreleased && !isEmpty))
		problems.push(`CHANGELOG.md has unreleased entries. Move them to the section of ${version}.`);
	return problems;
}

function sectionsOf(changelog: string): Section[] {
	const [, ...parts] = changelog.split(/^## /m);
	return parts.map((part) => {
		const [title = '', ...lines] = part.split('\n');
		const [, version, date] = /^(\d+\.\d+\.\d+) - (\d{4}-\d{2}-\d{2})$/.exec(title) ?? [];
		return {
			title,
			isUnreleased: /^Unreleased\b/.test(title),
			version,
			date,
			isEmpty: !lines.some((line) => line.startsWith('- ')),
		};
	});
}
