import { CommandError, runCommand } from './childProcess';
import { SetupError } from './errors';

const networkError =
	/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT/;
const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

/**
 * Runs npm.
 *
 * @param args its arguments
 * @param options the working folder, the log file and more environment variables
 * @returns its output
 * @throws SetupError if the package registry cannot be reached or the disk is full; CommandError if
 * npm fails for another reason
 */
export async function npm(
	args: string[],
	options: { cwd: string; logFile: string; env?: NodeJS.ProcessEnv },
): Promise<string> {
	try {
		return await runCommand('npm', [...args, ...quiet], options);
	} catch (error) {
		if (!(error instanceof CommandError)) throw error;
		if (networkError.test(error.output)) {
			const [detail = ''] = /request to .*/.exec(error.output) ?? [];
			throw new SetupError(
				'npm could not reach its package registry. Check the network and proxy settings, then run ' +
					`the same command again.\n${detail}`,
			);
		}
		if (error.output.includes('ENOSPC')) {
			throw new SetupError('The disk is full. Free some space, then run the same command again.');
		}
		throw error;
	}
}
