import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';

import { SetupError } from './errors';

const shownLogLines = 25;

/** A running program and its child processes. */
export interface Child {
	readonly pid: number;
	readonly logFile: string;
	/** Resolves when the program itself exits, with its exit code or signal. */
	readonly ended: Promise<number | NodeJS.Signals>;
	/** Sends a signal to the program and its child processes. */
	kill(signal: NodeJS.Signals): void;
	/** Asks the program to exit, and kills it and its child processes after `graceMs`. */
	stop(graceMs?: number): Promise<void>;
}

/** How to start a program. */
export interface ChildOptions {
	cwd: string;
	env?: NodeJS.ProcessEnv;
	/** Receives the program's output; overwritten. */
	logFile: string;
	/** Whether to open a channel that closes when this process exits, for end-with-parent.cjs. */
	channel?: boolean;
}

/**
 * Starts a program in its own process group, so that its child processes can be stopped with it. An
 * orderly exit of this process kills the group. Throws an Error if the program cannot be started.
 */
export async function startChild(
	command: string,
	args: string[],
	{ cwd, env, logFile, channel = false }: ChildOptions,
): Promise<Child> {
	const log = await open(logFile, 'w');
	const child = spawn(command, args, {
		cwd,
		env: { ...process.env, ...env },
		stdio: ['ignore', log.fd, log.fd, ...(channel ? (['ipc'] as const) : [])],
		detached: true,
	});
	const ended = waitForExit(child);
	try {
		await new Promise((resolve, reject) => {
			child.once('spawn', resolve);
			child.once('error', reject);
		});
	} finally {
		await log.close();
	}
	const { pid } = child;
	if (pid === undefined) throw new Error(`${command} has no process ID`);
	const kill = (signal: NodeJS.Signals) => signalGroup(pid, signal);
	const killAtExit = () => kill('SIGKILL');
	process.once('exit', killAtExit);
	return {
		pid,
		logFile,
		ended,
		kill,
		async stop(graceMs = 15_000) {
			child.kill('SIGTERM');
			const timer = setTimeout(killAtExit, graceMs);
			await ended;
			clearTimeout(timer);
			kill('SIGKILL');
			process.removeListener('exit', killAtExit);
		},
	};
}

async function waitForExit(child: ChildProcess): Promise<number | NodeJS.Signals> {
	return await new Promise((resolve) => {
		child.once('exit', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
	});
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-pid, signal);
	} catch {
		// The whole group has exited already.
	}
}

/** A command failed. The message ends with the last lines of its output. */
export class CommandError extends SetupError {
	override readonly name = 'CommandError';

	constructor(
		command: string,
		readonly output: string,
	) {
		super(`\`${command}\` failed:\n${output}`);
	}
}

/**
 * Runs a command and returns its output. Throws a CommandError if its exit code is not 0, an Error if
 * it cannot be started.
 */
export async function runCommand(
	command: string,
	args: string[],
	options: ChildOptions,
): Promise<string> {
	const child = await startChild(command, args, options);
	const outcome = await child.ended;
	await child.stop();
	if (outcome !== 0) {
		throw new CommandError([command, ...args].join(' '), await lastLines(options.logFile));
	}
	return await readFile(options.logFile, 'utf8');
}

/** Returns the last lines of a log file, for an error message. */
export async function lastLines(logFile: string): Promise<string> {
	const text = await readFile(logFile, 'utf8');
	return text.trimEnd().split('\n').slice(-shownLogLines).join('\n');
}
