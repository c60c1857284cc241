/**
 * `npm start`: installs what is missing, then runs start.ts. Plain JavaScript without dependencies,
 * so that it works in a fresh clone.
 */
import { ensureInstalled, SetupError } from '../../tools/setup.mjs';
import { readOptions } from './options.mjs';

const { options, message, exitCode } = readOptions(process.argv.slice(2));
if (options === undefined) {
	console.log(message);
	process.exitCode = exitCode;
} else {
	try {
		await ensureInstalled();
		const tsx = await import('tsx/cjs/api');
		const { start } = tsx.require('./start.ts', import.meta.url);
		// A step that was interrupted may still wait for something.
		process.exit(await start(options));
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(error.message);
		process.exitCode = 1;
	}
}
