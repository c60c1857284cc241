import { goalsOf, mostOf, rateOf } from '../../../bench/goals';
import { page } from '../../../bench/report/page';
import { chart, svg } from '../../../bench/report/chart';
import { sustained } from '../../../bench/parts/limit';
import { turned } from '../../../bench/parts/create';
import { aboveIdle, medianOf, type CreateRun, type Results } from '../../../bench/results';
import { faultsOf } from '../../../bench/sending';
import { summarize } from '../../../bench/watch';

const run = (changes: Partial<CreateRun>): CreateRun => ({
	...{ contender: 'idle', shopify: false, count: 10_000, latencyMs: 20 },
	...{ seconds: 1, cpuSeconds: 1, standstillMs: 10, memoryMb: 10, requests: 0 },
	...changes,
});

const trigger = (receiver: Results['trigger'][number]['receiver'], events: number) => ({
	...{ receiver, database: 'SQLite' as const, connections: 10, seconds: 2 },
	answersMs: Array.from({ length: events }, (_, index) => index),
});

const results: Results = {
	machine: {
		...{ date: '2026-01-02', processor: 'A & B', cores: 2, memoryGb: 8, system: 'Linux 6' },
		...{ node: '24.0.0', n8nNode: '24.1.0', n8n: '2.0.0', package: '1.2.3' },
	},
	...{ quick: false, rounds: 5, minutes: 20, tarballKb: 80, leftOut: [], problems: [] },
	create: [
		run({}),
		run({ shopify: true }),
		run({ contender: 'ownJson', seconds: 4, memoryMb: 60, standstillMs: 90, requests: 100 }),
		run({ contender: 'expert', seconds: 5, requests: 100 }),
		run({ contender: 'single', seconds: 37, memoryMb: 70, requests: 10_000 }),
		run({ contender: 'ownShopify', shopify: true, seconds: 8, standstillMs: 120 }),
	],
	limit: [
		{
			...{ contender: 'ownJson', scale: 10, latencyMs: 2000 },
			...{ deliveriesAMinute: 9600, created: 2000, refused: 1, lost: 0 },
		},
	],
	mapping: [
		{ orders: 10_000, cpuSeconds: 1, jsonSeconds: 1 },
		{ orders: 100_000, cpuSeconds: 12, jsonSeconds: 10 },
	],
	trigger: [trigger('own', 20), trigger('guarded', 20), trigger('bare', 50)],
	memory: [
		...[0, 50_000].map((remembered) => ({
			...{ remembered, count: 10_000, queue: false, workers: 1, seconds: 9, skip: true },
			cpuSeconds: remembered === 0 ? 5 : 8,
		})),
		...[3].map((cpuSeconds) => ({
			...{ remembered: 0, count: 10_000, queue: false, workers: 1, seconds: 9, skip: false },
			cpuSeconds,
		})),
	],
	weight: [
		{ pair: 'own', milliseconds: 20, heapKb: 900 },
		{ pair: 'onfleet', milliseconds: 25, heapKb: 800 },
	],
};

