/**
 * `npm run docs:check`: checks the docs in a fresh clone of the last commit. Runs every command that they
 * name (see `forms`), including the tests of the docs and the generators of pages, and imports the
 * examples into n8n. Exits with 1 if anything fails. `--list` only lists the commands with their forms.
 */
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { lastLines, startChild } from '../../playground/n8n/childProcess';
import { SetupError } from '../../playground/n8n/errors';
import { hostsFolder, projectFolder } from '../../playground/n8n/folders';
import { installHost } from '../../playground/n8n/host';
import { waitFor } from '../../playground/n8n/progress';
import { pages } from '../markdown';
import { commandsToRun, type Form } from './commands';

const timeoutMs = 15 * 60_000;

async function main(args: readonly string[]): Promise<number> {
	const commands = commandsToRun(pages());
	if (args.includes('--list')) {
		for (const { command, form } of commands)
			console.log(form.run === undefined ? command : `${command}\n    as: ${form.run}`);
		return 0;
	}
	if (git(projectFolder, 'status', '--porcelain') !== '')
		console.log('Uncommitted changes are not in the clone, so they are not checked.');
	const folder = await mkdtemp(join(tmpdir(), 'delivery-service-docs-'));
	const clone = join(folder, 'clone');
	const failed: string[] = [];
	try {
		git(folder, 'clone', '--quiet', projectFolder, clone);
		for (const { command, form } of commands)
			if (!(await succeeds(clone, folder, command, form))) failed.push(command);
		const changed = git(clone, 'status', '--porcelain');
		if (changed !== '') {
			console.error(`The commands changed files in git:\n${changed}`);
			failed.push('no changed files');
		}
		if (!(await examplesAreImported(clone, folder))) failed.push('import of the examples');
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
	if (failed.length === 0) console.log('All checks of the docs passed.');
	else console.error(`\nFailed:\n${failed.map((line) => `  ${line}`).join('\n')}`);
	return failed.length === 0 ? 0 : 1;
}

function git(folder: string, ...args: string[]): string {
	const { status, stdout, stderr } = spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
	if (status === 0) return stdout.trim();
	throw new Error(`git ${args.join(' ')} failed: ${stderr}`);
}

/** Whether a command works. If not, prints the end of its output. */
async function succeeds(
	clone: string,
	folder: string,
	command: string,
	{ run = command, until }: Form,
): Promise<boolean> {
	const started = Date.now();
	const logFile = join(folder, 'command.log');
	// Reuses the installed hosts of this project.
	const env = { N8N_HOSTS_DIR: hostsFolder(), CI: '1' };
	const child = await startChild('bash', ['-c', run], { cwd: clone, logFile, env });
	let outcome: number | NodeJS.Signals | undefined;
	void child.ended.then((ended) => (outcome = ended));
	try {
		await waitFor(run, timeoutMs, async () => {
			if (outcome !== undefined) return outcome;
			const isReached = until?.test(await readFile(logFile, 'utf8')) ?? false;
			return isReached ? 'reached' : undefined;
		});
	} finally {
		await child.stop();
	}
	const isFine = until ? until.test(await readFile(logFile, 'utf8')) : outcome === 0;
	const seconds = Math.round((Date.now() - started) / 1000);
	const form = run === command ? '' : `  (as: ${run})`;
	console.log(`${isFine ? 'ok    ' : 'FAILED'} ${command}${form}  ${seconds} s`);
	if (!isFine) console.error(await lastLines(logFile));
	return isFine;
}

/** Whether n8n imports all examples. */
async function examplesAreImported(clone: string, folder: string): Promise<boolean> {
	const { node, n8n } = await installHost('newest');
	const logFile = join(folder, 'import.log');
	const input = join(clone, 'examples');
	const args = [n8n, 'import:workflow', '--separate', `--input=${input}`];
	const env = { ...node.env, N8N_USER_FOLDER: folder, N8N_DIAGNOSTICS_ENABLED: 'false' };
	const child = await startChild(node.binary, args, { cwd: folder, logFile, env });
	const outcome = await child.ended;
	const [, count] = /imported (\d+) workflow/.exec(await readFile(logFile, 'utf8')) ?? [];
	const expected = git(clone, 'ls-files', 'examples/*.json').split('\n').length;
	const isFine = outcome === 0 && Number(count) === expected;
	console.log(`${isFine ? 'ok    ' : 'FAILED'} import of ${expected} examples into n8n`);
	if (!isFine) console.error(await lastLines(logFile));
	return isFine;
}

main(process.argv.slice(2)).then(
	(code) => {
		process.exitCode = code;
	},
	(error: unknown) => {
		if (!(error instanceof SetupError)) throw error;
		console.error(error.message);
		process.exitCode = 1;
	},
);
