/** The code cites sections of docs/api.md that exist. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../../playground/n8n/folders';
import { page } from '../../../tools/markdown';

const folders = ['nodes', 'credentials', 'playground', 'test', 'bench', 'tools'];

/** The code, with comments that go over several lines joined. */
function code(): Array<{ file: string; text: string }> {
	const listed = execFileSync('git', ['ls-files', ...folders], {
		cwd: projectFolder,
		encoding: 'utf8',
	});
	return listed
		.split('\n')
		.filter((file) => /\.(ts|mjs|cjs|js)$/.test(file) && existsSync(join(projectFolder, file)))
		.map((file) => {
			const text = readFileSync(join(projectFolder, file), 'utf8');
			return { file, text: text.replace(/\n\s*(\*|\/\/) /g, ' ') };
		});
}

test('the code cites only sections that docs/api.md has', () => {
	const headings = [...page('docs/api.md').markdown.matchAll(/^##+ (\d(?:\.\d)?)\.? /gm)];
	const sections = new Set(headings.map(([, number]) => number));
	const cited = code().flatMap(({ file, text }) =>
		[...text.matchAll(/docs\/api\.md, sections? ((?:\d(?:\.\d)?(?:, | and | to )?)+)/g)].flatMap(
			([, numbers = '']) =>
				numbers.split(/, | and | to /).map((number) => ({ file, number: number.trim() })),
		),
	);
	expect(cited.length).toBeGreaterThan(50);
	expect(cited.filter(({ number }) => number !== '' && !sections.has(number))).toEqual([]);
});

test('each cited section names docs/api.md', () => {
	const unnamed = code().flatMap(({ file, text }) =>
		[...text.matchAll(/.{0,40}(?<!docs\/api\.md, )\bsections? \d(?:\.\d)?\b/g)].map(
			([found]) => `${file}: ${found}`,
		),
	);
	expect(unnamed).toEqual([]);
});
