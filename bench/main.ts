import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

import { version } from '../package.json';
import { runCommand } from '../playground/n8n/childProcess';
import { SetupError } from '../playground/n8n/errors';
import { cacheFolder, projectFolder } from '../playground/n8n/folders';
import type { Host } from '../playground/n8n/host';
import { table } from '../playground/table';
import { judge } from './goals';
import { openInstallation } from './installation';
import { page, savedTimes } from './page';
import { measureCreate } from './parts/create';
import { measureLimit } from './parts/limit';
import { measureSaved } from './parts/saved';
import { measureTrigger } from './parts/trigger';
import type { Machine, Results } from './results';

/** The command line's options, see start.mjs. */
interface Options {
	quick: boolean;
	parts: string[];
	whole: boolean;
}

const fullPlan = {
	rounds: 5,
	sizes: { deliveries: 10_000, some: 10_000, most: 20_000 },
	limit: { requests: 150, latenciesMs: [20, 2000] },
	eventSeconds: 2,
};

/**
 * The same code in about six minutes. More deliveries than are sent one per request: 500 would wait for
 * the rate limit for five minutes in each run.
 */
const quickPlan: typeof fullPlan = {
	rounds: 1,
	sizes: { deliveries: 600, some: 600, most: 1000 },
	limit: { requests: 120, latenciesMs: [20] },
	eventSeconds: 1,
};

/**
 * Measures, prints the goals with the measured figures, and writes the page if everything was
 * measured. Returns the exit code: 1 if a delivery or an event was lost, duplicated or wrongly
 * rejected, or if something can't be installed.
 */
export async function main({ quick, parts, whole }: Options): Promise<number> {
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
		process.once(signal, () => process.exit(130));
	try {
		const results = await measure(quick, parts);
		console.log(summary(results));
		if (whole) {
			await writeFile(join(projectFolder, 'bench', 'README.md'), page(results));
			console.log('Wrote bench/README.md.');
		}
		return results.problems.length === 0 ? 0 : 1;
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(`\n${error.message}`);
		return 1;
	}
}

async function measure(quick: boolean, parts: readonly string[]): Promise<Results> {
	const started = Date.now();
	const { rounds, sizes, limit, eventSeconds } = quick ? quickPlan : fullPlan;
	const installation = await openInstallation();
	try {
		const results: Results = {
			machine: await machine(installation.host),
			quick,
			rounds,
			sizes,
			create: [],
			order: [],
			saved: [],
			limit: [],
			trigger: [],
			problems: [],
			minutes: 0,
		};
		const { problems } = results;
		if (parts.includes('create'))
			Object.assign(results, await measureCreate(installation, results));
		if (parts.includes('saved')) results.saved = await measureSaved(installation, results);
		if (parts.includes('limit')) results.limit = await measureLimit(installation, limit, problems);
		if (parts.includes('trigger'))
			results.trigger = await measureTrigger(installation, eventSeconds, rounds, problems);
		results.minutes = (Date.now() - started) / 60_000;
		return results;
	} finally {
		await installation.close();
	}
}

async function machine({ node, version: n8n }: Host): Promise<Machine> {
	const options = { cwd: cacheFolder, logFile: join(cacheFolder, 'version.log') };
	const nodeVersion = await runCommand(node.binary, ['--version'], options);
	return {
		date: new Date().toISOString().slice(0, 10),
		processor: cpus()[0]?.model.trim() ?? 'unknown',
		cores: availableParallelism(),
		memoryGb: Math.round(totalmem() / 2 ** 30),
		system: `${type()} ${release().split('-')[0]}`,
		node: nodeVersion.trim().replace(/^v/, ''),
		n8n,
		package: version,
	};
}

/** The whole saved executions, as a table; nothing if they were not measured. */
function savedTable({ saved }: Results): string[] {
	if (saved.length === 0) return [];
	return [
		'',
		table(['Saved executions', 'Whole (s)', 'Above sending nothing (s)'], savedTimes(saved)),
	];
}

function summary(results: Results): string {
	const rows = judge(results).map(({ subject, condition, target, measured, met }) => [
		met === undefined ? '-' : met ? 'met' : 'missed',
		subject,
		condition,
		target,
		measured,
	]);
	return [
		'',
		table(['', 'What', 'Condition', 'Target', 'Measured'], rows),
		...savedTable(results),
		...results.problems.map((problem) => `\nError: ${problem}`),
		`\nMeasured in ${results.minutes.toFixed(1)} minutes.`,
	].join('\n');
}
