/**
 * `npm test`: sets the clone up where needed, then runs jest. Arguments go to jest
 * (`npm test -- test/unit`).
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, projectFolder, SetupError } from '../tools/setup.mjs';

try {
	await ensureInstalled();
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	const { status } = spawnSync(process.execPath, [jest, ...process.argv.slice(2)], {
		cwd: projectFolder,
		stdio: 'inherit',
	});
	process.exitCode = status ?? 1;
} catch (error) {
	if (!(error instanceof SetupError)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}
