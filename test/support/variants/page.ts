import { variants } from '../../../playground/service/variants';
import { escaped } from '../../../tools/markdown';
import { columns, variantCases } from './cases';
import { outcomeNames, outcomes, worstOf } from './observation';
import type { Observations } from './snapshot';

/** The page docs/api-variants.md: one row per variant with the worst outcome per column. */
export function renderPage(observed: ReadonlyMap<string, Observations>): string {
	const rows = Object.entries(variants).map(([name, { description }]) => {
		const cells = columns.map((column) => cellOf(column, observed.get(name) ?? new Map()));
		return `| \`${name}\` | ${escaped(description)} | ${cells.join(' | ')} |`;
	});
	const seen = new Set(
		[...observed.values()].flatMap((cases) => [...cases.values()].map(({ outcome }) => outcome)),
	);
	return [
		'# API variants',
		'',
		'This page shows what the nodes do if your Delivery Service behaves differently than expected. Its API document has gaps: it says "not shown", contradicts itself or does not cover a case. An API variant is one interpretation of such a gap. The local service simulates it (`npm run service -- --variant <name>`), and a test runs every operation under it in n8n.',
		'',
		`The table shows the worst outcome per operation, from ${rows.length * variantCases.length} cases: ${variantCases.length} operations and settings under each of ${rows.length} variants. Create sends five deliveries, one of which some variants reject as invalid: all in one batch, or one by one, which is the default for up to 50 deliveries. Allow Resending is not in the table because it sends no requests.`,
		'',
		'In every case, even if the workflow runs twice with Skip Already Sent, no delivery is created twice. Every delivery reported as created exists, and no delivery reported as rejected or not sent does. If something fails, the user sees the message of the service. Webhooks of other programs do not change, and no message or log line contains secrets or personal data.',
		'',
		...outcomeNames
			.filter((outcome) => seen.has(outcome))
			.map((outcome) => `- **${outcome}**: ${outcomes[outcome]}`),
		'',
		'Do not edit this page: `npm run docs:variants` generates it, along with [a snapshot](../test/engine/__snapshots__/variants.test.ts.snap) of every case with its messages. A test fails if either is out of date.',
		'',
		`| API variant | What the service does | ${columns.join(' | ')} |`,
		`| --- | --- |${' --- |'.repeat(columns.length)}`,
		...rows,
		'',
	].join('\n');
}

/** The worst outcome of a column, with its operations if others of the column do better. */
function cellOf(column: (typeof columns)[number], observed: Observations): string {
	const results = variantCases
		.filter((variantCase) => variantCase.column === column)
		.map(({ name, operation }) => {
			const observation = observed.get(name);
			if (observation === undefined) throw new Error(`No result for ${name}.`);
			return { operation, outcome: observation.outcome };
		});
	const worst = worstOf(results.map(({ outcome }) => outcome));
	if (worst === 'ok') return worst;
	const worstResults = results.filter(({ outcome }) => outcome === worst);
	const operations = worstResults.flatMap(({ operation }) => operation ?? []);
	const isPartial = worstResults.length < results.length && operations.length > 0;
	return isPartial ? `**${worst}** (${operations.join(', ')})` : `**${worst}**`;
}
