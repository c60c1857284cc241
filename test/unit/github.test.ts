/** This project's rules for the GitHub workflows. `npm run lint` checks their syntax. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import manifest from '../../package.json';
import { projectFolder } from '../../playground/n8n/folders';

const folder = join(projectFolder, '.github/workflows');
const workflows = readdirSync(folder).map((file) => ({
	file,
	text: readFileSync(join(folder, file), 'utf8'),
}));
const textOf = (name: string) => workflows.find(({ file }) => file === name)?.text ?? '';

test.each(workflows)('$file runs only npm scripts that exist', ({ text }) => {
	const named = [...text.matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g)].map(
		([, script, short]) => script ?? short,
	);
	expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named));
});

test.each(workflows)('$file pins actions by commit and stores no credentials', ({ text }) => {
	for (const [, action] of text.matchAll(/uses: (.+)/g))
		expect(action).toMatch(/^(\.\/\.github\/workflows\/\S+|\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
	expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
	const count = (pattern: RegExp) => [...text.matchAll(pattern)].length;
	expect(count(/persist-credentials: false/g)).toBe(count(/actions\/checkout@/g));
});

test('CI runs every end-to-end group', () => {
	const groups = readdirSync(join(projectFolder, 'test/e2e'))
		.filter((name) => name.endsWith('.e2e.ts'))
		.map((name) => name.replace('.e2e.ts', ''));
	const [, list = ''] = /\n +groups:\n((?: +- .+\n)+)/.exec(textOf('ci.yml')) ?? [];
	expect(list.replaceAll('- ', '').trim().split(/\s+/).sort()).toEqual(groups.sort());
});

test('only the publish job has write permissions, after CI and the release check', () => {
	const writes = workflows.flatMap(({ text }) => text.match(/\S+: write/g) ?? []);
	expect(writes).toEqual(['id-token: write']);
	const [, publish = ''] = textOf('publish.yml').split(/^ {2}publish:\n/m);
	expect(publish).toMatch(
		/needs: ci\n[^]*id-token: write[^]*release:check -- --tag[^]*npm publish/,
	);
});

test('every path in CODEOWNERS exists', () => {
	const text = readFileSync(join(projectFolder, '.github/CODEOWNERS'), 'utf8');
	const paths = [...text.matchAll(/^(\/\S+)/gm)].map(([, path = '']) => path);
	expect(paths.filter((path) => !existsSync(join(projectFolder, path)))).toEqual([]);
	expect(paths).toContain('/.github/');
});
