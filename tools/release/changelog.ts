/** A section of the changelog, as its heading gives it. */
interface Section {
	/** A version, or "Unreleased". */
	name: string;
	/** Undefined where the heading has none. */
	date?: string;
	isEmpty: boolean;
}

/** What a release is made of, as far as the files and the tag say. */
export interface Release {
	/** The versions in package.json, and in both places of package-lock.json. */
	manifestVersion: string;
	lockVersions: readonly string[];
	changelog: string;
	/** The tag that is being published; absent before there is one. */
	tag?: string;
	/** The day, as in the changelog: 2026-01-31. */
	today: string;
}

const unreleased = 'Unreleased';
const versionPattern = /^\d+\.\d+\.\d+$/;

/** The versions that a changelog says were released, the newest first. */
export function releasedVersions(changelog: string): string[] {
	return sectionsOf(changelog)
		.map(({ name }) => name)
		.filter((name) => name !== unreleased);
}

/**
 * What keeps a release from being made: each a sentence that says what to do. With a tag everything
 * must be ready; without one, only what must hold at any time.
 */
export function releaseProblems(release: Release): string[] {
	const { manifestVersion, lockVersions, changelog, tag, today } = release;
	const sections = sectionsOf(changelog);
	const [first] = sections;
	const newest = sections.find(({ name }) => name !== unreleased);
	const problems = [
		...sections.flatMap((section) => sectionProblems(section, changelog, today)),
		...orderProblems(releasedVersions(changelog)),
	];
	if (lockVersions.some((version) => version !== manifestVersion))
		problems.push(
			`package.json says ${manifestVersion}, package-lock.json ${lockVersions.join(' and ')}. Set both with npm version.`,
		);
	if (first?.name !== unreleased)
		problems.push('CHANGELOG.md must begin with the section [Unreleased], also when it is empty.');
	if (newest?.name !== manifestVersion)
		problems.push(
			`package.json says ${manifestVersion}, but the newest section of CHANGELOG.md is ${newest?.name ?? 'missing'}.`,
		);
	if (tag === undefined) return problems;
	if (tag !== `v${manifestVersion}`)
		problems.push(
			`The tag is ${tag}, but package.json says ${manifestVersion}: its tag is v${manifestVersion}.`,
		);
	if (first?.name === unreleased && !first.isEmpty)
		problems.push(
			'CHANGELOG.md has entries under [Unreleased]. Give them the version that is released.',
		);
	if (newest?.isEmpty) problems.push(`CHANGELOG.md says nothing of ${newest.name}.`);
	if (newest?.date !== undefined && newest.date > today)
		problems.push(`CHANGELOG.md: the date of ${newest.name} (${newest.date}) is to come.`);
	return problems;
}

function sectionProblems({ name, date }: Section, changelog: string, today: string): string[] {
	const problems: string[] = [];
	if (!changelog.includes(`\n[${name}]: https://`))
		problems.push(`CHANGELOG.md has no link [${name}] at its end.`);
	if (name === unreleased) return problems;
	if (!versionPattern.test(name)) problems.push(`CHANGELOG.md: ${name} is no version.`);
	if (date === undefined || Number.isNaN(Date.parse(date)))
		problems.push(`CHANGELOG.md: ${name} has no date, as in "## [${name}] - ${today}".`);
	return problems;
}

function orderProblems(versions: readonly string[]): string[] {
	const rank = (version: string) =>
		version
			.split('.')
			.map((part) => part.padStart(9, '0'))
			.join('.');
	return versions.flatMap((version, index) => {
		const older = versions[index + 1];
		return older !== undefined && rank(version) <= rank(older)
			? [`CHANGELOG.md: ${version} stands above ${older}, but is not newer.`]
			: [];
	});
}

function sectionsOf(changelog: string): Section[] {
	const headings = [...changelog.matchAll(/^## \[([^\]]+)\](?: - (\S+))?[ \t]*$/gm)];
	return headings.map((heading, index) => {
		const [whole, name = '', date] = heading;
		const begins = heading.index + whole.length;
		const ends = headings[index + 1]?.index ?? changelog.length;
		return { name, date, isEmpty: !/^- /m.test(changelog.slice(begins, ends)) };
	});
}
