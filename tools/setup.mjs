/**
 * The setup for commands that must work in a fresh clone (`npm start`, `npm test`). Plain JavaScript
 * without dependencies, because it runs before anything is installed.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** The folder that contains package.json. */
export const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));

const minimumNode = [20, 19];

/** An error that the user can fix: print its message without a stack trace. */
export class SetupError extends Error {
	/** @param {string} message what happened and what to do */
	constructor(message) {
		super(message);
		this.name = 'SetupError';
	}
}

/**
 * Installs the packages of package-lock.json with `npm ci` if node_modules is missing or has other
 * versions than the lock file. Extra packages in node_modules are ignored.
 *
 * @param {{ folder?: string, log?: (line: string) => void }} [options] `folder`
 * contains package.json and defaults to the project; `log` prints the progress and defaults to
 * console.log
 * @returns {Promise<boolean>} whether anything was installed
 * @throws {SetupError} if Node.js is too old, npm is missing, or the installation failed
 */
export async function ensureInstalled({ folder = projectFolder, log = console.log } = {}) {
	checkNode();
	const reason = await staleReason(folder);
	if (reason === undefined) return false;
	log(`Installing packages: ${reason} (npm ci, about a minute) ...`);
	const started = Date.now();
	await runNpm(['ci', '--no-audit', '--no-fund'], folder);
	log(`Packages installed in ${Math.round((Date.now() - started) / 1000)} s.`);
	return true;
}

/**
 * Runs a task. If it throws a SetupError, prints its message without a stack trace and sets the exit
 * code 1.
 *
 * @param {() => Promise<void>} task may throw a SetupError
 */
export async function reportSetupError(task) {
	try {
		await task();
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(error.message);
		process.exitCode = 1;
	}
}

/**
 * Runs a command that needs n8n: reads its options, installs missing packages, and calls a function of a
 * TypeScript module. Exits with the code that it returns, or with 2 if an option is wrong.
 *
 * @param {object} command
 * @param {URL} command.file the module
 * @param {string} command.name the exported function, which gets the options
 * @param {string} command.help the text of `--help`
 * @param {import('node:util').ParseArgsConfig['options']} command.options the possible options
 * @param {(values: object) => object} command.read checks the values and returns the options
 */
export async function runCommand({ file, name, help, options, read }) {
	let values;
	try {
		const parsed = parseArgs({ options: { ...options, help: { type: 'boolean' } } });
		if (parsed.values.help) return console.log(help);
		values = read(parsed.values);
	} catch (error) {
		console.error(`${error.message}\n\n${help}`);
		process.exitCode = 2;
		return;
	}
	await reportSetupError(async () => {
		if (process.platform === 'win32')
			throw new SetupError(
				'This command needs Linux or macOS. On Windows, use WSL: run `wsl --install` once, open ' +
					'Ubuntu, clone this repository there, and run the same command.',
			);
		await ensureInstalled();
		const tsx = await import('tsx/cjs/api');
		const module = tsx.require(fileURLToPath(file), import.meta.url);
		// An interrupted step may still be waiting.
		process.exit(await module[name](values));
	});
}

/**
 * Runs npm, and shows its output.
 *
 * @param {string[]} args npm's arguments
 * @param {string} folder the working folder
 * @returns {Promise<void>}
 * @throws {SetupError} if npm is missing or fails
 */
async function runNpm(args, folder) {
	// Under `npm test`, npm sets the path of its own script, which then runs without a shell.
	const script = process.env.npm_execpath;
	const known = script !== undefined && /npm-cli\.c?js$/.test(script);
	const [command, commandArgs] = known ? [process.execPath, [script, ...args]] : ['npm', args];
	const outcome = await new Promise((resolve, reject) => {
		const child = spawn(command, commandArgs, {
			cwd: folder,
			stdio: 'inherit',
			shell: !known && process.platform === 'win32',
		});
		child.once('error', (error) => {
			reject(
				new SetupError(`npm could not be started (${error.message}). Check that npm is installed.`),
			);
		});
		child.once('close', (code, signal) => resolve(signal ?? code));
	});
	if (outcome !== 0) {
		throw new SetupError(
			`\`npm ${args.join(' ')}\` failed (${outcome}). Its message is above; the usual cause is the ` +
				'network. Fix it, then run the command again.',
		);
	}
}

function checkNode() {
	const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
	const [wantedMajor, wantedMinor] = minimumNode;
	if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
	throw new SetupError(
		`Node.js ${minimumNode.join('.')} or newer is required; this is ${process.versions.node}.`,
	);
}

/**
 * Compares the lock file with npm's record of node_modules. npm writes that record at the end of an
 * installation, so an interrupted one counts as missing.
 */
async function staleReason(folder) {
	const locked = await readPackages(join(folder, 'package-lock.json'));
	if (locked === undefined) throw new SetupError(`package-lock.json is missing in ${folder}.`);
	const installed = await readPackages(join(folder, 'node_modules', '.package-lock.json'));
	if (installed === undefined) return 'none are installed yet';
	const differing = Object.entries(locked).find(([path, { version, optional, peer }]) => {
		if (path === '') return false;
		const found = installed[path];
		// Optional packages for other platforms are locked but never installed.
		if (found === undefined) return !optional && !peer;
		return found.version !== version;
	});
	return (
		differing && `${differing[0].replace(/^node_modules\//, '')} differs from package-lock.json`
	);
}

async function readPackages(file) {
	try {
		return JSON.parse(await readFile(file, 'utf8')).packages ?? {};
	} catch (error) {
		if (error.code === 'ENOENT') return undefined;
		throw new SetupError(`${file} could not be read: ${error.message}`);
	}
}

// When run directly, as in the gate, it only installs.
if (process.argv[1] === fileURLToPath(import.meta.url))
	await reportSetupError(async () => {
		await ensureInstalled();
	});
