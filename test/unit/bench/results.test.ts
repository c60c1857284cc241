import { judge } from '../../../bench/goals';
import { sustained } from '../../../bench/parts/limit';
import type { Receiver, Results } from '../../../bench/results';
import { errorsOf } from '../../../bench/sending';

const events = (receiver: Receiver, count: number) => ({
	receiver,
	seconds: 2,
	responsesMs: Array.from({ length: count }, (_, index) => index + 1),
});

const results: Results = {
	machine: {
		...{ date: '2026-01-02', processor: 'A & B', cores: 2, memoryGb: 8, system: 'Linux 6' },
		...{ node: '24.1.0', n8n: '2.0.0', package: '1.2.3' },
	},
	...{ quick: false, rounds: 5, minutes: 14.6, problems: [] },
	sizes: { deliveries: 10_000, some: 10_000, most: 20_000 },
	create: [
		{ contender: 'json', seconds: 3, standstillMs: 90 },
		{ contender: 'chunks', seconds: 5, standstillMs: 400 },
		{ contender: 'single', seconds: 36, standstillMs: 900 },
		{ contender: 'ordersEmpty', seconds: 4, standstillMs: 90 },
		{ contender: 'ordersSome', seconds: 8, standstillMs: 95 },
		{ contender: 'ordersFull', seconds: 7, standstillMs: 120 },
	],
	order: [
		{ contender: 'single', ms: 50 },
		{ contender: 'single', ms: 70 },
		{ contender: 'ordersEmpty', ms: 120 },
		{ contender: 'ordersFull', ms: 240 },
	],
	limit: [{ latencyMs: 2000, deliveriesPerMinute: 9499 }],
	trigger: [events('own', 20), events('guarded', 20), events('open', 50)],
};

test('compares every measured figure with its goal', () => {
	const judged = judge(results)
		.filter(({ met }) => met !== undefined)
		.map(({ subject, condition, target, measured, met }) =>
			[met ? 'met' : 'missed', subject, condition, target, measured].join(' | '),
		);
	const order = 'Time of an execution with one order, compared with HTTP Request';
	const standstill = 'Longest time for which n8n does nothing else';
	const rate = 'Throughput under the rate limit of 100 requests per minute';
	const guarded = 'compared with Webhook (header authentication)';
	expect(judged).toEqual([
		`met | ${order} | 0 orders remembered | at most 2× | 2.00×`,
		`missed | ${order} | 20,000 orders remembered | at most 3× | 4.00×`,
		'missed | Time of new orders, compared with an empty memory | 10,000 Shopify orders, 20,000 remembered | at most 1.5× | 1.75×',
		'met | Time compared with Code node, HTTP Request and Split Out (chunks of 100) | 10,000 deliveries from JSON | at most 0.6× | 0.60×',
		'missed | Speed compared with HTTP Request (one request per delivery) | 10,000 Shopify orders, 10,000 others remembered | at least 5× as fast | 4.50× as fast',
		`met | ${standstill} | 10,000 deliveries from JSON | at most 100 ms | 90.0 ms`,
		`missed | ${standstill} | 10,000 Shopify orders, 20,000 remembered | at most 100 ms | 120 ms`,
		`missed | ${rate} | 2,000 ms response time | at least 9,500 deliveries per minute | 9,499 deliveries per minute`,
		`met | Trigger: events per second, ${guarded} | 10 connections | at least 1× | 1.00×`,
		`met | Trigger: 99th percentile response time, ${guarded} | 10 connections | at most 1× | 1.00×`,
		'missed | Trigger: events per second, compared with Webhook (no authentication) | 10 connections | at least 0.6× | 0.40×',
	]);
});

test('the throughput under the rate limit counts from the first full window', () => {
	const limit = { requests: 100, perMs: 6000 };
	const times = Array.from({ length: 200 }, (_, index) => (index < 100 ? index : 12_000 + index));
	expect(sustained(times, limit)).toBeCloseTo(6000 / 12_100);
	expect(sustained(times.slice(0, 100), limit)).toBe(0);
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
