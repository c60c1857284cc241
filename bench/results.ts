import { median } from './figures';

/** One run that creates many deliveries, from the first sending node to the last. */
export interface CreateRun {
	contender: Contender;
	seconds: number;
	/** The longest time for which n8n did nothing else. */
	standstillMs: number;
}

/** One execution with one order, from the call of its webhook to the response. */
export interface OrderRun {
	contender: Contender;
	ms: number;
}

/** One whole execution that n8n saved, from the call of its webhook to the response. */
export interface SavedRun {
	contender: SavedContender;
	seconds: number;
}

/** One run under the rate limit of the service. */
export interface LimitRun {
	/** The response time of the service. */
	latencyMs: number;
	deliveriesPerMinute: number;
}

/** A few seconds of events. */
export interface TriggerRun {
	receiver: Receiver;
	seconds: number;
	/** The response time of each event. */
	responsesMs: number[];
}

export interface Sizes {
	/** The deliveries of a large run. */
	deliveries: number;
	/** The orders that a workflow remembers in the middle of its life. */
	some: number;
	/** The orders that its memory holds at least. */
	most: number;
}

export interface Machine {
	date: string;
	processor: string;
	cores: number;
	memoryGb: number;
	system: string;
	/** The Node.js that runs n8n. */
	node: string;
	n8n: string;
	package: string;
}

/** Everything that was measured. */
export interface Results {
	machine: Machine;
	quick: boolean;
	/** The number of runs per figure. */
	rounds: number;
	sizes: Sizes;
	create: CreateRun[];
	order: OrderRun[];
	saved: SavedRun[];
	limit: LimitRun[];
	trigger: TriggerRun[];
	/** Lost, duplicated or wrongly rejected deliveries and events. */
	problems: string[];
	minutes: number;
}

/** The compared ways to create deliveries. Those with orders have Skip Already Sent on. */
export const contenders = {
	json: 'Delivery Service node, JSON',
	ordersEmpty: 'Delivery Service node, Shopify orders, empty memory',
	ordersSome: 'Delivery Service node, Shopify orders, some remembered',
	ordersFull: 'Delivery Service node, Shopify orders, full memory',
	single: 'HTTP Request, one request per delivery',
	chunks: 'Code node (chunks of 100), HTTP Request, Split Out',
} as const;

export type Contender = keyof typeof contenders;

/** Their names, in the order of the table. */
export const contenderNames = namesOf(contenders);

/**
 * The compared ways to create deliveries in saved executions, each with what it gets. The memory of the
 * Delivery Service node is on, and empty.
 */
export const savedContenders = {
	idleDeliveries: { label: 'Nothing is sent, deliveries', isOrders: false, isIdle: true },
	json: { label: 'Delivery Service node, JSON', isOrders: false, isIdle: false },
	chunks: {
		label: 'Code node (chunks of 100), HTTP Request, Split Out',
		isOrders: false,
		isIdle: false,
	},
	single: { label: 'HTTP Request, one request per delivery', isOrders: false, isIdle: false },
	idleOrders: { label: 'Nothing is sent, Shopify orders', isOrders: true, isIdle: true },
	orders: { label: 'Delivery Service node, Shopify orders', isOrders: true, isIdle: false },
} as const;

export type SavedContender = keyof typeof savedContenders;

/** Their names, in the order of the table. */
export const savedNames = namesOf(savedContenders);

/** The compared ways to receive events. */
export const receivers = {
	own: 'Delivery Service Trigger, signed URL',
	guarded: 'Webhook node, header authentication',
	open: 'Webhook node, no authentication',
} as const;

export type Receiver = keyof typeof receivers;

function namesOf<Name extends string>(named: Readonly<Record<Name, unknown>>): Name[] {
	return Object.keys(named).filter((name): name is Name => name in named);
}

/** Returns the median over the chosen runs; undefined if there are none. */
export function medianOf<Run>(
	runs: readonly Run[],
	isChosen: (run: Run) => boolean,
	figure: (run: Run) => number,
): number | undefined {
	const chosen = runs.filter(isChosen);
	return chosen.length === 0 ? undefined : median(chosen.map(figure));
}
