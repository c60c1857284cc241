import type { Waited } from './rateLimit';

/** A time that a request waited before it went out. */
export interface Wait extends Waited {
	/** When it went out, in milliseconds since 1970. */
	endedAt: number;
}

/** How long a run waited in all: a time in which several requests waited counts once. */
export function waitedInAll(waits: readonly Wait[]): Waited {
	const beginOf = ({ endedAt, forLimitMs, forServiceMs }: Wait) =>
		endedAt - forLimitMs - forServiceMs;
	const total: Waited = { forLimitMs: 0, forServiceMs: 0 };
	let until = -Infinity;
	for (const wait of [...waits].sort((one, other) => beginOf(one) - beginOf(other))) {
		const ms = wait.endedAt - beginOf(wait);
		const newMs = Math.min(ms, Math.max(0, wait.endedAt - until));
		until = Math.max(until, wait.endedAt);
		if (newMs === 0) continue;
		total.forLimitMs += (wait.forLimitMs * newMs) / ms;
		total.forServiceMs += (wait.forServiceMs * newMs) / ms;
	}
	return total;
}
