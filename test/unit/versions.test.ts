import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../playground/n8n/folders';
import { versionOf } from '../../playground/n8n/host';

const read = (file: string) => readFileSync(join(projectFolder, file), 'utf8');

test.each(['README.md', 'CONTRIBUTING.md', 'playground/README.md'])(
	'%s names only n8n versions that this package is tried with',
	async (file) => {
		const tried = [await versionOf('newest'), await versionOf('1.123')];
		const named = [...read(file).matchAll(/\bn8n(?:@| )(\d+\.\d+\.\d+)/g)].map(([, name]) => name);
		expect(tried).toEqual(expect.arrayContaining(named));
	},
);

test('the README names the newest n8n that this package is tried with', async () => {
	expect(read('README.md')).toContain(`n8n ${await versionOf('newest')}`);
});
