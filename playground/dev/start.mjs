/**
 * `npm run dev`: installs missing dependencies, then runs dev.ts. Plain JavaScript without
 * dependencies, so that it works in a new clone.
 */
import { fileURLToPath } from 'node:url';

import { runInstalled } from '../../tools/setup.mjs';
import { readOptions } from './options.mjs';

const { options, message, exitCode } = readOptions(process.argv.slice(2));
if (options === undefined) {
	console.log(message);
	process.exitCode = exitCode;
} else {
	const file = fileURLToPath(new URL('./dev.ts', import.meta.url));
	await runInstalled(file, ({ dev }) => dev(options));
}
