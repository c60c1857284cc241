import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The start of the sending in an execution. */
interface Start {
	at: number;
	cpu: NodeJS.CpuUsage;
}

const starts = new Map<string, Start>();

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

/** Collects garbage, so that all runs start equal, and records the time. */
export function begin(executionId: string): void {
	if (typeof collectGarbage === 'function') {
		Reflect.apply(collectGarbage, undefined, []);
	}
	starts.set(executionId, { at: Date.now(), cpu: process.cpuUsage() });
}

/**
 * Returns the start and end of the sending and the CPU time of this process in between. Throws an
 * Error if it was never started.
 */
export function end(executionId: string) {
	const start = starts.get(executionId);
	if (start === undefined) throw new Error(`Execution ${executionId} was not started`);
	starts.delete(executionId);
	const { user, system } = process.cpuUsage(start.cpu);
	return {
		beganAt: start.at,
		endedAt: Date.now(),
		cpuMs: (user + system) / 1000,
	};
}
