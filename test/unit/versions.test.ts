import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../playground/n8n/folders';
import { versionOf } from '../../playground/n8n/host';

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');

test.each(['README.md', 'CONTRIBUTING.md', 'playground/README.md'])(
	'%s names only n8n versions that the tests use',
	async (file) => {
		const tested = [await versionOf('newest'), await versionOf('1.123')];
		const named = [...read(file).matchAll(/\bn8n(?:@| )(\d+\.\d+\.\d+)/g)].map(([, name]) => name);
		expect(tested).toEqual(expect.arrayContaining(named));
	},
);

test('the README names the newest n8n version that the tests use', async () => {
	expect(read('README.md')).toContain(`n8n ${await versionOf('newest')}`);
});
