import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../../playground/n8n/folders';
import { pages } from '../../../tools/markdown';
import { commandsOf, commandsToRun, forms } from '../../../tools/docsCheck';

const named = pages().flatMap(commandsOf);

test('docs:check finds commands in the code blocks and the text of pages', () => {
	expect(named).toEqual(expect.arrayContaining(['npm start', 'npm ci', 'npm run docs:check']));
	const markdown = '```\nnpm start\n```\n\nRun `npm ci` or `npm`.\n\n```mermaid\nnpm x\n```\n';
	expect(commandsOf({ path: '', markdown })).toEqual(['npm start', 'npm ci']);
});

test('every command with a form in docs:check is in a page', () => {
	expect([...forms.keys()].filter((command) => !named.includes(command))).toEqual([]);
});

test('every command with a placeholder has a form in docs:check', () => {
	const incomplete = commandsToRun(pages())
		.map(({ command, form }) => form.run ?? command)
		.filter((run) => /<\w+>|~/.test(run));
	expect(incomplete).toEqual([]);
});

test('the test paths in commands and their forms exist', () => {
	const paths = commandsToRun(pages())
		.flatMap(({ command, form }) => [command, form.run ?? ''])
		.flatMap((text) => text.match(/\btest\/[\w./-]+/g) ?? []);
	expect(paths).toContain('test/unit');
	expect(paths.filter((path) => !existsSync(join(projectFolder, path)))).toEqual([]);
});
