import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { runCommand } from './childProcess';
import { SetupError } from './errors';
import { step } from './progress';

/**
 * Finds a system program, or installs its Debian package if this process has the permission.
 *
 * @param program the program's name, e.g. `chromium`
 * @param debianPackage the package that contains it
 * @param folders folders to search after those in PATH
 * @returns its path
 * @throws SetupError that says what to install if it is missing and cannot be installed here
 */
export async function requireProgram(
	program: string,
	debianPackage = program,
	folders: readonly string[] = [],
): Promise<string> {
	const existing = await findProgram(program, folders);
	if (existing !== undefined) return existing;
	const aptGet = await findProgram('apt-get', []);
	if (aptGet === undefined || process.getuid?.() !== 0)
		throw new SetupError(
			`${program} is required. Install it (on Debian: sudo apt-get install ${debianPackage}), then ` +
				'run the same command again.',
		);
	await step(`Installing ${debianPackage}`, async () => {
		const options = {
			cwd: tmpdir(),
			env: { DEBIAN_FRONTEND: 'noninteractive' },
			logFile: join(tmpdir(), `install-${debianPackage}.log`),
		};
		await runCommand(aptGet, ['update'], options);
		const install = ['install', '--yes', '--no-install-recommends', debianPackage];
		await runCommand(aptGet, install, options);
	});
	const installed = await findProgram(program, folders);
	if (installed === undefined)
		throw new SetupError(
			`Debian's package ${debianPackage} does not contain the program ${program}.`,
		);
	return installed;
}

async function findProgram(
	program: string,
	folders: readonly string[],
): Promise<string | undefined> {
	for (const folder of [...(process.env.PATH ?? '').split(delimiter), ...folders]) {
		const path = join(folder, program);
		try {
			await access(path, constants.X_OK);
			return path;
		} catch {
			// Try the next folder.
		}
	}
	return undefined;
}
