/**
 * `npm run test:e2e [-- group ... options ...]`: sets the clone up where needed, then runs the
 * end-to-end tests in real n8n, all groups or those named. A group is a file `<group>.e2e.ts` in this
 * folder. What begins with a dash, and what follows it, goes to jest.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ensureInstalled, projectFolder, SetupError } from '../../tools/setup.mjs';

const folder = dirname(fileURLToPath(import.meta.url));
const ending = '.e2e.ts';
const groups = readdirSync(folder)
	.filter((name) => name.endsWith(ending))
	.map((name) => name.slice(0, -ending.length));

try {
	const given = process.argv.slice(2);
	const firstOption = given.findIndex((argument) => argument.startsWith('-'));
	const wanted = firstOption < 0 ? given : given.slice(0, firstOption);
	const options = given.slice(wanted.length);
	const unknown = wanted.filter((group) => !groups.includes(group));
	if (unknown.length > 0)
		throw new SetupError(
			`There is no group ${unknown.join(', ')}. The groups are: ${groups.join(', ')}.`,
		);
	await ensureInstalled();
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	const config = join(folder, 'jest.config.js');
	const files = wanted.map((group) => join(folder, `${group}${ending}`));
	const paths = files.length > 0 ? ['--runTestsByPath', ...files] : [];
	const args = [jest, '--config', config, '--runInBand', ...paths, ...options];
	const { status } = spawnSync(process.execPath, args, { cwd: projectFolder, stdio: 'inherit' });
	process.exitCode = status ?? 1;
} catch (error) {
	if (!(error instanceof SetupError)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}
