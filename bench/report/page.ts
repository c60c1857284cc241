import { counted, shown } from '../figures';
import { answerTime, goalsOf, rateOf, shareOfMemory } from '../goals';
import {
	aboveIdle,
	contenders,
	medianOf,
	receivers,
	runsWith,
	type CreateRun,
	type MappingRun,
	type Receiver,
	type Results,
	type WeightRun,
} from '../results';

const none = '–';

const quickNote =
	'**This was a quick run**, of small sizes, once each, on a machine that was busy with other work: it shows what is measured, and no figure to rely on.';

/** Writes the page of all that was measured, as Markdown. */
export function page(results: Results): string {
	const { machine, quick, minutes, leftOut, problems } = results;
	return [
		'# Benchmarks',
		'',
		'Written by `npm run bench`, which measures all of this in one run, in a real n8n, and draws the chart from the same figures. Do not edit it. What is compared takes turns; a figure is the median of its runs.',
		'',
		`Measured on ${machine.date} in ${Math.round(minutes)} minutes: ${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB of memory, ${machine.system}; n8n ${machine.n8n} on Node.js ${machine.n8nNode}, version ${machine.package} of this package. The service is the local one, in another process on the same machine.`,
		'',
		...(quick ? [quickNote, ''] : []),
		...problems.map((problem) => `**Wrong in this run:** ${problem}\n`),
		'![Seconds to create deliveries and events a second, each beside what is used instead](images/benchmarks.svg)',
		'',
		'## Goals',
		'',
		markdown(
			['Goal', 'Wanted', 'Measured', ''],
			goalsOf(results).map(({ goal, wanted, figure, met }) => [
				goal,
				wanted,
				figure ?? 'not measured',
				met === undefined ? none : met ? 'met' : '**missed**',
			]),
		),
		'',
		...leftOut.flatMap((text) => [`Left out. ${text}`, '']),
		'## Creating deliveries',
		'',
		paragraph(
			`How much more the same workflow takes than without the sending: from the first node that sends to the last one's end. "Memory" is the most that n8n held beyond what it held when the sending began, with all that it had started. "Stand-still" is the longest that n8n's health page took to answer meanwhile. HTTP Request and the chunks are given deliveries that are ready to send, which spares them the mapping. They would break the service's limit of 100 requests a minute, so the limit was lifted for all. This node kept its own all the same, and began each run with none of it used. Executions were not saved.`,
			...createdHow(results),
		),
		'',
		createTable(results.create),
		'',
		"## Under the service's limit",
		'',
		paragraph(
			'100 requests a minute, as the service allows. "Scaled" means in a tenth of the time: a window of 6 s, a tenth of the latency, and 10 deliveries a request, so that n8n has as much to do each second as in real time, and ten times more requests. For this, the one constant with the minute was changed in the installed package. The rate is the one that holds once the first window is full: how much later the hundredth request after each one came.',
			...othersUnderLimit(results),
		),
		'',
		limitTable(results),
		'',
		'## Straight lines',
		'',
		'Processor time to map Shopify orders to deliveries and check each against every rule, without n8n, beside the same orders to JSON and back. Each number in a fresh process.',
		'',
		mappingTable(results.mapping),
		'',
		'## The memory of sent orders',
		'',
		paragraph(
			`Processor time of n8n for new references with Skip Already Sent, and how much of it is the memory's: what it takes more than without skipping. 20 ms an answer.`,
			...rememberedHow(results),
		),
		'',
		memoryTable(results),
		'',
		'## The trigger',
		'',
		paragraph(
			`Events through n8n's webhook server, answered when the execution has started; each connection brings the next event when the last is answered, for 2 seconds a run. A node that does nothing follows, and executions are saved, as n8n does by default.`,
			...unusedCredential(results),
		),
		'',
		triggerTable(results),
		'',
		'## Weight',
		'',
		`The package is ${results.tarballKb === undefined ? none : shown(results.tarballKb)} kB to download. Both nodes were loaded in a fresh process in which what n8n itself loads was loaded before.`,
		'',
		weightTable(results.weight),
		'',
	].join('\n');
}

