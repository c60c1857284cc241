import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The groups by duration. The longest start first, so that none of them runs alone at the end. */
const groupsByDuration = [
	'kill',
	'examples',
	'queue',
	'fullSet',
	'operations',
	'harness',
	'canvas',
	'editor',
	'quickStart',
	'versions',
	'updates',
	'trigger',
	'takeover',
	'migration',
	'shopify',
	'demo',
	'tool',
	'pages',
	'sending',
];

/** Groups that hardly compute: they wait for locks and timeouts. */
const idleGroups = ['kill', 'sending'];

/** Only ends a group that hangs, so that the others still run. The longest takes 8 to 15 minutes. */
const groupTimeoutMs = 40 * 60_000;

/** The arguments and environment of Node.js for a group. */
interface Command {
	args: readonly string[];
	env?: NodeJS.ProcessEnv;
}

/** The result of a group. */
interface GroupResult {
	group: string;
	seconds: number;
	passed: boolean;
}

/** Sorts groups from the longest to the shortest. Unknown ones come first, since they may be long. */
export function longestFirst(groups: readonly string[]): string[] {
	const rank = (group: string) => groupsByDuration.indexOf(group);
	return [...groups].sort((one, other) => rank(one) - rank(other));
}

/** Separates the groups that hardly compute, which can run beside any others. */
export function separateIdle(groups: readonly string[]): { busy: string[]; idle: string[] } {
	const isIdle = (group: string) => idleGroups.includes(group);
	return { busy: groups.filter((group) => !isIdle(group)), idle: groups.filter(isIdle) };
}

/**
 * Runs a command for each group in a separate process, several in parallel. The output of a group
 * goes to `<folder>/<group>.log` and is passed to `log` in one piece when the group ends. A group that
 * runs for 40 minutes is ended, and has failed. A signal that terminates this process is forwarded to
 * the running groups, and no other group starts.
 *
 * @param options `concurrency`: how many groups run in parallel; `folder`: where the logs go;
 *   `command`: returns the command of a group; `log`: prints progress
 * @returns the results in the order of the groups, without those that did not start
 * @throws Error when a process cannot be started
 */
export async function runGroups(
	groups: readonly string[],
	{
		concurrency,
		folder,
		command,
		log = console.log,
	}: {
		concurrency: number;
		folder: string;
		command: (group: string) => Command;
		log?: (text: string) => void;
	},
): Promise<GroupResult[]> {
	await mkdir(folder, { recursive: true });
	const waiting = [...groups];
	const running = new Set<ChildProcess>();
	const results: GroupResult[] = [];
	const forwardSignal = (signal: NodeJS.Signals) => {
		waiting.length = 0;
		for (const child of running) child.kill(signal);
	};
	const runWaitingGroups = async () => {
		for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
			const started = Date.now();
			const logFile = join(folder, `${group}.log`);
			log(`- ${group} started, output: ${logFile}`);
			const passed = await runCommand(command(group), logFile, running);
			const seconds = Math.round((Date.now() - started) / 1000);
			log((await readFile(logFile, 'utf8')).trimEnd());
			log(`- ${group} ${passed ? 'passed' : 'FAILED'} after ${seconds} s\n`);
			results.push({ group, seconds, passed });
		}
	};
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
	for (const signal of signals) process.on(signal, forwardSignal);
	try {
		await Promise.all(Array.from({ length: concurrency }, runWaitingGroups));
	} finally {
		for (const signal of signals) process.removeListener(signal, forwardSignal);
	}
	return groups.flatMap((name) => results.filter(({ group }) => group === name));
}

async function runCommand(
	{ args, env }: Command,
	logFile: string,
	running: Set<ChildProcess>,
): Promise<boolean> {
	const output = await open(logFile, 'w');
	try {
		const child = spawn(process.execPath, args, {
			env: { ...process.env, ...env },
			stdio: ['ignore', output.fd, output.fd],
			timeout: groupTimeoutMs,
		});
		running.add(child);
		try {
			const code = await new Promise((resolve, reject) => {
				child.once('error', reject);
				child.once('exit', resolve);
			});
			return code === 0;
		} finally {
			running.delete(child);
		}
	} finally {
		await output.close();
	}
}
