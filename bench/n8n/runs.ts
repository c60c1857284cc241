import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What was noted when the sending in an execution began. */
interface Start {
	at: number;
	cpu: NodeJS.CpuUsage;
}

const starts = new Map<string, Start>();

setFlagsFromString('--expose-gc');
const collectGarbage: unknown = runInNewContext('gc');

/** Frees what can be freed, so that each run begins alike, and notes the time. */
export function begin(executionId: string): void {
	if (typeof collectGarbage === 'function') {
		Reflect.apply(collectGarbage, undefined, []);
	}
	starts.set(executionId, { at: Date.now(), cpu: process.cpuUsage() });
}

/**
 * Tells when the sending began and ended, and what processor time this process has used meanwhile.
 * Throws an Error when it never began.
 */
export function end(executionId: string) {
	const start = starts.get(executionId);
	if (start === undefined) throw new Error(`Execution ${executionId} did not begin here`);
	starts.delete(executionId);
	const { user, system } = process.cpuUsage(start.cpu);
	return {
		pid: process.pid,
		beganAt: start.at,
		endedAt: Date.now(),
		cpuMs: (user + system) / 1000,
	};
}
