import { judge } from '../goals';
import type { Results } from '../results';

const quickNote =
	'**This was a quick run** with small sizes, one round and other load on the machine. Its figures say nothing about speed.';

/** Renders the benchmarks page as Markdown. */
export function page(results: Results): string {
	const { machine, quick, minutes, rounds, skipped, problems } = results;
	const rows = judge(results).map(({ subject, condition, target, measured, met }) => [
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
		...skipped.flatMap((what) => [`**Not measured:** ${what}`, '']),
		'![Seconds to create deliveries and events per second, compared with the alternatives](images/benchmarks.svg)',
		'',
		'| What | Condition | Target | Measured | |',
		'| --- | --- | --- | --- | --- |',
		...rows.map((cells) => `| ${cells.join(' | ')} |`),
		'',
		'## How to run it',
		'',
		'Run `npm run bench`. It needs about 20 minutes, and nothing else should run in the meantime. It fails if a delivery or an event is lost, duplicated or wrongly rejected, never because of a missed target.',
		'',
		'The numbers are measured like this:',
		'',
		`- Each figure is the median of ${rounds} runs, in which the alternatives take turns. The 99th percentile covers all runs, and the throughput in real time is a single run.`,
		'- The Delivery Service is the local one, in another process of the same machine. Its response time is 20 ms unless the condition says otherwise.',
		'- Speed and memory are measured from the first node that sends to the last one, minus the same workflow without these nodes. Memory is the peak above the memory at the start, for n8n with all its child processes.',
		'- HTTP Request and the Code node get finished deliveries, so they have nothing to map. The rate limit is lifted for them. The Delivery Service node keeps its own rate limit and starts each run with none of it used.',
		'- Orders with fulfillment orders are the same orders, each with one fulfillment order that has all of its lines. They take turns with the orders alone.',
		'- Scaled time means a tenth of the time: a minute of 6 s in both the node and the service, a tenth of the response time, and 10 deliveries per request.',
		'- Each connection sends the next event after the response to the last one, which n8n sends when the execution has started. Executions are saved to the named database.',
		'',
	].join('\n');
}
