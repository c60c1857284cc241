/**
 * `npm run trace [-- <commit>]`: how much there is to read. Prints the sizes of the folders, compared
 * with a commit (by default the last release, once there is one), then what one Shopify order crosses on
 * its way to a delivery, and how often one order, one publishing and one event lead back to a file that
 * was left. Only reports: nothing fails because of a number.
 */
import { relative } from 'node:path';

import { nodesFolder, type Entry } from './trace/recorder';
import { recordRuns } from './trace/runs';
import { orderTypes } from './trace/shapes';
import { lastRelease, measures, sizes, type Size } from './trace/sizes';

/** Tools without a decision of their own: a reader need not open them to follow a run. */
const helpers = /^common\//;

/** Prints a table of the sizes, with the difference to another commit in brackets. */
function printSizes(commit: string | undefined): void {
	const now = sizes();
	const before = commit === undefined ? undefined : sizes(commit);
	const cell = (size: Size | undefined, then: Size | undefined, measure: keyof Size) => {
		const count = size?.[measure] ?? 0;
		const change = count - (then?.[measure] ?? 0);
		return before === undefined ? `${count}` : `${count} (${change > 0 ? '+' : ''}${change})`;
	};
	const folders = [...new Set([...now.keys(), ...(before?.keys() ?? [])])].sort();
	const rows = [
		['folder', ...measures],
		...folders.map((folder) => [
			folder,
			...measures.map((measure) => cell(now.get(folder), before?.get(folder), measure)),
		]),
	];
	console.log(commit === undefined ? 'Sizes:' : `Sizes, compared with ${commit}:`);
	for (const row of rows)
		console.log(row.map((text, at) => (at === 0 ? text.padEnd(34) : text.padStart(16))).join(''));
}

/**
 * The path of a run through the files: each file that is entered after another one, in the order of
 * calls. A return is an entry into a file that was left before.
 */
function pathOf(entries: readonly Entry[]) {
	const own = entries
		.map(({ file, name }) => ({ file: relative(nodesFolder, file), name }))
		.filter(({ file }) => !helpers.test(file));
	const visits = own.filter(({ file }, index) => file !== own[index - 1]?.file);
	const counts = new Map<string, number>();
	for (const { file } of visits) counts.set(file, (counts.get(file) ?? 0) + 1);
	const definitions = new Set(own.map(({ file, name }) => `${file} ${name}`)).size;
	return { definitions, files: counts, returns: visits.length - counts.size };
}

function printReturns(title: string, entries: readonly Entry[]): void {
	const { definitions, files, returns } = pathOf(entries);
	console.log(`\n${title}: ${definitions} definitions in ${files.size} files, ${returns} returns.`);
	const often = [...files].filter(([, visits]) => visits > 1).sort(([, a], [, b]) => b - a);
	for (const [file, visits] of often) console.log(`  ${visits - 1} to ${file}`);
}

async function main(): Promise<void> {
	printSizes(process.argv[2] ?? lastRelease());
	const { order, publishing, event } = await recordRuns();
	const names = new Map<string, Set<string>>();
	for (const { file, name } of order) names.set(file, (names.get(file) ?? new Set()).add(name));
	const types = orderTypes(order);
	console.log('\nOne order crosses:');
	for (const [file, entered] of [...names].sort())
		console.log(`${relative(nodesFolder, file)}: ${[...entered].join(', ')}`);
	console.log(`Types: ${types.join(', ')}`);
	console.log(`${names.size} files, ${types.length} types.`);
	printReturns('One order', order);
	printReturns('One publishing', publishing);
	printReturns('One event', event);
}

void main();