test('each goal is told with its figure, and whether it was met', () => {
	const told = goalsOf(results).map(({ goal, wanted, figure, met }) =>
		[met === true ? 'met' : met === false ? 'missed' : '-', goal, wanted, figure].join(' | '),
	);
	expect(told).toEqual([
		"met | 10,000 from JSON, 20 ms | no slower than the expert's chunks | 3.00 s, the chunks 4.00 s: 0.75 times",
		'met | 10,000 from JSON, 20 ms | 12 times faster than HTTP Request, one an item | 3.00 s, HTTP Request 36.0 s: 12.0 times faster',
		'missed | 10,000 Shopify orders, Skip Already Sent, 20 ms | 6 times faster than HTTP Request, one an item | 7.00 s, HTTP Request 36.0 s: 5.14 times faster',
		'met | Memory above idle, 10,000 from JSON | no more than HTTP Request, one an item | 50.0 MB, HTTP Request 60.0 MB',
		'met | Memory above idle, 10,000 Shopify orders | no more than HTTP Request, one an item | 0.00 MB, HTTP Request 60.0 MB',
		'met | n8n stays alive, 10,000 from JSON | no stand-still over 100 ms | 90.0 ms',
		'missed | n8n stays alive, 10,000 Shopify orders | no stand-still over 100 ms | 120 ms',
		"met | The memory's share of 10,000 new references | at most 3 s of processor time, with none remembered | 2.00 s",
		"missed | The memory's share of 10,000 new references | at most 3 s, with 50,000 remembered | 5.00 s",
		"missed | The memory's share of 10,000 new references | one at most 1.5 times the other | 2.50 times",
		'missed | Under the limit, 2000 ms an answer | 95 % of 10,000 a minute, no 429, none lost | 9,600 a minute, 1 refused, 0 lost',
		'missed | Map and check, 100,000 against 10,000 orders | at most 11 times as long | 12.0 s and 1.00 s: 12.0 times',
		'met | Map and check, 100,000 orders | less than twice a JSON round trip of them | 12.0 s, JSON 10.0 s: 1.20 times',
		"met | Trigger, signed, SQLite, 10 connections | at least the guarded Webhook node's events a second | 10.0 and 10.0: 1.00 times",
		'met | Trigger, signed, SQLite, 10 connections | p99 no higher than its | 19.0 and 19.0 ms',
		'missed | Trigger, signed, SQLite, 10 connections | above 0.6 of the open Webhook node | 10.0 and 25.0: 0.40 times',
		"met | Time to load both nodes | no more than n8n's Onfleet pair | 20.0 ms, Onfleet 25.0 ms",
		"missed | Heap of both nodes | no more than n8n's Onfleet pair | 900 kB, Onfleet 800 kB",
		'missed | Package to download | at most 75 kB | 80.0 kB',
	]);
});

test('a goal whose figure was not measured is neither met nor missed', () => {
	const nothing = { create: [], limit: [], mapping: [], trigger: [], memory: [], weight: [] };
	const goals = goalsOf({ ...results, ...nothing, tarballKb: undefined });
	expect(goals.length).toBeGreaterThan(8);
	for (const { figure, met } of goals) expect([figure, met]).toEqual([undefined, undefined]);
});

test('what a run takes above idle is held against the idle runs of the same items only', () => {
	const runs = [
		run({ seconds: 1 }),
		run({ seconds: 3 }),
		run({ seconds: 2 }),
		run({ seconds: 9, count: 100 }),
		run({ seconds: 9, shopify: true }),
		run({ contender: 'single', seconds: 10 }),
	];
	const wanted = { contender: 'single', shopify: false, count: 10_000, latencyMs: 20 } as const;
	expect(aboveIdle(runs, wanted, ({ seconds }) => seconds)).toBe(8);
	expect(aboveIdle(runs, { ...wanted, count: 5 }, ({ seconds }) => seconds)).toBeUndefined();
	expect(medianOf(runs, { contender: 'expert' }, ({ seconds }) => seconds)).toBeUndefined();
	expect(mostOf({ create: runs })).toBe(10_000);
});

test('the page has a row for each contender, every line of a table as many cells, and no path', () => {
	const text = page(results);
	expect(text).toContain('2 cores (A & B), 8 GB of memory, Linux 6; n8n 2.0.0 on Node.js 24.1.0');
	expect(text).toContain('| 20 ms | 10,000 | this node, JSON | 100 | 3.00 | 50.0 | 90.0 |');
	expect(text).toContain('| one process | 10,000 | 50,000 | 9.00 | 8.00 | 5.00 |');
	expect(text).not.toContain(process.cwd());
	const tables = text
		.trim()
		.split('\n\n')
		.filter((block) => block.startsWith('|'));
	expect(tables.length).toBe(7);
	for (const block of tables)
		expect(new Set(block.split('\n').map((line) => line.split('|').length)).size).toBe(1);
	expect(text).not.toContain('quick run');
	expect(page({ ...results, quick: true })).toContain('**This was a quick run**');
	expect(page({ ...results, problems: ['one lost'] })).toContain('**Wrong in this run:** one lost');
});

