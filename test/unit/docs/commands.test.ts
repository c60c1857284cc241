import { existsSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../../playground/n8n/folders';
import { pages } from '../../../tools/markdown';
import { commandsOf, commandsToRun, forms } from '../../../tools/docsCheck/commands';

const named = pages().flatMap(commandsOf);

test('the commands of the pages are found, in their blocks and in their text', () => {
	expect(named).toEqual(expect.arrayContaining(['npm start', 'npm ci', 'npm run docs:check']));
	const markdown = '```\nnpm start\n```\n\nRun `npm ci` or `npm`.\n\n```mermaid\nnpm x\n```\n';
	expect(commandsOf({ path: '', markdown })).toEqual(['npm start', 'npm ci']);
});

test('every form is one of a command that a page names', () => {
	expect([...forms.keys()].filter((command) => !named.includes(command))).toEqual([]);
});

test('what cannot be run as it stands has a form', () => {
	const open = commandsToRun(pages())
		.map(({ command, form }) => form.run ?? command)
		.filter((run) => /<\w+>|~/.test(run));
	expect(open).toEqual([]);
});

test('the tests that a command or its form runs are there', () => {
	const paths = commandsToRun(pages())
		.flatMap(({ command, form }) => [command, form.run ?? ''])
		.flatMap((text) => text.match(/\btest\/[\w./-]+/g) ?? []);
	expect(paths).toContain('test/unit');
	expect(paths.filter((path) => !existsSync(join(projectFolder, path)))).toEqual([]);
});
