import { CommandError, runCommand } from './childProcess';
import { SetupError } from './errors';

const networkTrouble =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/;
const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/**
 * Runs npm. `options` are the folder to run it in, where its output goes, and more environment
 * variables. Gives what it wrote. Throws a SetupError when the package registry cannot be reached
 * or the disk is full; CommandError when it fails for another reason.
 */
export async function npm(
	args: string[],
	options: { cwd: string; logFile: string; env?: NodeJS.ProcessEnv },
): Promise<string> {
	try {
		return await runCommand('npm', [...args, ...quiet], options);
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		if (networkTrouble.test(error.output)) {
			const [detail = ''] = /request to .*/.exec(error.output) ?? [];
			throw new SetupError(
				'npm could not reach its package registry. Is there a network, or a proxy to set? Then ' +
					`run the same command again.\n${detail}`,
			);
		}
		if (error.output.includes('ENOSPC')) {
			throw new SetupError(`The disk is full: free some space, then run the same command again.`);
		}
		throw error;
	}
}
