import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Those that take longest begin first, so that none of them is left alone at the end. */
const longestFirst = [
	...['kill', 'queue', 'trigger', 'versions', 'examples', 'editor', 'operations', 'takeover'],
	'tool',
];

/** What Node.js is started with for a group. */
interface Command {
	args: readonly string[];
	env?: NodeJS.ProcessEnv;
}

/** How a group ended. */
interface GroupResult {
	group: string;
	seconds: number;
	passed: boolean;
}

/** Gives the groups in the order in which they begin. One that is not known may be long. */
export function inOrder(groups: readonly string[]): string[] {
	const rank = (group: string) => longestFirst.indexOf(group);
	return [...groups].sort((one, other) => rank(one) - rank(other));
}

/**
 * Runs a command for each of several groups, so many at a time: each in a process of its own. What
 * a group writes goes to `<folder>/<group>.log`, and is given to `log` in one piece when the group
 * has ended. A signal that asks this process to end is passed on to all that run, and no other is
 * begun. Gives the results in the order of the groups; those that were not begun are missing. Throws
 * an Error when a process cannot be started.
 */
export async function runGroups(
	groups: readonly string[],
	{
		atOnce,
		folder,
		command,
		log = console.log,
	}: {
		atOnce: number;
		folder: string;
		command: (group: string) => Command;
		log?: (text: string) => void;
	},
): Promise<GroupResult[]> {
	await mkdir(folder, { recursive: true });
	const waiting = [...groups];
	const running = new Set<ChildProcess>();
	const results: GroupResult[] = [];
	const passOn = (signal: NodeJS.Signals) => {
		waiting.length = 0;
		for (const child of running) child.kill(signal);
	};
	const work = async () => {
		for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
			const started = Date.now();
			const logFile = join(folder, `${group}.log`);
			log(`- ${group} begins; what it writes: ${logFile}`);
			const passed = await runToEnd(command(group), logFile, running);
			const seconds = Math.round((Date.now() - started) / 1000);
			log((await readFile(logFile, 'utf8')).trimEnd());
			log(`- ${group} ${passed ? 'passed' : 'FAILED'} after ${seconds} s\n`);
			results.push({ group, seconds, passed });
		}
	};
	const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
	for (const signal of signals) process.on(signal, passOn);
	try {
		await Promise.all(Array.from({ length: atOnce }, work));
	} finally {
		for (const signal of signals) process.removeListener(signal, passOn);
	}
	return groups.flatMap((name) => results.filter(({ group }) => group === name));
}

async function runToEnd(
	{ args, env }: Command,
	logFile: string,
	running: Set<ChildProcess>,
): Promise<boolean> {
	const output = await open(logFile, 'w');
	try {
		const child = spawn(process.execPath, args, {
			env: { ...process.env, ...env },
			stdio: ['ignore', output.fd, output.fd],
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
