import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

import { runCommand } from './childProcess';
import { SetupError } from './errors';
import { step } from './progress';

/**
 * Finds a program of the operating system, and installs Debian's package of it when it is missing
 * and this process may do that.
 *
 * @param program the program's name, as in `chromium`
 * @param debianPackage the package that holds it
 * @param folders where it may be besides the folders in PATH
 * @returns its path
 * @throws SetupError that says what to install, when it is missing and cannot be installed here
 */
export async function requireProgram(
	program: string,
	debianPackage = program,
	folders: readonly string[] = [],
): Promise<string> {
	const present = await find(program, folders);
	if (present !== undefined) return present;
	const aptGet = await find('apt-get', []);
	if (aptGet === undefined || process.getuid?.() !== 0)
		throw new SetupError(
			`${program} is needed. Install it (on Debian: sudo apt-get install ${debianPackage}), then ` +
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
	const installed = await find(program, folders);
	if (installed === undefined)
		throw new SetupError(`Debian's package ${debianPackage} brought no program ${program}.`);
	return installed;
}

async function find(program: string, folders: readonly string[]): Promise<string | undefined> {
	for (const folder of [...(process.env.PATH ?? '').split(delimiter), ...folders]) {
		const path = join(folder, program);
		try {
			await access(path, constants.X_OK);
			return path;
		} catch {
			// It is in another folder, or nowhere.
		}
	}
	return undefined;
}
