import { judge } from './goals';
import {
	contenderNames,
	contenders,
	medianOf,
	savedContenders,
	savedNames,
	type Contender,
	type Results,
	type SavedContender,
	type SavedRun,
} from './results';
import { counted, shown } from './figures';

const quickNote =
	'**This was a quick run** with small sizes, one round and other load on the machine. Its figures say nothing about speed.';

/** Renders the benchmarks page as Markdown. */
export function page(results: Results): string {
	const { machine, quick, minutes, rounds, problems } = results;
	const goals = judge(results).map(({ subject, condition, target, measured, met }) => [
		subject,
		condition,
		target,
		measured,
		met === undefined ? '' : met ? 'met' : '**missed**',
	]);
	return [
		'# Benchmarks',
		'',
		`Measured on ${machine.date} in ${Math.round(minutes)} minutes: version ${machine.package} of this package in n8n ${machine.n8n} on Node.js ${machine.node}, ${machine.cores} cores (${machine.processor}), ${machine.memoryGb} GB of memory, ${machine.system}. The npm script \`bench\` writes this page: don't edit it.`,
		'',
		...(quick ? [quickNote, ''] : []),
		...problems.flatMap((problem) => [`**Error in this run:** ${problem}`, '']),
		...tableOf(['What', 'Condition', 'Target', 'Measured', ''], goals),
		'',
		...tableOf(
			['', 'One order (ms)', `${counted(results.sizes.deliveries)} deliveries (s)`],
			timesOf(results),
		),
		'',
		...tableOf(
			[
				'Saved executions',
				`${counted(results.sizes.deliveries)} deliveries, the whole execution (s)`,
				'Above sending nothing (s)',
			],
			savedTimes(results.saved),
		),
		'',
		'## How to run it',
		'',
		'Run `npm run bench`. It needs about 20 minutes, and nothing else should run in the meantime. It fails if a delivery or an event is lost, duplicated or wrongly rejected, never because of a missed target.',
		'',
		'The numbers are measured like this:',
		'',
		`- Each figure is the median of ${rounds} runs (of one order: ${orderRounds(rounds)}), in which the alternatives take turns. The 99th percentile covers all runs, and the throughput is a single run.`,
		'- The Delivery Service is the local one, in another process of the same machine. Its response time is 20 ms unless the condition says otherwise.',
		'- One order: from the call of a webhook to its response, which n8n sends when the execution has ended. Many deliveries: from the first node that sends to the last one. Executions are not saved.',
		'- Saved executions: from the call of a webhook to its response, which n8n sends when it has saved the execution, with all items in SQLite. The Delivery Service node remembers what it sends. An execution that gets the same items and sends nothing shows what n8n needs for them itself.',
		`- ${counted(results.sizes.some)} and ${counted(results.sizes.most)} orders are remembered because the same workflow has sent them before. With a full memory, each run adds to it.`,
		'- HTTP Request and the Code node get finished deliveries, so they have nothing to map. The rate limit is lifted for them. The Delivery Service node keeps its own rate limit and starts each run with none of it used.',
		'- Each connection sends the next event after the response to the last one, which n8n sends when the execution has started. These executions are saved, in SQLite. n8n starts a JavaScript engine for each call of a trigger, except for its own Webhook node ([a setting](../docs/run.md#workers) changes that).',
		'',
	].join('\n');
}

/** The median times of whole saved executions, and what each needs above sending nothing. */
export function savedTimes(runs: readonly SavedRun[]): string[][] {
	const secondsOf = (name: SavedContender) =>
		medianOf(
			runs,
			(run) => run.contender === name,
			(run) => run.seconds,
		);
	const cell = (value: number | undefined) => (value === undefined ? '' : shown(value));
	return savedNames.map((name) => {
		const { label, isOrders, isIdle } = savedContenders[name];
		const whole = secondsOf(name);
		const idle = secondsOf(isOrders ? 'idleOrders' : 'idleDeliveries');
		const above = whole === undefined || idle === undefined ? undefined : whole - idle;
		return [label, cell(whole), isIdle ? '' : cell(above)];
	});
}

/** The executions with one order per figure. */
export function orderRounds(rounds: number): number {
	return rounds * 4;
}

function tableOf(head: string[], rows: string[][]): string[] {
	const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/** The median times of each way to create deliveries. */
function timesOf({ create, order }: Results): string[][] {
	return contenderNames.map((name) => {
		const is = (run: { contender: Contender }) => run.contender === name;
		const ms = medianOf(order, is, (run) => run.ms);
		const seconds = medianOf(create, is, (run) => run.seconds);
		return [
			contenders[name],
			...[ms, seconds].map((value) => (value === undefined ? '' : shown(value))),
		];
	});
}
