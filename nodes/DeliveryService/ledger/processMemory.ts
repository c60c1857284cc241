/**
 * What this process of n8n knows about the deliveries of a workflow, besides the store. Other processes don't
 * know it, and it is gone after a restart: it only improves what the store says.
 */

/** An execution of this process that has claimed a delivery, or a change of its order. */
export interface Holder {
	/** Whether it is at work on it; false if it left the delivery unknown. */
	isAtWork: boolean;
}

/**
 * When an order was in a state, in milliseconds since 1970, by the clock of the webhook call that has it, and
 * by that of the order, its last change. Only times of one clock are compared: a call is later than the change
 * that it reports, so an order that is read again after it would count as older.
 */
export interface AsOf {
	call?: number;
	order?: number;
}

/** How many times are kept: enough for all orders that are reported at the same time. */
const maxTimes = 10_000;

/** What this process knows about the deliveries of one workflow. */
export class ProcessMemory {
	/** The executions that have claimed deliveries and changes, by the entry of the claim. */
	readonly holders = new Map<string, Holder>();

	/** Of when the newest state of each order is that was seen, by clock and order. */
	private readonly times = new Map<string, number>();

	/**
	 * Notes a state of an order.
	 *
	 * @param key the order's; it has another one after each use of Allow Resending
	 * @returns for each clock that it has, whether it is older than a state that was seen before
	 */
	note(key: string, { call, order }: AsOf): boolean[] {
		const times = { [`call ${key}`]: call, [`order ${key}`]: order };
		return Object.entries(times).flatMap(([name, time]) =>
			time === undefined ? [] : [this.noteTime(name, time)],
		);
	}

	/** The same knowledge, for a Dry Run: what that adds is forgotten. */
	copy(): ProcessMemory {
		const copy = new ProcessMemory();
		for (const [claimEntry, holder] of this.holders) copy.holders.set(claimEntry, holder);
		for (const [name, time] of this.times) copy.times.set(name, time);
		return copy;
	}

	/** Forgets the states of all orders. */
	forgetStates(): void {
		this.times.clear();
	}

	/** @returns whether a later time was noted before */
	private noteTime(name: string, time: number): boolean {
		const newest = this.times.get(name) ?? time;
		this.times.delete(name);
		this.times.set(name, Math.max(newest, time));
		const [oldest] = this.times.size > maxTimes ? this.times.keys() : [];
		if (oldest !== undefined) this.times.delete(oldest);
		return time < newest;
	}
}

const memories = new Map<string, ProcessMemory>();

/** The memory of a workflow, which all of its executions in this process share. */
export function processMemoryOf(workflow: string): ProcessMemory {
	const memory = memories.get(workflow) ?? new ProcessMemory();
	memories.set(workflow, memory);
	return memory;
}
