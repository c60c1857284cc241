import { spawn, type ChildProcess } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';

import { SetupError } from './errors';

const shownLogLines = 25;

/** A running program together with everything that it has started. */
export interface Child {
	readonly pid: number;
	readonly logFile: string;
	/** Resolves when the program itself has ended, with its exit code or the signal that ended it. */
	readonly ended: Promise<number | NodeJS.Signals>;
	/** Sends a signal to the program and to everything that it has started. */
	kill(signal: NodeJS.Signals): void;
	/** Asks the program to end, and ends all of it by force after `graceMs`. */
	stop(graceMs?: number): Promise<void>;
}

/** What a program is started with. */
export interface ChildOptions {
	cwd: string;
	env?: NodeJS.ProcessEnv;
	/** Takes the program's output; written anew. */
	logFile: string;
	/** Opens a channel that closes when this process is gone, for end-with-parent.cjs. */
	channel?: boolean;
}

/**
 * Starts a program in a process group of its own, so that it can be ended with all that it has
 * started. The group never outlives this process' orderly exit. Throws an Error when it cannot be
 * started.
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
	const ended = endOf(child);
	try {
		await new Promise((resolve, reject) => {
			child.once('spawn', resolve);
			child.once('error', reject);
		});
	} finally {
		await log.close();
	}
	const { pid } = child;
	if (pid === undefined) throw new Error(`${command} has no process id`);
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

async function endOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
	return await new Promise((resolve) => {
		child.once('exit', (code, signal) => resolve(code ?? signal ?? 'SIGKILL'));
	});
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(-pid, signal);
	} catch {
		// The whole group has ended already.
	}
}

/** A command ended with an error. Its message ends with the last lines of its output. */
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
 * Runs a command to its end. Gives what it wrote. Throws a CommandError when it ends with anything
 * but 0; Error when it cannot be started.
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

/** Gives the end of a log file, for a message about a failure. */
export async function lastLines(logFile: string): Promise<string> {
	const text = await readFile(logFile, 'utf8');
	return text.trimEnd().split('\n').slice(-shownLogLines).join('\n');
}