/** How often deliveries were created. */
function createdHow({ create, rounds }: Results): string[] {
	const slow = runsWith(create, { latencyMs: 1000 });
	const slowRuns = distinct(slow, ['count']).map(({ contender, count }) => {
		const alike = runsWith(slow, { contender, count });
		return `${howMany(alike.length)} for ${counted(count)} deliveries`;
	});
	const batching = runsWith(create, { contender: 'batching' });
	return [
		`The medians at 20 ms are of ${howMany(rounds)}.`,
		...only(
			slow.length > 0,
			`Those at 1 s, where no goal is judged, are of ${slowRuns.join(' and ')}.`,
		),
		...only(
			batching.length > 0,
			"HTTP Request with its option Batching as n8n sets it (50 items, then a second's pause) was run once.",
		),
	];
}

/** What is to be known of the others under the limit. */
function othersUnderLimit({ limit }: Results): string[] {
	return only(
		limit.some(({ contender }) => contender !== 'ownJson'),
		'The others have no limit of their own and ran once, in real time; their rate is what was created in the first minute.',
	);
}

/** How often references were sent that are remembered. */
function rememberedHow({ memory, rounds }: Results): string[] {
	const skipping = runsWith(memory, { skip: true });
	const inOne = runsWith(skipping, { queue: false });
	const most = Math.max(...inOne.map(({ remembered }) => remembered));
	const between = inOne.filter(({ remembered }) => remembered > 0 && remembered < most);
	const queued = runsWith(skipping, { queue: true });
	return [
		`The medians are of ${howMany(rounds)}.`,
		...distinct(between, ['remembered']).map(({ remembered }) => {
			const alike = runsWith(between, { remembered });
			return `With ${counted(remembered)} remembered, where no goal is judged, they are of ${howMany(alike.length)}.`;
		}),
		...distinct(queued, ['workers']).map(({ workers }) => {
			const alike = runsWith(queued, { workers });
			return `In queue mode with PostgreSQL and Redis, where no goal is judged, ${workersTold(workers)} had ${howMany(alike.length)}.`;
		}),
	];
}

/** What a credential costs that is not used. */
function unusedCredential({ trigger }: Results): string[] {
	return distinct(runsWith(trigger, { receiver: 'withCredential' }), ['receiver']).map(
		({ receiver, database, connections }) => {
			const alike = runsWith(trigger, { receiver, database, connections });
			return `"With a credential that it does not use" shows what n8n itself costs each workflow that holds a credential: it looks for each execution whether the workflow may use it (${howMany(alike.length)}).`;
		},
	);
}

function paragraph(...sentences: readonly string[]): string {
	return sentences.join(' ');
}

/** A sentence that is said only when it is true. */
function only(isTrue: boolean, sentence: string): string[] {
	return isTrue ? [sentence] : [];
}

function howMany(runs: number): string {
	return runs === 1 ? 'one run' : `${runs} runs`;
}

function workersTold(workers: number): string {
	return `${workers} worker${workers === 1 ? '' : 's'}`;
}

function createTable(runs: readonly CreateRun[]): string {
	const rows = distinct(
		runs.filter(({ contender }) => contender !== 'idle'),
		['latencyMs', 'count', 'shopify', 'contender'],
	);
	return markdown(
		['Answer', 'Deliveries', 'With', 'Requests', 'Seconds', 'Memory, MB', 'Stand-still, ms'],
		rows.map(({ latencyMs, count, shopify, contender }) => {
			const wanted = { latencyMs, count, shopify, contender };
			return [
				`${latencyMs} ms`,
				counted(count),
				contenders[contender],
				cell(medianOf(runs, wanted, (run) => run.requests)),
				cell(aboveIdle(runs, wanted, (run) => run.seconds)),
				cell(aboveIdle(runs, wanted, (run) => run.memoryMb)),
				cell(medianOf(runs, wanted, (run) => run.standstillMs)),
			];
		}),
	);
}

