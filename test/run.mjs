/**
 * `npm test`: installs what is missing, then runs all tests with coverage. With arguments, passes them
 * to jest instead, without coverage (`npm test -- test/unit`). Snapshots are written only with
 * `--updateSnapshot`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, reportSetupError, projectFolder } from '../tools/setup.mjs';

await reportSetupError(async () => {
	await ensureInstalled();
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	const jestArguments = process.argv.slice(2);
	const args = ['--ci', ...(jestArguments.length > 0 ? jestArguments : ['--coverage'])];
	const { status } = spawnSync(process.execPath, [jest, ...args], {
		cwd: projectFolder,
		stdio: 'inherit',
	});
	process.exitCode = status ?? 1;
});
