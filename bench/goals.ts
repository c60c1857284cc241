import { counted, median, percentile, shown } from './figures';
import {
	aboveIdle,
	medianOf,
	runsWith,
	type Contender,
	type CreateRun,
	type MemoryRun,
	type Results,
} from './results';

/** A goal, and how near this run came to it. */
export interface Goal {
	goal: string;
	wanted: string;
	/** What was measured, in words; undefined when it was not measured. */
	figure: string | undefined;
	met: boolean | undefined;
}

const connections = [1, 10, 50];

/** The goals, judged at the largest number of deliveries that was measured. */
export function goalsOf(results: Results): Goal[] {
	return [
		...creating(results),
		...remembering(results.memory),
		...underTheLimit(results),
		...mapping(results),
		...receiving(results),
		...loading(results),
	];
}

/** The largest number of deliveries at 20 ms an answer. */
export function mostOf({ create }: Pick<Results, 'create'>): number {
	return Math.max(0, ...runsWith(create, { latencyMs: 20 }).map(({ count }) => count));
}

function creating(results: Results): Goal[] {
	const count = mostOf(results);
	const figure = (contender: Contender, read: (run: CreateRun) => number) => {
		const shopify = contender === 'ownShopify';
		return aboveIdle(results.create, { contender, shopify, count, latencyMs: 20 }, read);
	};
	const seconds = (contender: Contender) => figure(contender, (run) => run.seconds);
	const memory = (contender: Contender) => figure(contender, (run) => run.memoryMb);
	const standstill = (contender: Contender) =>
		medianOf(results.create, { contender, count, latencyMs: 20 }, (run) => run.standstillMs);
	const number = counted(count);
	const judgeMemory = (contender: Contender, what: string) =>
		judge(
			`Memory above idle, ${number} ${what}`,
			'no more than HTTP Request, one an item',
			[memory(contender), memory('single')],
			(own, single) => [`${shown(own)} MB, HTTP Request ${shown(single)} MB`, own <= single],
		);
	const judgeStandstill = (contender: Contender, what: string) =>
		judge(
			`n8n stays alive, ${number} ${what}`,
			'no stand-still over 100 ms',
			[standstill(contender)],
			(ms) => [`${shown(ms)} ms`, ms <= 100],
		);
	return [
		judge(
			`${number} from JSON, 20 ms`,
			"no slower than the expert's chunks",
			[seconds('ownJson'), seconds('expert')],
			(own, expert) => [
				`${shown(own)} s, the chunks ${shown(expert)} s: ${shown(own / expert)} times`,
				own <= expert,
			],
		),
		judge(
			`${number} from JSON, 20 ms`,
			'12 times faster than HTTP Request, one an item',
			[seconds('ownJson'), seconds('single')],
			(own, single) => [
				`${shown(own)} s, HTTP Request ${shown(single)} s: ${shown(single / own)} times faster`,
				single / own >= 12,
			],
		),
		judge(
			`${number} Shopify orders, Skip Already Sent, 20 ms`,
			'6 times faster than HTTP Request, one an item',
			[seconds('ownShopify'), seconds('single')],
			(own, single) => [
				`${shown(own)} s, HTTP Request ${shown(single)} s: ${shown(single / own)} times faster`,
				single / own >= 6,
			],
		),
		judgeMemory('ownJson', 'from JSON'),
		judgeMemory('ownShopify', 'Shopify orders'),
		judgeStandstill('ownJson', 'from JSON'),
		judgeStandstill('ownShopify', 'Shopify orders'),
	];
}

/**
 * The processor time that remembering takes in these runs, which are alike in all else: what one costs
 * more than the same without skipping.
 * Gives undefined when it was not measured.
 */
export function shareOfMemory(runs: readonly MemoryRun[], remembered: number): number | undefined {
	const read = (run: MemoryRun) => run.cpuSeconds;
	const skipping = medianOf(runs, { skip: true, remembered }, read);
	const plain = medianOf(runs, { skip: false }, read);
	return skipping === undefined || plain === undefined ? undefined : skipping - plain;
}

function remembering(all: readonly MemoryRun[]): Goal[] {
	const runs = all.filter(({ queue }) => !queue);
	const most = Math.max(0, ...runs.map(({ remembered }) => remembered));
	const count = Math.max(0, ...runs.map((run) => run.count));
	const shares = [shareOfMemory(runs, 0), shareOfMemory(runs, most)] as const;
	const goal = `The memory's share of ${counted(count)} new references`;
	return [
		judge(goal, 'at most 3 s of processor time, with none remembered', [shares[0]], (none) => [
			`${shown(none)} s`,
			none <= 3,
		]),
		judge(goal, `at most 3 s, with ${counted(most)} remembered`, [shares[1]], (many) => [
			`${shown(many)} s`,
			many <= 3,
		]),
		judge(goal, 'one at most 1.5 times the other', shares, (none, many) => {
			const ratio = Math.max(none, many) / Math.min(none, many);
			return [`${shown(ratio)} times`, ratio > 0 && ratio <= 1.5];
		}),
	];
}

