import { counted, percentile, shown } from './figures';
import {
	aboveIdle,
	databases,
	eventRate,
	medianOf,
	runsWith,
	type Contender,
	type Results,
	type Sizes,
	type TriggerRun,
} from './results';

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

const combine = (one: Figure, other: Figure, calculate: (one: number, other: number) => number) =>
	one === undefined || other === undefined ? undefined : calculate(one, other);
const ratio = (one: Figure, other: Figure) => combine(one, other, (a, b) => a / b);
const difference = (one: Figure, other: Figure) => combine(one, other, (a, b) => a - b);

const seconds = ({ create }: Results, contender: Contender) =>
	aboveIdle(create, contender, (run) => run.seconds);
const memoryMb = ({ create }: Results, contender: Contender) =>
	aboveIdle(create, contender, (run) => run.memoryMb);
const standstillMs = ({ create }: Results, contender: Contender) =>
	medianOf(create, { contender }, (run) => run.standstillMs);

/** The CPU time that Skip Already Sent adds to otherwise equal runs. */
const skipping = ({ memory }: Results, remembered: number) =>
	difference(
		medianOf(memory, { skip: true, remembered }, (run) => run.cpuSeconds),
		medianOf(memory, { skip: false }, (run) => run.cpuSeconds),
	);

const mapping = ({ mapping: runs }: Results, orders: number, withFulfillmentOrders = false) =>
	medianOf(runs, { orders, withFulfillmentOrders }, (run) => run.cpuSeconds);

const p99 = (runs: readonly TriggerRun[]) =>
	runs.length === 0
		? undefined
		: percentile(
				runs.flatMap(({ responsesMs }) => responsesMs),
				0.99,
			);

const fromJson = ({ deliveries }: Sizes) => `${counted(deliveries)} deliveries from JSON`;
const fromShopify = ({ deliveries }: Sizes) =>
	`${counted(deliveries)} Shopify orders, Skip Already Sent on`;
const noneRemembered = ({ deliveries }: Sizes) =>
	`${counted(deliveries)} new references, none remembered`;
const manyRemembered = ({ deliveries, remembered }: Sizes) =>
	`${counted(deliveries)} new references, ${counted(remembered)} remembered`;

