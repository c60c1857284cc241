import { judge } from '../../../bench/goals';
import { rotated } from '../../../bench/parts/create';
import { sustained } from '../../../bench/parts/limit';
import { chart, svg } from '../../../bench/report/chart';
import { page } from '../../../bench/report/page';
import {
	aboveIdle,
	eventRate,
	medianOf,
	resultsSchema,
	type Contender,
	type CreateRun,
	type Receiver,
	type Results,
} from '../../../bench/results';
import { errorsOf } from '../../../bench/sending';
import { summarize } from '../../../bench/watch';

const run = (contender: Contender, changes: Partial<CreateRun> = {}): CreateRun => ({
	...{ contender, seconds: 1, standstillMs: 10, memoryMb: 10 },
	...changes,
});

const events = (receiver: Receiver, count: number) => ({
	...{ receiver, database: 'SQLite' as const, connections: 10, seconds: 2 },
	responsesMs: Array.from({ length: count }, (_, index) => index + 1),
});

const results: Results = {
	machine: {
		...{ date: '2026-01-02', processor: 'A & B', cores: 2, memoryGb: 8, system: 'Linux 6' },
		...{ node: '24.1.0', n8n: '2.0.0', package: '1.2.3' },
	},
	...{ quick: false, rounds: 5, minutes: 19.6, skipped: [], problems: [] },
	sizes: { deliveries: 10_000, remembered: 50_000, orders: 100_000 },
	create: [
		run('idleJson'),
		run('idleShopify'),
		run('ownJson', { seconds: 4, memoryMb: 60, standstillMs: 90 }),
		run('expert', { seconds: 5 }),
		run('single', { seconds: 37, memoryMb: 70 }),
		run('ownShopify', { seconds: 8, memoryMb: 72, standstillMs: 120 }),
		run('idleFulfillmentOrders', { seconds: 2 }),
		run('ownFulfillmentOrders', { seconds: 11.8 }),
	],
	limit: [{ scale: 10, latencyMs: 2000, deliveriesPerMinute: 9499 }],
	mapping: [
		{ orders: 10_000, withFulfillmentOrders: false, cpuSeconds: 1, jsonSeconds: 1 },
		{ orders: 10_000, withFulfillmentOrders: true, cpuSeconds: 1.3, jsonSeconds: 1 },
		{ orders: 100_000, withFulfillmentOrders: false, cpuSeconds: 12, jsonSeconds: 10 },
	],
	memory: [
		{ skip: true, remembered: 0, cpuSeconds: 5 },
		{ skip: true, remembered: 50_000, cpuSeconds: 8 },
		{ skip: false, remembered: 0, cpuSeconds: 3 },
	],
	trigger: [events('own', 20), events('guarded', 20), events('open', 50)],
};

test('compares every measured figure with its goal', () => {
	const judged = judge(results)
		.filter(({ met }) => met !== undefined)
		.map(({ subject, condition, target, measured, met }) =>
			[met ? 'met' : 'missed', subject, condition, target, measured].join(' | '),
		);
	const single = 'compared with HTTP Request (one request per delivery)';
	const json = '10,000 deliveries from JSON';
	const shopify = '10,000 Shopify orders, Skip Already Sent on';
	const alone = 'compared with the same orders without fulfillment orders';
	const health = "Slowest response of n8n's health check";
	const skipping = 'CPU time added by Skip Already Sent';
	const remembered = '10,000 new references, 50,000 remembered';
	const mapping = 'CPU time to map and validate Shopify orders, compared with a';
	const guarded = 'compared with Webhook (header authentication)';
	expect(judged).toEqual([
		`met | Speed compared with Code node, HTTP Request and Split Out (chunks of 100) | ${json} | at least 1× as fast | 1.33× as fast`,
		`met | Speed ${single} | ${json} | at least 12× as fast | 12.0× as fast`,
		`missed | Speed ${single} | ${shopify} | at least 6× as fast | 5.14× as fast`,
		`missed | Time ${alone} | 10,000 Shopify orders with fulfillment orders, Skip Already Sent on | at most 1.3× | 1.40×`,
		`met | Memory ${single} | ${json} | at most 0 MB more | -10.0 MB more`,
		`missed | Memory ${single} | ${shopify} | at most 0 MB more | 2.00 MB more`,
		`met | ${health} | ${json} | at most 100 ms | 90.0 ms`,
		`missed | ${health} | ${shopify} | at most 100 ms | 120 ms`,
		`met | ${skipping} | 10,000 new references, none remembered | at most 3 s | 2.00 s`,
		`missed | ${skipping} | ${remembered} | at most 3 s | 5.00 s`,
		`missed | ${skipping}, compared with none remembered | ${remembered} | at most 1.5× | 2.50×`,
		'missed | Throughput under the rate limit of 100 requests per minute | 2,000 ms response time, scaled time | at least 9,500 deliveries per minute | 9,499 deliveries per minute',
		`missed | ${mapping} tenth of them | 100,000 orders, without n8n | at most 11× | 12.0×`,
		`met | ${mapping} JSON round trip | 100,000 orders, without n8n | at most 2× | 1.20×`,
		`met | CPU time to map and validate, ${alone} | 10,000 orders with fulfillment orders, without n8n | at most 1.3× | 1.30×`,
		`met | Trigger: events per second, ${guarded} | SQLite, 10 connections | at least 1× | 1.00×`,
		`met | Trigger: 99th percentile response time, ${guarded} | SQLite, 10 connections | at most 1× | 1.00×`,
		'missed | Trigger: events per second, compared with Webhook (no authentication) | SQLite, 10 connections | at least 0.6× | 0.40×',
	]);
});

