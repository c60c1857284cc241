/**
 * `npm test`: installs what is missing, then runs all tests, or what the arguments for jest say
 * (`npm test -- test/unit`). Snapshots are written only with `--updateSnapshot`.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, reportSetupError, projectFolder } from '../tools/setup.mjs';

await reportSetupError(async () => {
	await ensureInstalled();
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	const { status } = spawnSync(process.execPath, [jest, '--ci', ...process.argv.slice(2)], {
		cwd: projectFolder,
		stdio: 'inherit',
	});
	process.exitCode = status ?? 1;
});