const goals: readonly Goal[] = [
	{
		subject: 'Speed compared with Code node, HTTP Request and Split Out (chunks of 100)',
		condition: fromJson,
		target: { atLeast: 1 },
		unit: '× as fast',
		figure: (results) => ratio(seconds(results, 'expert'), seconds(results, 'ownJson')),
	},
	{
		subject: 'Speed compared with HTTP Request (one request per delivery)',
		condition: fromJson,
		target: { atLeast: 12 },
		unit: '× as fast',
		figure: (results) => ratio(seconds(results, 'single'), seconds(results, 'ownJson')),
	},
	{
		subject: 'Speed compared with HTTP Request (one request per delivery)',
		condition: fromShopify,
		target: { atLeast: 6 },
		unit: '× as fast',
		figure: (results) => ratio(seconds(results, 'single'), seconds(results, 'ownShopify')),
	},
	{
		subject: 'Time compared with the same orders without fulfillment orders',
		condition: ({ deliveries }) =>
			`${counted(deliveries)} Shopify orders with fulfillment orders, Skip Already Sent on`,
		target: { atMost: 1.3 },
		unit: '×',
		figure: (results) =>
			ratio(seconds(results, 'ownFulfillmentOrders'), seconds(results, 'ownShopify')),
	},
	{
		subject: 'Memory compared with HTTP Request (one request per delivery)',
		condition: fromJson,
		target: { atMost: 0 },
		unit: ' MB more',
		figure: (results) => difference(memoryMb(results, 'ownJson'), memoryMb(results, 'single')),
	},
	{
		subject: 'Memory compared with HTTP Request (one request per delivery)',
		condition: fromShopify,
		target: { atMost: 0 },
		unit: ' MB more',
		figure: (results) => difference(memoryMb(results, 'ownShopify'), memoryMb(results, 'single')),
	},
	{
		subject: "Slowest response of n8n's health check",
		condition: fromJson,
		target: { atMost: 100 },
		unit: ' ms',
		figure: (results) => standstillMs(results, 'ownJson'),
	},
	{
		subject: "Slowest response of n8n's health check",
		condition: fromShopify,
		target: { atMost: 100 },
		unit: ' ms',
		figure: (results) => standstillMs(results, 'ownShopify'),
	},
	{
		subject: 'CPU time added by Skip Already Sent',
		condition: noneRemembered,
		target: { atMost: 3 },
		unit: ' s',
		figure: (results) => skipping(results, 0),
	},
	{
		subject: 'CPU time added by Skip Already Sent',
		condition: manyRemembered,
		target: { atMost: 3 },
		unit: ' s',
		figure: (results) => skipping(results, results.sizes.remembered),
	},
	{
		subject: 'CPU time added by Skip Already Sent, compared with none remembered',
		condition: manyRemembered,
		target: { atMost: 1.5 },
		unit: '×',
		figure: (results) => ratio(skipping(results, results.sizes.remembered), skipping(results, 0)),
	},
	...[
		{ latencyMs: 20, scale: 10 },
		{ latencyMs: 2000, scale: 10 },
		{ latencyMs: 2000, scale: 1 },
	].map(({ latencyMs, scale }): Goal => ({
		subject: 'Throughput under the rate limit of 100 requests per minute',
		condition: () =>
			`${counted(latencyMs)} ms response time, ${scale === 1 ? 'real time' : 'scaled time'}`,
		target: { atLeast: 9500 },
		unit: ' deliveries per minute',
		figure: ({ limit }) => medianOf(limit, { latencyMs, scale }, (run) => run.deliveriesPerMinute),
	})),
	{
		subject: 'CPU time to map and validate Shopify orders, compared with a tenth of them',
		condition: ({ orders }) => `${counted(orders)} orders, without n8n`,
		target: { atMost: 11 },
		unit: '×',
		figure: (results) =>
			ratio(mapping(results, results.sizes.orders), mapping(results, results.sizes.orders / 10)),
	},
	{
		subject: 'CPU time to map and validate Shopify orders, compared with a JSON round trip',
		condition: ({ orders }) => `${counted(orders)} orders, without n8n`,
		target: { atMost: 2 },
		unit: '×',
		figure: (results) =>
			ratio(
				mapping(results, results.sizes.orders),
				medianOf(results.mapping, { orders: results.sizes.orders }, (run) => run.jsonSeconds),
			),
	},
	{
		subject:
			'CPU time to map and validate, compared with the same orders without fulfillment orders',
		condition: ({ orders }) =>
			`${counted(orders / 10)} orders with fulfillment orders, without n8n`,
		target: { atMost: 1.3 },
		unit: '×',
		figure: (results) =>
			ratio(
				mapping(results, results.sizes.orders / 10, true),
				mapping(results, results.sizes.orders / 10),
			),
	},
	...databases.flatMap((database) =>
		[1, 10, 50].flatMap((connections): Goal[] => {
			const condition = () => `${database}, ${connections} connection${connections > 1 ? 's' : ''}`;
			const compare =
				(read: (runs: readonly TriggerRun[]) => Figure, other: TriggerRun['receiver']) =>
				({ trigger }: Results) => {
					const runs = runsWith(trigger, { database, connections });
					return ratio(
						read(runsWith(runs, { receiver: 'own' })),
						read(runsWith(runs, { receiver: other })),
					);
				};
			return [
				{
					subject: 'Trigger: events per second, compared with Webhook (header authentication)',
					condition,
					target: { atLeast: 1 },
					unit: '×',
					figure: compare(eventRate, 'guarded'),
				},
				{
					subject:
						'Trigger: 99th percentile response time, compared with Webhook (header authentication)',
					condition,
					target: { atMost: 1 },
					unit: '×',
					figure: compare(p99, 'guarded'),
				},
				{
					subject: 'Trigger: events per second, compared with Webhook (no authentication)',
					condition,
					target: { atLeast: 0.6 },
					unit: '×',
					figure: compare(eventRate, 'open'),
				},
			];
		}),
	),
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
