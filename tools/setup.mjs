/**
 * Set-up shared by the commands that must work in a fresh clone (`npm start`, `npm test`).
 * Plain JavaScript on Node.js' own modules, since it runs before anything is installed.
 */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder that holds package.json. */
export const projectFolder = dirname(dirname(fileURLToPath(import.meta.url)));

const minimumNode = [20, 19];

/** A reason to stop that the user can act on: print its message, without a stack. */
export class SetupError extends Error {
	/** @param {string} message what happened and what to do */
	constructor(message) {
		super(message);
		this.name = 'SetupError';
	}
}

/**
 * Installs the packages of package-lock.json with `npm ci` when node_modules is missing or holds
 * other versions than the lock file asks for. Does nothing otherwise. Packages that were added
 * beside the locked ones are left alone.
 *
 * @param {{ folder?: string, log?: (line: string) => void }} [options] `folder`: where package.json
 * is, by default the project; `log`: takes the progress lines, by default console.log
 * @returns {Promise<boolean>} whether an installation was run
 * @throws {SetupError} when Node.js is too old, npm is not there, or the installation failed
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
 * Does work. What the user can act on is printed without a stack, and ends the command with 1.
 *
 * @param {() => Promise<void>} work what may throw a SetupError
 */
export async function orMessage(work) {
	try {
		await work();
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(error.message);
		process.exitCode = 1;
	}
}

/**
 * Installs what is missing, then runs a module in TypeScript, and ends with the exit code that it
 * gives.
 *
 * @param {string} file the module
 * @param {(module: Record<string, Function>) => Promise<number>} run calls what it exports
 * @param {Parameters<typeof ensureInstalled>[0]} [options] how packages are installed
 */
export async function runInstalled(file, run, options) {
	await orMessage(async () => {
		await ensureInstalled(options);
		const tsx = await import('tsx/cjs/api');
		const code = await run(tsx.require(file, import.meta.url));
		// A step that was interrupted may still wait for something.
		process.exit(code);
	});
}

/**
 * Runs npm with the user's terminal attached, so that its progress is seen.
 *
 * @param {string[]} args npm's arguments
 * @param {string} folder the working folder
 * @returns {Promise<void>}
 * @throws {SetupError} when npm is not there or ends with an error
 */
async function runNpm(args, folder) {
	// Under `npm test` npm names its own script: that very npm is used, with no shell in between.
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
			reject(new SetupError(`npm could not be started (${error.message}). Is npm installed?`));
		});
		child.once('exit', (code, signal) => resolve(signal ?? code));
	});
	if (outcome !== 0) {
		throw new SetupError(
			`\`npm ${args.join(' ')}\` failed (${outcome}). Its own message is above; ` +
				'a network or too little disk space is the usual cause. Then run the command again.',
		);
	}
}

function checkNode() {
	const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
	const [wantedMajor, wantedMinor] = minimumNode;
	if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return;
	throw new SetupError(
		`Node.js ${minimumNode.join('.')} or newer is needed; this is ${process.versions.node}.`,
	);
}

/**
 * Compares the lock file with npm's record of what is in node_modules. npm writes that record when
 * an installation ends, so an interrupted one counts as missing.
 */
async function staleReason(folder) {
	const locked = await readPackages(join(folder, 'package-lock.json'));
	if (locked === undefined) throw new SetupError(`package-lock.json is missing in ${folder}.`);
	const installed = await readPackages(join(folder, 'node_modules', '.package-lock.json'));
	if (installed === undefined) return 'there are none yet';
	const differing = Object.entries(locked).find(([path, { version, optional, peer }]) => {
		if (path === '') return false;
		const found = installed[path];
		// Optional packages for other platforms are locked but never installed.
		if (found === undefined) return !optional && !peer;
		return found.version !== version;
	});
	return differing && `${differing[0].replace(/^node_modules\//, '')} is not as locked`;
}

async function readPackages(file) {
	try {
		return JSON.parse(await readFile(file, 'utf8')).packages ?? {};
	} catch (error) {
		if (error.code === 'ENOENT') return undefined;
		throw new SetupError(`${file} could not be read: ${error.message}`);
	}
}

// Run by itself, as the gate does, it is all that is done.
if (process.argv[1] === fileURLToPath(import.meta.url))
	await orMessage(async () => {
		await ensureInstalled();
	});
