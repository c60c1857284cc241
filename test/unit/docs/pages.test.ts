import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

import manifest from '../../../package.json';
import { projectFolder } from '../../../playground/n8n/folders';
import {
	anchorsOf,
	codesIn,
	linksOf,
	page,
	pages,
	section,
	tablesOf,
	type Page,
} from '../../../tools/markdown';

const home = manifest.homepage.split('#')[0] ?? '';

/** Why a link of a page is broken; undefined if it is fine. Other sites are not checked. */
function linkProblem({ path }: Page, target: string): string | undefined {
	if (/^https?:/.test(target)) return undefined;
	const [file = '', anchor] = target.split('#');
	const linked = file === '' ? path : posix.join(dirname(path), file);
	if (!existsSync(join(projectFolder, linked))) return `${path}: ${target} does not exist`;
	if (anchor === undefined || anchorsOf(page(linked)).has(anchor)) return undefined;
	return `${path}: ${linked} has no heading ${anchor}`;
}

test('every link and anchor between the pages resolves', () => {
	const links = pages().flatMap((from) => linksOf(from).map((target) => ({ from, target })));
	expect(links.length).toBeGreaterThan(50);
	expect(links.flatMap(({ from, target }) => linkProblem(from, target) ?? [])).toEqual([]);
});

/** The links of what n8n, emails and GitHub show to users, as paths in the repository. */
function linksToRepository(): string[] {
	const files = execFileSync('git', ['ls-files', 'nodes', 'credentials', 'examples', '.github'], {
		cwd: projectFolder,
		encoding: 'utf8',
	});
	// The anchor of an email is an expression. Its values are checked with the emails.
	const pattern = new RegExp(`${home}[\\w./-]*(?:#[\\w-]+)?`, 'g');
	return files
		.trim()
		.split('\n')
		.flatMap((file) => readFileSync(join(projectFolder, file), 'utf8').match(pattern) ?? [])
		.map((url) => url.slice(home.length).replace(/\.$/, ''));
}

test('every link from the nodes and the examples to the repository leads to a page and its heading', () => {
	const links = [...linksToRepository(), manifest.homepage.slice(home.length)];
	const readme = links.filter((link) => link.startsWith('#')).map((link) => link.slice(1));
	const known = new Set(['readme', ...anchorsOf(page('README.md'))]);
	const inPages = links.flatMap((link) => /^\/blob\/main\/(.+)$/.exec(link)?.[1] ?? []);
	expect(readme.length).toBeGreaterThan(3);
	expect(inPages.length).toBeGreaterThan(10);
	expect(readme.filter((anchor) => !known.has(anchor))).toEqual([]);
	expect(inPages.flatMap((link) => linkProblem(page('README.md'), link) ?? [])).toEqual([]);
});

test('the README links every page, and every page has one title', () => {
	const linked = linksOf(page('README.md')).map((target) => target.split('#')[0]);
	const docs = pages().filter(({ path }) => path.startsWith('docs/'));
	expect(docs.map(({ path }) => path).filter((path) => !linked.includes(path))).toEqual([]);
	const titles = docs.map(({ markdown }) => markdown.match(/^# .+$/gm)?.length);
	expect(titles.filter((count) => count !== 1)).toEqual([]);
});

test('no command is in two tables', () => {
	const commands = pages()
		.filter(({ path }) => path !== 'CHANGELOG.md')
		.flatMap(({ path, markdown }) =>
			tablesOf(markdown)
				.flat()
				.flatMap(([cell = '']) => codesIn(cell))
				.filter((code) => /(^|\s)(npm|npx|docker) /.test(code))
				.map((code) => ({ code, path })),
		);
	expect(commands.length).toBeGreaterThan(10);
	const duplicates = commands.filter(
		({ code }) => commands.filter((c) => c.code === code).length > 1,
	);
	expect(duplicates).toEqual([]);
});

test('CONTRIBUTING.md lists every npm script, and every script in the docs exists', () => {
	const scripts = new Set(Object.keys(manifest.scripts));
	const named = (markdown: string) =>
		[...markdown.matchAll(/\bnpm (?:run ([\w:]+)|(test|start)\b)/g)].map(
			([, script, short]) => script ?? short ?? '',
		);
	const all = pages().flatMap(({ path, markdown }) => (path === 'CHANGELOG.md' ? [] : [markdown]));
	expect(all.flatMap(named).filter((script) => !scripts.has(script))).toEqual([]);
	const first = tablesOf(section(page('CONTRIBUTING.md'), 'Commands'))
		.flat()
		.map(([cell = '']) => cell);
	expect([...scripts].filter((script) => !first.flatMap(named).includes(script))).toEqual([]);
});
