import { z } from 'zod';

import { median } from './figures';

const contenderSchema = z.enum([
	'idleJson',
	'idleShopify',
	'idleFulfillmentOrders',
	'ownJson',
	'ownShopify',
	'ownFulfillmentOrders',
	'single',
	'expert',
]);
const receiverSchema = z.enum(['own', 'guarded', 'open']);
const databaseSchema = z.enum(['SQLite', 'PostgreSQL']);

/** One run of a workflow that creates deliveries, from the first sending node to the last. */
const createRunSchema = z.object({
	contender: contenderSchema,
	seconds: z.number(),
	/** The longest response time of n8n's health check. */
	standstillMs: z.number(),
	/** The peak memory above the memory at the start. */
	memoryMb: z.number(),
});

/** One run under the rate limit of the service. */
const limitRunSchema = z.object({
	/** How much shorter the minute and the response time were: 1 is real time. */
	scale: z.number(),
	/** The response time of the service, in real time. */
	latencyMs: z.number(),
	deliveriesPerMinute: z.number(),
});

/** One run that maps and validates orders, without n8n. */
export const mappingRunSchema = z.object({
	orders: z.number(),
	withFulfillmentOrders: z.boolean(),
	cpuSeconds: z.number(),
	/** The CPU time of JSON.stringify and JSON.parse for the same orders. */
	jsonSeconds: z.number(),
});

/** One run of sending new references. */
const memoryRunSchema = z.object({
	/** Whether Skip Already Sent was on. */
	skip: z.boolean(),
	/** The number of references that the workflow remembered before. */
	remembered: z.number(),
	cpuSeconds: z.number(),
});

/** A few seconds of events. */
const triggerRunSchema = z.object({
	receiver: receiverSchema,
	database: databaseSchema,
	connections: z.number(),
	seconds: z.number(),
	/** The response time of each event. */
	responsesMs: z.array(z.number()),
});

const sizesSchema = z.object({
	deliveries: z.number(),
	/** The most references that a workflow remembers. */
	remembered: z.number(),
	/** The most orders to map; a tenth of them is mapped too, alone and with fulfillment orders. */
	orders: z.number(),
});

const machineSchema = z.object({
	date: z.string(),
	processor: z.string(),
	cores: z.number(),
	memoryGb: z.number(),
	system: z.string(),
	/** The Node.js that runs n8n. */
	node: z.string(),
	n8n: z.string(),
	package: z.string(),
});

/** The measured data, as printed by --json. */
export const resultsSchema = z.object({
	machine: machineSchema,
	quick: z.boolean(),
	/** The number of runs per figure. */
	rounds: z.number(),
	sizes: sizesSchema,
	create: z.array(createRunSchema),
	limit: z.array(limitRunSchema),
	mapping: z.array(mappingRunSchema),
	trigger: z.array(triggerRunSchema),
	memory: z.array(memoryRunSchema),
	/** What couldn't be measured here, and why. */
	skipped: z.array(z.string()),
	/** Lost, duplicated or wrongly rejected deliveries and events. */
	problems: z.array(z.string()),
	minutes: z.number(),
});

export type Results = z.infer<typeof resultsSchema>;
export type Sizes = z.infer<typeof sizesSchema>;
export type Machine = z.infer<typeof machineSchema>;
export type Contender = z.infer<typeof contenderSchema>;
export type Receiver = z.infer<typeof receiverSchema>;
export type Database = z.infer<typeof databaseSchema>;
export type CreateRun = z.infer<typeof createRunSchema>;
export type LimitRun = z.infer<typeof limitRunSchema>;
export type MappingRun = z.infer<typeof mappingRunSchema>;
export type MemoryRun = z.infer<typeof memoryRunSchema>;
export type TriggerRun = z.infer<typeof triggerRunSchema>;

/** The compared ways to create deliveries; the idle ones only create the items. */
export const contenders: Readonly<Record<Contender, string>> = {
	idleJson: 'No sending, JSON',
	idleShopify: 'No sending, Shopify orders',
	idleFulfillmentOrders: 'No sending, Shopify orders with fulfillment orders',
	ownJson: 'Delivery Service node, JSON',
	ownShopify: 'Delivery Service node, Shopify orders, Skip Already Sent',
	ownFulfillmentOrders:
		'Delivery Service node, Shopify orders with fulfillment orders, Skip Already Sent',
	single: 'HTTP Request, one request per delivery',
	expert: 'Code node (chunks of 100), HTTP Request, Split Out',
};

/** The compared ways to receive events. */
export const receivers: Readonly<Record<Receiver, string>> = {
	own: 'Delivery Service Trigger, signed URL',
	guarded: 'Webhook node, header authentication',
	open: 'Webhook node, no authentication',
};

/** The databases in which n8n stores executions. */
export const databases = databaseSchema.options;

/** Returns the runs that have all of these values. */
export function runsWith<Run extends object>(runs: readonly Run[], wanted: Partial<Run>): Run[] {
	return runs.filter((run) => {
		const fields = new Map<string, unknown>(Object.entries(run));
		return Object.entries(wanted).every(([name, value]) => fields.get(name) === value);
	});
}

/** Returns the median over the runs that have all of these values; undefined if there are none. */
export function medianOf<Run extends object>(
	runs: readonly Run[],
	wanted: Partial<Run>,
	figure: (run: Run) => number,
): number | undefined {
	const chosen = runsWith(runs, wanted);
	return chosen.length === 0 ? undefined : median(chosen.map(figure));
}

/** Returns the kind of items that a contender gets. */
export function itemsOf(contender: Contender): 'Json' | 'Shopify' | 'FulfillmentOrders' {
	if (contender.endsWith('FulfillmentOrders')) return 'FulfillmentOrders';
	return contender.endsWith('Shopify') ? 'Shopify' : 'Json';
}

/** Returns what a contender takes above the same workflow without sending. */
export function aboveIdle(
	runs: readonly CreateRun[],
	contender: Contender,
	figure: (run: CreateRun) => number,
): number | undefined {
	const value = medianOf(runs, { contender }, figure);
	const idle = medianOf(runs, { contender: `idle${itemsOf(contender)}` }, figure);
	return value === undefined || idle === undefined ? undefined : value - idle;
}

/** Returns the events per second: the median of these runs. */
export function eventRate(runs: readonly TriggerRun[]): number | undefined {
	return medianOf(runs, {}, ({ responsesMs, seconds }) => responsesMs.length / seconds);
}