function limitTable({ limit }: Results): string {
	const rows = distinct(limit, ['contender', 'scale', 'latencyMs']);
	return markdown(
		[
			'With',
			'Answer',
			'Time',
			'Deliveries a minute',
			'Created',
			'Refused (429)',
			'Created, not put out',
		],
		rows.map(({ contender, scale, latencyMs }) => {
			const wanted = { contender, scale, latencyMs };
			return [
				contenders[contender],
				`${latencyMs} ms`,
				scale === 1 ? 'real' : 'scaled',
				cell(medianOf(limit, wanted, (run) => run.deliveriesAMinute)),
				cell(medianOf(limit, wanted, (run) => run.created)),
				cell(medianOf(limit, wanted, (run) => run.refused)),
				cell(medianOf(limit, wanted, (run) => run.lost)),
			];
		}),
	);
}

function mappingTable(runs: readonly MappingRun[]): string {
	const counts = [...new Set(runs.map(({ orders }) => orders))].sort((one, two) => one - two);
	return markdown(
		['Orders', 'Map and check, s', 'To JSON and back, s'],
		counts.map((orders) => [
			counted(orders),
			cell(medianOf(runs, { orders }, (run) => run.cpuSeconds)),
			cell(medianOf(runs, { orders }, (run) => run.jsonSeconds)),
		]),
	);
}

function memoryTable({ memory }: Results): string {
	const rows = distinct(runsWith(memory, { skip: true }), ['queue', 'workers', 'remembered']);
	return markdown(
		['n8n', 'New', 'Remembered before', 'Seconds', 'Processor, s', "The memory's share, s"],
		rows.map(({ queue, workers, remembered, count }) => {
			const alike = runsWith(memory, { queue, workers });
			const wanted = { skip: true, remembered };
			return [
				queue ? `queue mode, ${workersTold(workers)}` : 'one process',
				counted(count),
				counted(remembered),
				cell(medianOf(alike, wanted, (run) => run.seconds)),
				cell(medianOf(alike, wanted, (run) => run.cpuSeconds)),
				cell(shareOfMemory(alike, remembered)),
			];
		}),
	);
}

function triggerTable({ trigger }: Results): string {
	const rows = distinct(trigger, ['database', 'connections']);
	const names = Object.keys(receivers).filter((name): name is Receiver => name in receivers);
	return markdown(
		['Database', 'Connections', 'Receiver', 'Events a second', 'p50, ms', 'p99, ms'],
		rows.flatMap(({ database, connections }) =>
			names.map((receiver) => {
				const runs = runsWith(trigger, { database, connections, receiver });
				return [
					database,
					String(connections),
					receivers[receiver],
					cell(rateOf(runs)),
					cell(answerTime(runs, 0.5)),
					cell(answerTime(runs, 0.99)),
				];
			}),
		),
	);
}

function weightTable(runs: readonly WeightRun[]): string {
	return markdown(
		['Nodes', 'Time, ms', 'Heap, kB'],
		(['own', 'onfleet'] as const).map((pair) => [
			pair === 'own' ? 'these two' : "n8n's two for Onfleet",
			cell(medianOf(runs, { pair }, (run) => run.milliseconds)),
			cell(medianOf(runs, { pair }, (run) => run.heapKb)),
		]),
	);
}

/** The first run of each combination of these members, in the order in which they were made. */
function distinct<Run extends object, Member extends keyof Run>(
	runs: readonly Run[],
	members: readonly Member[],
): Run[] {
	const found = new Map<string, Run>();
	for (const run of runs) {
		const key = JSON.stringify(members.map((member) => run[member]));
		if (!found.has(key)) found.set(key, run);
	}
	return [...found.values()];
}

function cell(value: number | undefined): string {
	return value === undefined ? none : shown(value);
}

/** A table in Markdown. */
export function markdown(
	header: readonly string[],
	rows: ReadonlyArray<readonly string[]>,
): string {
	const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
	return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
