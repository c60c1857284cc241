/**
 * `npm run test:e2e [-- group ... options ...]`: sets the clone up where needed, then runs the
 * end-to-end tests in real n8n, all groups or those named. A group is a file `<group>.e2e.ts` in this
 * folder. What begins with a dash, and what follows it, goes to jest. Several groups run two at a
 * time; the environment variable E2E_AT_ONCE sets another number. With the one option `--prepare`,
 * only what the groups need is installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ensureInstalled, projectFolder, SetupError } from '../../tools/setup.mjs';
import table from './support/table.js';

const folder = dirname(fileURLToPath(import.meta.url));
const outputFolder = join(projectFolder, '.cache', 'e2e');
const ending = '.e2e.ts';
const all = readdirSync(folder)
	.filter((name) => name.endsWith(ending))
	.map((name) => name.slice(0, -ending.length));

try {
	process.exitCode = await run(process.argv.slice(2));
} catch (error) {
	// The helpers in TypeScript have a class of their own for it.
	if (!(error instanceof Error) || !['SetupError', 'CommandError'].includes(error.name))
		throw error;
	console.error(error.message);
	process.exitCode = 1;
}

async function run(given) {
	const firstOption = given.findIndex((argument) => argument.startsWith('-'));
	const wanted = firstOption < 0 ? given : given.slice(0, firstOption);
	const options = given.slice(wanted.length);
	const unknown = wanted.filter((group) => !all.includes(group));
	if (unknown.length > 0)
		throw new SetupError(
			`There is no group ${unknown.join(', ')}. The groups are: ${all.join(', ')}.`,
		);
	const groups = wanted.length > 0 ? wanted : all;
	const atOnce = numberAtOnce();
	await ensureInstalled();
	const { prepare } = await typescript('./support/prepare.ts');
	if (options[0] === '--prepare') {
		await prepare(groups);
		return 0;
	}
	// Where nothing is run, nothing is installed or built for it.
	if (groups.length === 1 || options.includes('--listTests')) {
		const { status } = spawnSync(process.execPath, jestArgs(groups, options), {
			cwd: projectFolder,
			stdio: 'inherit',
		});
		return status ?? 1;
	}
	await prepare(groups);
	return await runSeveral(groups, atOnce, options);
}

/** Loads a module in TypeScript, which is possible once the packages are installed. */
async function typescript(path) {
	const tsx = await import('tsx/cjs/api');
	return tsx.require(path, import.meta.url);
}

function numberAtOnce() {
	const given = process.env.E2E_AT_ONCE;
	if (given === undefined) return Math.min(2, availableParallelism());
	if (/^[1-9]\d?$/.test(given)) return Number(given);
	throw new SetupError(`E2E_AT_ONCE is "${given}", which is no number of groups.`);
}

function jestArgs(groups, options) {
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	const config = join(folder, 'jest.config.js');
	const files = groups.map((group) => join(folder, `${group}${ending}`));
	return [jest, '--config', config, '--runInBand', '--runTestsByPath', ...files, ...options];
}

/** Builds the package once for all groups, runs them, and prints one table of all. */
async function runSeveral(groups, atOnce, options) {
	const { buildAndPack } = await typescript('../../playground/n8n/package.ts');
	const { inOrder, runGroups } = await typescript('./support/groups.ts');
	const tarball = await buildAndPack();
	const rowsFile = (group) => join(outputFolder, `${group}.json`);
	for (const group of groups) rmSync(rowsFile(group), { force: true });
	const results = await runGroups(inOrder(groups), {
		atOnce,
		folder: outputFolder,
		command: (group) => ({
			args: jestArgs([group], options),
			env: { E2E_TARBALL: tarball, E2E_ROWS: rowsFile(group) },
		}),
	});
	const rows = results.flatMap(({ group, seconds }) =>
		existsSync(rowsFile(group))
			? JSON.parse(readFileSync(rowsFile(group), 'utf8'))
			: [{ group, cases: 0, passed: 0, failed: 1, seconds, result: 'failed' }],
	);
	console.log(table.format(rows));
	return results.length === groups.length && results.every(({ passed }) => passed) ? 0 : 1;
}