test('a goal without a figure is neither met nor missed', () => {
	const nothing = { create: [], limit: [], mapping: [], trigger: [], memory: [] };
	const goals = judge({ ...results, ...nothing });
	expect(goals.length).toBeGreaterThan(30);
	for (const { measured, met } of goals)
		expect([measured, met]).toEqual(['not measured', undefined]);
});

test('subtracts the median idle run with the same items', () => {
	const runs = [1, 3, 2].map((seconds) => run('idleJson', { seconds }));
	runs.push(run('idleShopify', { seconds: 4 }), run('single', { seconds: 10 }));
	runs.push(run('ownShopify', { seconds: 10 }));
	runs.push(run('idleFulfillmentOrders', { seconds: 5 }));
	runs.push(run('ownFulfillmentOrders', { seconds: 10 }));
	expect(aboveIdle(runs, 'single', ({ seconds }) => seconds)).toBe(8);
	expect(aboveIdle(runs, 'ownShopify', ({ seconds }) => seconds)).toBe(6);
	expect(aboveIdle(runs, 'ownFulfillmentOrders', ({ seconds }) => seconds)).toBe(5);
	expect(aboveIdle(runs, 'expert', ({ seconds }) => seconds)).toBeUndefined();
	expect(medianOf(runs, { contender: 'expert' }, ({ seconds }) => seconds)).toBeUndefined();
	expect(eventRate([])).toBeUndefined();
});

test('the benchmarks page has the chart, one table with every goal, and how to run it', () => {
	const text = page(results);
	expect(text).toContain('Measured on 2026-01-02 in 20 minutes: version 1.2.3');
	expect(text).toContain('n8n 2.0.0 on Node.js 24.1.0, 2 cores (A & B), 8 GB of memory, Linux 6');
	expect(text).toContain('](images/benchmarks.svg)');
	expect(text.match(/^## .+$/gm)).toEqual(['## How to run it']);
	const tables = text.split('\n\n').filter((block) => block.startsWith('|'));
	expect(tables).toHaveLength(1);
	const rows = tables.join('').split('\n');
	expect(rows).toHaveLength(2 + judge(results).length);
	expect(new Set(rows.map((row) => row.split('|').length))).toEqual(new Set([7]));
	expect(rows).toContain(
		'| CPU time added by Skip Already Sent | 10,000 new references, 50,000 remembered | at most 3 s | 5.00 s | **missed** |',
	);
});

test('the benchmarks page reports errors, unmeasured parts and quick runs', () => {
	expect(page(results)).not.toMatch(/quick run|Error in this run|Not measured/);
	const text = page({ ...results, quick: true, problems: ['one lost'], skipped: ['the trigger'] });
	expect(text).toContain('**This was a quick run**');
	expect(text).toContain('**Error in this run:** one lost');
	expect(text).toContain('**Not measured:** the trigger');
});

test('the page and the chart are the same from data saved as JSON', () => {
	const saved = resultsSchema.parse(JSON.parse(JSON.stringify(results)));
	expect(page(saved)).toBe(page(results));
	expect(chart(saved)).toBe(chart(results));
});

test('the chart has a bar per measured figure, with a length in proportion', () => {
	const drawn = svg([
		{
			title: 'a < b',
			bars: [
				{ label: 'own', value: 1, isOwn: true },
				{ label: 'other', value: 3, isOwn: false },
			],
		},
	]);
	const bars = /<rect x="\d+" y="\d+" width="(\d+)"/g;
	const [short, long] = [...drawn.matchAll(bars)].map(([, length]) => Number(length));
	expect(long).toBe(3 * (short ?? 0));
	expect(drawn).toContain('a &lt; b');
	expect(chart(results).match(bars)).toHaveLength(7);
	const withoutExpert = results.create.filter(({ contender }) => contender !== 'expert');
	expect(chart({ ...results, create: withoutExpert }).match(bars)).toHaveLength(6);
});

test('the throughput under the rate limit counts from the first full window', () => {
	const times = Array.from({ length: 200 }, (_, index) => (index < 100 ? index : 12_000 + index));
	expect(sustained(times, 6000)).toBeCloseTo(6000 / 12_100);
	expect(sustained(times.slice(0, 100), 6000)).toBe(0);
});

test('summarizes only samples within the period', () => {
	const samples = {
		responses: [
			[0, 500],
			[900, 220],
			[1500, 50],
			[2100, 900],
		],
		memory: [
			[900, 999_999],
			[1000, 1024],
			[1500, 4096],
			[2100, 999_999],
		],
	} satisfies Parameters<typeof summarize>[0];
	expect(summarize(samples, 1000, 2000)).toEqual({ standstillMs: 120, memoryMb: 3 });
});

test('reports missing, duplicated, lost, invented and rejected deliveries', () => {
	const account = { created: 5, rejected: 0, duplicated: 0, lost: 0, invented: 0, times: [] };
	expect(errorsOf(account, 5)).toEqual([]);
	const wrong = { ...account, duplicated: 1, lost: 2, invented: 3, rejected: 4 };
	expect(errorsOf(wrong, 6)).toEqual([
		'5 of 6 deliveries created',
		'1 created twice',
		'2 missing in the output',
		'3 in the output that were not created',
		'4 requests rejected with 429',
	]);
});

test('each alternative goes first in turn', () => {
	const orders = [0, 1, 2, 3].map((round) => rotated(['a', 'b', 'c'], round).join(''));
	expect(orders).toEqual(['abc', 'bca', 'cab', 'abc']);
});
