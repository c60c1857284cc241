import { median } from './figures';

/** What is compared when deliveries are created. */
export const contenders = {
	idle: 'without sending',
	ownJson: 'this node, JSON',
	ownJsonSkip: 'this node, JSON, Skip Already Sent',
	ownShopify: 'this node, Shopify orders, Skip Already Sent',
	single: 'HTTP Request, one request an item',
	batching: 'HTTP Request, its option Batching',
	expert: 'Code in chunks of 100, HTTP Request, Split Out',
} as const;

export type Contender = keyof typeof contenders;

/** What is compared when events come. */
export const receivers = {
	own: 'this trigger, signed',
	bare: 'Webhook node, open to all',
	withCredential: 'Webhook node, open to all, with a credential that it does not use',
	guarded: 'Webhook node, guarded by a header credential',
} as const;

export type Receiver = keyof typeof receivers;

/** One run of a workflow that creates deliveries. */
export interface CreateRun {
	contender: Contender;
	/** Whether the items were made from a Shopify order; else each was a delivery already. */
	shopify: boolean;
	count: number;
	latencyMs: number;
	/** From the first sending node's start to the last one's end, by the clock and the processor. */
	seconds: number;
	cpuSeconds: number;
	standstillMs: number;
	/** The most memory beyond what was held when the sending began. */
	memoryMb: number;
	requests: number;
}

/** One run under the limit of the service, in scaled time unless `scale` is 1. */
export interface LimitRun {
	contender: Contender;
	scale: number;
	/** As in real time, see `scale`. */
	latencyMs: number;
	deliveriesAMinute: number;
	created: number;
	refused: number;
	/** Created, but not in the output. */
	lost: number;
}

/** One run of mapping and checking orders, without n8n. */
export interface MappingRun {
	orders: number;
	cpuSeconds: number;
	/** The same orders to JSON and back. */
	jsonSeconds: number;
}

/** Some seconds of events at a trigger. */
export interface TriggerRun {
	receiver: Receiver;
	database: 'SQLite' | 'PostgreSQL';
	connections: number;
	seconds: number;
	/** How long each answer took. */
	answersMs: number[];
}

/** One run that skips what was sent already, beside one that does not. */
export interface MemoryRun {
	/** How many references the workflow remembered before. */
	remembered: number;
	count: number;
	/** Whether n8n ran in queue mode with PostgreSQL; else in one process with SQLite. */
	queue: boolean;
	workers: number;
	seconds: number;
	cpuSeconds: number;
	skip: boolean;
}

/** One load of a pair of nodes in a fresh process. */
export interface WeightRun {
	pair: 'own' | 'onfleet';
	milliseconds: number;
	heapKb: number;
}

/** All that was measured. */
export interface Results {
	machine: Machine;
	quick: boolean;
	/** How many rounds there were where a goal is judged. */
	rounds: number;
	create: CreateRun[];
	limit: LimitRun[];
	mapping: MappingRun[];
	trigger: TriggerRun[];
	memory: MemoryRun[];
	weight: WeightRun[];
	tarballKb?: number;
	/** What could not be measured here, and why. */
	leftOut: string[];
	/** What must not be: deliveries or events that were lost, came twice or were refused. */
	problems: string[];
	/** How long all of it took. */
	minutes: number;
}

/** What was measured on. */
export interface Machine {
	date: string;
	processor: string;
	cores: number;
	memoryGb: number;
	system: string;
	/** Of the bench, and of n8n. */
	node: string;
	n8nNode: string;
	n8n: string;
	package: string;
}

/**
 * The median over the runs for which all of `wanted` holds. Gives undefined when there are none.
 */
export function medianOf<Run extends object>(
	runs: readonly Run[],
	wanted: Partial<Run>,
	figure: (run: Run) => number,
): number | undefined {
	const chosen = runsWith(runs, wanted);
	return chosen.length === 0 ? undefined : median(chosen.map(figure));
}

/** The runs for which all of `wanted` holds. */
export function runsWith<Run extends object>(runs: readonly Run[], wanted: Partial<Run>): Run[] {
	return runs.filter((run) => {
		const members = new Map<string, unknown>(Object.entries(run));
		return Object.entries(wanted).every(([name, value]) => members.get(name) === value);
	});
}

/** Of the runs of a contender: what they took beyond the same workflow without the sending. */
export function aboveIdle(
	runs: readonly CreateRun[],
	wanted: Partial<CreateRun>,
	figure: (run: CreateRun) => number,
): number | undefined {
	const value = medianOf(runs, wanted, figure);
	const { shopify, count } = wanted;
	const idle = medianOf(runs, { contender: 'idle', shopify, count }, figure);
	return value === undefined || idle === undefined ? undefined : value - idle;
}