test('the page tells only of runs that were made', () => {
	const [limited] = results.limit;
	const [remembered] = results.memory;
	if (!limited || !remembered) throw new Error('The results lack a run');
	const whole: Results = {
		...results,
		create: [
			...results.create,
			...[1, 2, 3].map(() => run({ contender: 'ownJson', latencyMs: 1000, count: 1000 })),
			run({ contender: 'ownJson', latencyMs: 1000 }),
			run({ contender: 'batching', count: 1000 }),
		],
		limit: [...results.limit, { ...limited, contender: 'single', scale: 1 }],
		trigger: [...results.trigger, trigger('withCredential', 20)],
		memory: [
			...results.memory,
			{ ...remembered, remembered: 10_000 },
			...[1, 2].map(() => ({ ...remembered, queue: true, workers: 2 })),
		],
	};
	const sentences = [
		'Those at 1 s, where no goal is judged, are of 3 runs for 1,000 deliveries and one run for 10,000 deliveries.',
		"HTTP Request with its option Batching as n8n sets it (50 items, then a second's pause) was run once.",
		'The others have no limit of their own and ran once',
		'With 10,000 remembered, where no goal is judged, they are of one run.',
		'In queue mode with PostgreSQL and Redis, where no goal is judged, 2 workers had 2 runs.',
		'whether the workflow may use it (one run).',
	];
	const told = (text: string) => sentences.filter((sentence) => text.includes(sentence));
	expect(told(page(whole))).toEqual(sentences);
	expect(page(results)).not.toMatch(/at 1 s|Batching|The others|queue mode|may use it/);
	expect(page(results)).not.toContain('10,000 remembered');
});

test('the chart has a bar for each contender, as long as its figure', () => {
	const drawn = svg([
		{
			title: 'a < b',
			bars: [
				{ label: 'ours', value: 1, own: true },
				{ label: 'theirs', value: 4, own: false },
			],
		},
	]);
	const lengths = [...drawn.matchAll(/<rect x="450" y="\d+" width="(\d+)"/g)].map(([, w]) =>
		Number(w),
	);
	expect(lengths).toEqual([85, 340]);
	expect(drawn).toContain('a &lt; b');
	expect(chart(results).match(/<rect x="450"/g)).toHaveLength(7);
});

test('the rate under the limit is what came once the first window was full', () => {
	const times = Array.from({ length: 200 }, (_, index) => (index < 100 ? index : 12_000 + index));
	expect(sustained(times, 6000)).toBeCloseTo(6000 / 12_100);
	expect(sustained(times.slice(0, 100), 6000)).toBe(0);
});

test('of what was seen, only what lies in between counts', () => {
	const seen = {
		answers: [
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
	expect(summarize(seen, 1000, 2000)).toEqual({ standstillMs: 120, memoryMb: 3 });
});

test('deliveries that are missing, twice, lost, invented or refused are faults', () => {
	const account = {
		requests: 1,
		refused: 0,
		created: 5,
		twice: 0,
		lost: 0,
		invented: 0,
		times: [],
	};
	expect(faultsOf(account, 5)).toEqual([]);
	expect(faultsOf({ ...account, twice: 1, lost: 2, invented: 3, refused: 4 }, 6)).toEqual([
		'5 of 6 deliveries created',
		'1 created twice',
		'2 not in the output',
		'3 in the output that were not created',
		'4 requests refused with 429',
	]);
});

test('each comes first in its turn', () => {
	expect([0, 1, 2, 3].map((round) => turned(['a', 'b', 'c'], round).join(''))).toEqual([
		'abc',
		'bca',
		'cab',
		'abc',
	]);
	expect(rateOf([])).toBeUndefined();
});
