/**
 * `npm run bench`: installs what is missing, then runs main.ts. Plain JavaScript without
 * dependencies, so that it works in a fresh clone.
 */
import { ensureInstalled, SetupError } from '../tools/setup.mjs';
import { readOptions } from './options.mjs';

const { options, message, exitCode } = readOptions(process.argv.slice(2));
if (options === undefined) {
	console.log(message);
	process.exitCode = exitCode;
} else {
	try {
		await ensureInstalled({ log: console.error });
		const tsx = await import('tsx/cjs/api');
		const { main } = tsx.require('./main.ts', import.meta.url);
		process.exit(await main(options));
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(error.message);
		process.exitCode = 1;
	}
}
