import { counted, percentile, shown } from './figures';
import { medianOf, type Contender, type Receiver, type Results, type Sizes } from './results';

type Figure = number | undefined;

/** A figure to reach. */
interface Goal {
	subject: string;
	condition: (sizes: Sizes) => string;
	target: { atLeast: number } | { atMost: number };
	unit: string;
	/** Undefined if it wasn't measured. */
	figure: (results: Results) => Figure;
}

/** A goal with its measured figure, as shown. */
export interface JudgedGoal {
	subject: string;
	condition: string;
	target: string;
	measured: string;
	/** Undefined if it wasn't measured. */
	met: boolean | undefined;
}

const ratio = (one: Figure, other: Figure) =>
	one === undefined || other === undefined ? undefined : one / other;

const seconds = ({ create }: Results, contender: Contender) =>
	medianOf(
		create,
		(run) => run.contender === contender,
		(run) => run.seconds,
	);
const orderMs = ({ order }: Results, contender: Contender) =>
	medianOf(
		order,
		(run) => run.contender === contender,
		(run) => run.ms,
	);
const standstillMs = ({ create }: Results, contender: Contender) =>
	medianOf(
		create,
		(run) => run.contender === contender,
		(run) => run.standstillMs,
	);

const eventRate = ({ trigger }: Results, receiver: Receiver) =>
	medianOf(
		trigger,
		(run) => run.receiver === receiver,
		(run) => run.responsesMs.length / run.seconds,
	);
const p99 = ({ trigger }: Results, receiver: Receiver) => {
	const runs = trigger.filter((run) => run.receiver === receiver);
	const responses = runs.flatMap(({ responsesMs }) => responsesMs);
	return responses.length === 0 ? undefined : percentile(responses, 0.99);
};

const single = 'HTTP Request (one request per delivery)';
const fromJson = ({ deliveries }: Sizes) => `${counted(deliveries)} deliveries from JSON`;
const tenConnections = () => '10 connections';

/** The goals of one order, each with the number of remembered orders. */
const oneOrder: Array<[Contender, number, (sizes: Sizes) => number]> = [
	['ordersEmpty', 2, () => 0],
	['ordersSome', 3, ({ some }) => some],
	['ordersFull', 3, ({ most }) => most],
];

const goals: readonly Goal[] = [
	...oneOrder.map(([contender, atMost, remembered]): Goal => ({
		subject: 'Time of an execution with one order, compared with HTTP Request',
		condition: (sizes) => `${counted(remembered(sizes))} orders remembered`,
		target: { atMost },
		unit: '×',
		figure: (results) => ratio(orderMs(results, contender), orderMs(results, 'single')),
	})),
	{
		subject: 'Time of new orders, compared with an empty memory',
		condition: ({ deliveries, most }) =>
			`${counted(deliveries)} Shopify orders, ${counted(most)} remembered`,
		target: { atMost: 1.5 },
		unit: '×',
		figure: (results) => ratio(seconds(results, 'ordersFull'), seconds(results, 'ordersEmpty')),
	},
	{
		subject: 'Time compared with Code node, HTTP Request and Split Out (chunks of 100)',
		condition: fromJson,
		target: { atMost: 0.6 },
		unit: '×',
		figure: (results) => ratio(seconds(results, 'json'), seconds(results, 'chunks')),
	},
	{
		subject: `Speed compared with ${single}`,
		condition: ({ deliveries, some }) =>
			`${counted(deliveries)} Shopify orders, ${counted(some)} others remembered`,
		target: { atLeast: 5 },
		unit: '× as fast',
		figure: (results) => ratio(seconds(results, 'single'), seconds(results, 'ordersSome')),
	},
	...(['json', 'ordersFull'] as const).map((contender): Goal => ({
		subject: 'Longest time for which n8n does nothing else',
		condition: (sizes) =>
			contender === 'json'
				? fromJson(sizes)
				: `${counted(sizes.deliveries)} Shopify orders, ${counted(sizes.most)} remembered`,
		target: { atMost: 100 },
		unit: ' ms',
		figure: (results) => standstillMs(results, contender),
	})),
	...[20, 2000].map((latencyMs): Goal => ({
		subject: 'Throughput under the rate limit of 100 requests per minute',
		condition: () => `${counted(latencyMs)} ms response time`,
		target: { atLeast: 9500 },
		unit: ' deliveries per minute',
		figure: ({ limit }) =>
			medianOf(
				limit,
				(run) => run.latencyMs === latencyMs,
				(run) => run.deliveriesPerMinute,
			),
	})),
	{
		subject: 'Trigger: events per second, compared with Webhook (header authentication)',
		condition: tenConnections,
		target: { atLeast: 1 },
		unit: '×',
		figure: (results) => ratio(eventRate(results, 'own'), eventRate(results, 'guarded')),
	},
	{
		subject:
			'Trigger: 99th percentile response time, compared with Webhook (header authentication)',
		condition: tenConnections,
		target: { atMost: 1 },
		unit: '×',
		figure: (results) => ratio(p99(results, 'own'), p99(results, 'guarded')),
	},
	{
		subject: 'Trigger: events per second, compared with Webhook (no authentication)',
		condition: tenConnections,
		target: { atLeast: 0.6 },
		unit: '×',
		figure: (results) => ratio(eventRate(results, 'own'), eventRate(results, 'open')),
	},
];

/** Compares the results with every goal. */
export function judge(results: Results): JudgedGoal[] {
	return goals.map(({ subject, condition, target, unit, figure }) => {
		const value = figure(results);
		const [limit, met] =
			'atLeast' in target
				? [`at least ${counted(target.atLeast)}`, value !== undefined && value >= target.atLeast]
				: [`at most ${counted(target.atMost)}`, value !== undefined && value <= target.atMost];
		return {
			subject,
			condition: condition(results.sizes),
			target: `${limit}${unit}`,
			measured: value === undefined ? 'not measured' : `${shown(value)}${unit}`,
			met: value === undefined ? undefined : met,
		};
	});
}