function underTheLimit({ limit }: Results): Goal[] {
	const latencies = [
		...new Set(runsWith(limit, { contender: 'ownJson' }).map((run) => run.latencyMs)),
	];
	return latencies.flatMap((latencyMs) => {
		const runs = runsWith(limit, { contender: 'ownJson', latencyMs });
		return [...new Set(runs.map(({ scale }) => scale))].map((scale) => {
			const chosen = runsWith(runs, { scale });
			const sum = (read: (run: (typeof chosen)[number]) => number) =>
				chosen.reduce((total, run) => total + read(run), 0);
			const [refused, lost] = [sum((run) => run.refused), sum((run) => run.lost)];
			return judge(
				`Under the limit, ${latencyMs} ms an answer${scale === 1 ? ', in real time' : ''}`,
				'95 % of 10,000 a minute, no 429, none lost',
				[medianOf(chosen, {}, (run) => run.deliveriesAMinute)],
				(rate) => [
					`${shown(rate)} a minute, ${refused} refused, ${lost} lost`,
					rate >= 9500 && refused === 0 && lost === 0,
				],
			);
		});
	});
}

function mapping({ mapping: runs }: Results): Goal[] {
	const counts = [...new Set(runs.map(({ orders }) => orders))].sort((a, b) => a - b);
	const [fewer = 0, most = 0] = counts.slice(-2);
	const cpu = (orders: number) => medianOf(runs, { orders }, (run) => run.cpuSeconds);
	const json = medianOf(runs, { orders: most }, (run) => run.jsonSeconds);
	return [
		judge(
			`Map and check, ${counted(most)} against ${counted(fewer)} orders`,
			'at most 11 times as long',
			[cpu(most), cpu(fewer)],
			(long, short) => [
				`${shown(long)} s and ${shown(short)} s: ${shown(long / short)} times`,
				long / short <= 11,
			],
		),
		judge(
			`Map and check, ${counted(most)} orders`,
			'less than twice a JSON round trip of them',
			[cpu(most), json],
			(own, trip) => [
				`${shown(own)} s, JSON ${shown(trip)} s: ${shown(own / trip)} times`,
				own / trip < 2,
			],
		),
	];
}

/** Events a second, the median of the runs. */
export function rateOf(runs: Results['trigger']): number | undefined {
	return medianOf(runs, {}, ({ answersMs, seconds }) => answersMs.length / seconds);
}

/** The time within which this share of all answers came, in milliseconds. */
export function answerTime(runs: Results['trigger'], share: number): number | undefined {
	const all = runs.flatMap(({ answersMs }) => answersMs);
	return all.length === 0 ? undefined : percentile(all, share);
}

function receiving({ trigger }: Results): Goal[] {
	const databases = [...new Set(trigger.map(({ database }) => database))];
	return databases.flatMap((database) =>
		connections.flatMap((count) => {
			const here = runsWith(trigger, { database, connections: count });
			if (here.length === 0) return [];
			const [own, guarded, bare] = (['own', 'guarded', 'bare'] as const).map((receiver) =>
				runsWith(here, { receiver }),
			);
			const p99 = (runs = own) => answerTime(runs ?? [], 0.99);
			const where = `Trigger, signed, ${database}, ${count} connection${count === 1 ? '' : 's'}`;
			return [
				judge(
					where,
					"at least the guarded Webhook node's events a second",
					[rateOf(own ?? []), rateOf(guarded ?? [])],
					(rate, other) => [
						`${shown(rate)} and ${shown(other)}: ${shown(rate / other)} times`,
						rate >= other,
					],
				),
				judge(where, 'p99 no higher than its', [p99(own), p99(guarded)], (ms, other) => [
					`${shown(ms)} and ${shown(other)} ms`,
					ms <= other,
				]),
				judge(
					where,
					'above 0.6 of the open Webhook node',
					[rateOf(own ?? []), rateOf(bare ?? [])],
					(rate, other) => [
						`${shown(rate)} and ${shown(other)}: ${shown(rate / other)} times`,
						rate / other > 0.6,
					],
				),
			];
		}),
	);
}

function loading({ weight, tarballKb }: Results): Goal[] {
	const of = (pair: 'own' | 'onfleet', read: (run: Results['weight'][number]) => number) => {
		const values = runsWith(weight, { pair }).map(read);
		return values.length === 0 ? undefined : median(values);
	};
	const both = (read: (run: Results['weight'][number]) => number) =>
		[of('own', read), of('onfleet', read)] as const;
	return [
		judge(
			'Time to load both nodes',
			"no more than n8n's Onfleet pair",
			both((run) => run.milliseconds),
			(own, other) => [`${shown(own)} ms, Onfleet ${shown(other)} ms`, own <= other],
		),
		judge(
			'Heap of both nodes',
			"no more than n8n's Onfleet pair",
			both((run) => run.heapKb),
			(own, other) => [`${shown(own)} kB, Onfleet ${shown(other)} kB`, own <= other],
		),
		judge('Package to download', 'at most 75 kB', [tarballKb], (kb) => [
			`${shown(kb)} kB`,
			kb <= 75,
		]),
	];
}

function judge(
	goal: string,
	wanted: string,
	figures: readonly [number | undefined, (number | undefined)?],
	verdict: (first: number, second: number) => [string, boolean],
): Goal {
	const [first, second] = figures;
	if (first === undefined || (figures.length === 2 && second === undefined))
		return { goal, wanted, figure: undefined, met: undefined };
	const [figure, met] = verdict(first, second ?? first);
	return { goal, wanted, figure, met };
}
