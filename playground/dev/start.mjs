/**
 * `npm run dev`: installs what is missing, then runs dev.ts. Plain JavaScript without dependencies, so
 * that it works in a fresh clone.
 */
import { ensureInstalled, SetupError } from '../../tools/setup.mjs';

try {
	await ensureInstalled();
	const tsx = await import('tsx/cjs/api');
	const { dev } = tsx.require('./dev.ts', import.meta.url);
	process.exit(await dev());
} catch (error) {
	if (!(error instanceof SetupError)) throw error;
	console.error(error.message);
	process.exitCode = 1;
}
