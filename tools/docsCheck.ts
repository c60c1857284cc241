/**
 * `npm run docs:check`: runs the commands that the pages name, in a clone of the last commit with the
 * packages of this one. Exits with 1 if anything fails. `--list` only lists the commands.
 */
import { spawnSync } from 'node:child_process';
import { symlinkSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { lastLines, startChild } from '../playground/n8n/childProcess';
import { hostsFolder, projectFolder } from '../playground/n8n/folders';
import { waitFor } from '../playground/n8n/progress';
import { codesIn, pages, prose, type Page } from './markdown';

const timeoutMs = 15 * 60_000;

/** How a command is run. */
interface Form {
	/** The command to run instead, if the original takes too long, needs a value, or never ends. */
	run?: string;
	/** For a command that doesn't exit: its output once it works. */
	until?: RegExp;
}

/** The commands that the gate (.ci/run) runs itself. */
const inGate =
	/^npm (ci|test|test -- test\/unit|start|start -- --(new|once)|run (lint|lint:fix|verify|docs:check|test:e2e|test:e2e -- --prepare|bench|trace))$|^npx eslint /;

/** The commands that are not run as written, in the order in which they run. */
const forms: ReadonlyMap<string, Form> = new Map<string, Form>([
	['npm run test:mutation -- ledger', { run: 'node --check tools/mutation.mjs' }],
	[
		'npm test -- --coverage',
		{ run: "npm test -- --coverage --coverageThreshold '{}' test/unit/common" },
	],
	[
		'SEQUENCES_SEED=1 npm test -- test/unit/sending',
		{ run: 'SEQUENCES_SEED=1 SEQUENCES=1 npm test -- test/unit/sending/randomSequences.test.ts' },
	],
	...[
		'DOCS_IMAGES=1 npm run test:e2e -- editor quickStart',
		"npm run test:e2e -- trigger -t 'renamed'",
		'KILL_SEED=1 npm run test:e2e -- kill',
	].map((command): [string, Form] => [command, { run: `${command} --listTests` }]),
	['npm run dev', { until: /Press Ctrl-C to stop/ }],
	[
		'npm run n8n:newest',
		{
			run: `npm run n8n:newest -- "$(node -p "require('./playground/n8n/hosts/newest/package.json').dependencies.n8n")"`,
		},
	],
	['npm run service', { run: 'npm run service -- --port 0', until: /Local service: http/ }],
	[
		'npm run service -- --variant <name>',
		{
			run: 'npm run service -- --port 0 --variant rejected-batch',
			until: /API variant rejected-batch/,
		},
	],
	['npm run build', {}],
	['npm run trace -- <commit>', { run: 'npm run trace -- HEAD' }],
	// Would push a tag.
	['npm run release', { run: '! npm run release -- --check v0.0.0' }],
	['npm run pack', {}],
	[
		'npm install --omit=peer --prefix ~/.n8n/nodes ./n8n-nodes-delivery-service.tgz',
		{
			run: 'npm install --omit=peer --prefix .cache/nodes ./n8n-nodes-delivery-service.tgz && ls .cache/nodes/node_modules/n8n-nodes-delivery-service/dist/nodes/DeliveryService/*.node.js',
		},
	],
	[
		'npm uninstall --omit=peer --ignore-scripts --prefix ~/.n8n/nodes n8n-nodes-delivery-service',
		{
			run: 'npm uninstall --omit=peer --ignore-scripts --prefix .cache/nodes n8n-nodes-delivery-service && ! ls .cache/nodes/node_modules/n8n-nodes-delivery-service',
		},
	],
	[
		'npm version <version> --no-git-tag-version',
		{
			run: 'npm version 9.9.9 --no-git-tag-version && git checkout package.json package-lock.json',
		},
	],
]);

/** Returns the commands of a page: in its code blocks without a language, and in its text. */
function commandsOf({ markdown }: Page): string[] {
	// Those of a list are indented.
	const blocks = [...markdown.matchAll(/^ *```(?:sh)?\n([\s\S]*?)^ *```$/gm)];
	const lines = blocks.flatMap(([, block = '']) => block.split('\n').map((line) => line.trim()));
	return [...lines, ...codesIn(prose(markdown))].filter((code) =>
		/^(?:[A-Z_]+=\S+ )*(?:npm|npx|node) /.test(code),
	);
}

/** Returns all commands of the pages, each once, those with a form first. */
function commandsToRun(all: readonly Page[]): Array<{ command: string; form: Form }> {
	const named = new Set(all.flatMap(commandsOf));
	const inOrder = [...forms.keys(), ...[...named].filter((command) => !forms.has(command))];
	return inOrder.map((command) => ({ command, form: forms.get(command) ?? {} }));
}

async function main(args: readonly string[]): Promise<number> {
	const commands = commandsToRun(pages());
	if (args.includes('--list')) {
		for (const { command, form } of commands)
			console.log(
				`${command}${inGate.test(command) ? '  (in the gate)' : form.run ? `\n    as: ${form.run}` : ''}`,
			);
		return 0;
	}
	if (git(projectFolder, 'status', '--porcelain') !== '')
		console.log('Uncommitted changes are not in the clone, so they are not checked.');
	const folder = await mkdtemp(join(tmpdir(), 'delivery-service-docs-'));
	const clone = join(folder, 'clone');
	const failed: string[] = [];
	try {
		git(folder, 'clone', '--quiet', projectFolder, clone);
		symlinkSync(join(projectFolder, 'node_modules'), join(clone, 'node_modules'));
		for (const { command, form } of commands)
			if (!inGate.test(command) && !(await succeeds(clone, folder, command, form)))
				failed.push(command);
		// The link is not the folder that git ignores.
		await rm(join(clone, 'node_modules'));
		const changed = git(clone, 'status', '--porcelain');
		if (changed !== '') failed.push(`The commands changed files in git:\n${changed}`);
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
		const end = async () =>
			outcome ?? (until?.test(await readFile(logFile, 'utf8')) ? 'reached' : undefined);
		await waitFor(run, end, timeoutMs);
	} finally {
		await child.stop();
	}
	const isFine = until ? until.test(await readFile(logFile, 'utf8')) : outcome === 0;
	const seconds = Math.round((Date.now() - started) / 1000);
	console.log(`${isFine ? 'ok    ' : 'FAILED'} ${run}  ${seconds} s`);
	if (!isFine) console.error(await lastLines(logFile));
	return isFine;
}

if (require.main === module)
	void main(process.argv.slice(2)).then((code) => {
		process.exitCode = code;
	});
