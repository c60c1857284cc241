/**
 * What this process of n8n knows about the deliveries of a workflow, besides the store. Other processes don't
 * know it, and it is gone after a restart: it only improves what the store says.
 */

/** An execution of this process that has claimed a delivery: it sends it, or left it unknown. */
export type Holder = 'sending' | 'ended';

/** How many orders may have a time: enough for all that are reported at the same time. */
const maxTimes = 10_000;

export class ProcessMemory {
	/** The executions that have claimed deliveries, by claim. */
	readonly holders = new Map<string, Holder>();

	/** Of when the newest state of each order is that was seen, in milliseconds since 1970, by claim. */
	private readonly times = new Map<string, number>();

	/** Notes a state of an order. @returns whether it is older than one that was seen before */
	isOutdated(claimed: string, asOf: number): boolean {
		const newest = this.times.get(claimed) ?? asOf;
		this.times.delete(claimed);
		this.times.set(claimed, Math.max(newest, asOf));
		const [oldest] = this.times.size > maxTimes ? this.times.keys() : [];
		if (oldest !== undefined) this.times.delete(oldest);
		return asOf < newest;
	}
}

const memories = new Map<string, ProcessMemory>();

export function processMemoryOf(workflow: string): ProcessMemory {
	const memory = memories.get(workflow) ?? new ProcessMemory();
	memories.set(workflow, memory);
	return memory;
}
