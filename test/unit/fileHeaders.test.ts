import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../playground/n8n/folders';

const files = ['nodes', 'credentials'].flatMap((folder) =>
	readdirSync(join(projectFolder, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => join(folder, file)),
);

test('each file of the package says in its first lines what it owns', () => {
	const silent = files.filter(
		(file) => !readFileSync(join(projectFolder, file), 'utf8').startsWith('/**'),
	);
	expect(files.length).toBeGreaterThan(50);
	expect(silent).toEqual([]);
});
