/**
 * `npm run test:e2e [-- group ... options ...]`: sets up the clone if necessary, then runs the
 * end-to-end tests in real n8n, all groups or the named ones. A group is a file `<group>.e2e.ts` in
 * this folder. The first argument that starts with a dash and all arguments after it go to jest. Up to
 * five groups run in parallel, since all of them mostly wait, beside those that hardly compute; the
 * environment variable E2E_AT_ONCE sets another number, 1 for all in turn. With the option `--prepare`,
 * only the dependencies of the groups are installed.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { ensureInstalled, projectFolder, SetupError } from '../../tools/setup.mjs';
import table from './support/table.js';

const folder = dirname(fileURLToPath(import.meta.url));
const outputFolder = join(projectFolder, '.cache', 'e2e');
const extension = '.e2e.ts';
const allGroups = readdirSync(folder)
	.filter((name) => name.endsWith(extension))
	.map((name) => name.slice(0, -extension.length));

try {
	process.exitCode = await run(process.argv.slice(2));
} catch (error) {
	// Compared by name: the TypeScript helpers have their own error class.
	if (!(error instanceof Error) || !['SetupError', 'CommandError'].includes(error.name))
		throw error;
	console.error(error.message);
	process.exitCode = 1;
}

async function run(cliArguments) {
	const firstOption = cliArguments.findIndex((argument) => argument.startsWith('-'));
	const namedGroups = firstOption < 0 ? cliArguments : cliArguments.slice(0, firstOption);
	const options = cliArguments.slice(namedGroups.length);
	const unknown = namedGroups.filter((group) => !allGroups.includes(group));
	if (unknown.length > 0)
		throw new SetupError(
			`Unknown group: ${unknown.join(', ')}. The groups are ${allGroups.join(', ')}.`,
		);
	const groups = namedGroups.length > 0 ? namedGroups : allGroups;
	const concurrency = readConcurrency();
	await ensureInstalled();
	const { prepare } = await requireTypescript('./support/prepare.ts');
	if (options[0] === '--prepare') {
		await prepare(groups);
		return 0;
	}
	// A single group builds the package itself, and --listTests runs nothing.
	if (groups.length === 1 || options.includes('--listTests')) {
		const { status } = spawnSync(process.execPath, jestArgs(groups, options), {
			cwd: projectFolder,
			stdio: 'inherit',
		});
		return status ?? 1;
	}
	await prepare(groups);
	return await runSeveral(groups, concurrency, options);
}

/** Loads a TypeScript module. Requires installed packages. */
async function requireTypescript(path) {
	const tsx = await import('tsx/cjs/api');
	return tsx.require(path, import.meta.url);
}

function readConcurrency() {
	const value = process.env.E2E_AT_ONCE;
	if (value === undefined) {
		// A group uses about a third of a core, and up to 4 GB.
		return availableParallelism() > 1 ? Math.min(5, Math.ceil(totalmem() / 4e9)) : 1;
	}
	if (/^[1-9]\d?$/.test(value)) return Number(value);
	throw new SetupError(`E2E_AT_ONCE must be a number from 1 to 99, but is "${value}".`);
}

function jestArgs(groups, options) {
	const jest = join(projectFolder, 'node_modules', 'jest', 'bin', 'jest.js');
	const config = join(folder, 'jest.config.js');
	const files = groups.map((group) => join(folder, `${group}${extension}`));
	return [jest, '--config', config, '--runInBand', '--runTestsByPath', ...files, ...options];
}

/** Builds the package once for all groups, runs them, and prints one table of the results. */
async function runSeveral(groups, concurrency, options) {
	const { getTarball } = await requireTypescript('../../playground/n8n/package.ts');
	const { longestFirst, runGroups, separateIdle } = await requireTypescript('./support/groups.ts');
	const tarball = await getTarball();
	const rowsFile = (group) => join(outputFolder, `${group}.json`);
	for (const group of groups) rmSync(rowsFile(group), { force: true });
	const command = (group) => ({
		args: jestArgs([group], options),
		env: { E2E_TARBALL: tarball, E2E_ROWS: rowsFile(group) },
	});
	const { busy, idle } = separateIdle(longestFirst(groups));
	const batches = concurrency === 1 ? [[...idle, ...busy]] : [idle, busy];
	const results = await Promise.all(
		batches.map((batch) => runGroups(batch, { concurrency, folder: outputFolder, command })),
	).then((all) => all.flat());
	const rows = results.flatMap(({ group, seconds }) =>
		existsSync(rowsFile(group))
			? JSON.parse(readFileSync(rowsFile(group), 'utf8'))
			: [{ group, cases: 0, passed: 0, failed: 1, seconds, result: 'failed' }],
	);
	console.log(table.format(rows));
	return results.length === groups.length && results.every(({ passed }) => passed) ? 0 : 1;
}
