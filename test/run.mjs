/**
 * `npm test`: sets the clone up where needed, then runs all tests with coverage. Arguments go to jest
 * in place of that (`npm test -- test/unit`): a part of the tests covers a part of the code. Snapshots
 * are written only with `--updateSnapshot`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, reportSetupError, projectFolder } from '../tools/setup.mjs';

await reportSetupError(async () => {
	await ensureInstalled();
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	const given = process.argv.slice(2);
	const args = ['--ci', ...(given.length > 0 ? given : ['--coverage'])];
	const { status } = spawnSync(process.execPath, [jest, ...args], {
		cwd: projectFolder,
		stdio: 'inherit',
	});
	process.exitCode = status ?? 1;
});
