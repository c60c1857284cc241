import { writeFile } from 'node:fs/promises';
import { cpus, availableParallelism, totalmem, type, release } from 'node:os';
import { join } from 'node:path';

import { version } from '../package.json';
import { runCommand } from '../playground/n8n/childProcess';
import { messageOf, SetupError } from '../playground/n8n/errors';
import { projectFolder } from '../playground/n8n/folders';
import { table } from '../playground/table';
import { goalsOf } from './goals';
import { measureCreate } from './parts/create';
import { measureLimit, shortenMinute } from './parts/limit';
import { measureMapping } from './parts/mapping';
import { measureMemory, measureWorkers } from './parts/memory';
import { measureTrigger } from './parts/trigger';
import { measureWeight, tarballKb } from './parts/weight';
import { fullPlan, quickPlan, type Plan } from './plan';
import { chart } from './report/chart';
import { page } from './report/page';
import type { Machine, Results } from './results';
import {
	equip,
	openInstallation,
	type Equipment,
	type Setting,
	type Installation,
} from './installation';

/** The command line's options, see options.mjs. */
interface Options {
	quick: boolean;
	parts: string[];
	json: boolean;
	whole: boolean;
}

/**
 * Measures, prints the goals with what was reached, and writes the page when all was measured. Gives
 * the exit code: 0 unless something went wrong that must not, whatever the times. Throws what the
 * user can do nothing about.
 */
export async function main({ quick, parts, json, whole }: Options): Promise<number> {
	// What is printed to be read by a program is nothing but the data.
	if (json) console.log = console.error;
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
		process.once(signal, () => process.exit(130));
	try {
		const results = await measure(quick ? quickPlan : fullPlan, parts, quick);
		if (json) process.stdout.write(`${JSON.stringify({ ...results, goals: goalsOf(results) })}\n`);
		else console.log(summary(results));
		if (whole) await write(results);
		return results.problems.length === 0 ? 0 : 1;
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		console.error(`\n${error.message}`);
		return 1;
	}
}

async function measure(plan: Plan, parts: readonly string[], quick: boolean): Promise<Results> {
	const started = Date.now();
	const wants = (...some: string[]) => some.some((part) => parts.includes(part));
	const equipment = await equip();
	try {
		const results: Results = {
			machine: await machine(equipment),
			quick,
			rounds: plan.rounds,
			...{ create: [], limit: [], mapping: [], trigger: [], memory: [], weight: [] },
			...{ leftOut: [], problems: [], minutes: 0 },
		};
		const { problems } = results;
		const inInstallation = async (
			setting: Setting,
			work: (installation: Installation) => Promise<void>,
		) => {
			await withInstallation({ equipment, setting, results, work });
		};
		if (wants('weight')) {
			results.weight = await measureWeight(equipment, plan.weight);
			results.tarballKb = await tarballKb(equipment);
		}
		if (wants('mapping'))
			results.mapping = await measureMapping(equipment, plan.mapping.counts, plan.mapping.rounds);
		if (wants('create', 'limit', 'memory', 'trigger'))
			await inInstallation('SQLite', async (installation) => {
				if (wants('create'))
					results.create = await measureCreate(installation, plan.create, results);
				if (wants('memory'))
					results.memory = await measureMemory(installation, plan.memory, problems);
				if (wants('limit')) {
					const scaled = await openInstallation(equipment, 'SQLite', shortenMinute);
					try {
						results.limit = await measureLimit(
							{ scaled, real: installation },
							plan.limit,
							problems,
						);
					} finally {
						await scaled.close();
					}
				}
				if (wants('trigger'))
					results.trigger = await measureTrigger(
						installation,
						'SQLite',
						plan.trigger.SQLite,
						problems,
					);
			});
		if (wants('trigger'))
			await inInstallation('PostgreSQL', async (installation) => {
				const { PostgreSQL } = plan.trigger;
				results.trigger.push(
					...(await measureTrigger(installation, 'PostgreSQL', PostgreSQL, problems)),
				);
			});
		if (wants('memory') && plan.memory.workerRounds > 0)
			await inInstallation('queue', async (installation) => {
				results.memory.push(...(await measureWorkers(installation, plan.memory, problems)));
			});
		results.minutes = (Date.now() - started) / 60_000;
		return results;
	} finally {
		await equipment.close();
	}
}

async function withInstallation({
	equipment,
	setting,
	results,
	work,
}: {
	equipment: Equipment;
	setting: Setting;
	results: Results;
	work: (installation: Installation) => Promise<void>;
}): Promise<void> {
	let installation: Installation;
	try {
		installation = await openInstallation(equipment, setting);
	} catch (error) {
		if (!(error instanceof SetupError) || setting === 'SQLite') throw error;
		const what = setting === 'queue' ? 'Two workers' : 'The trigger with PostgreSQL';
		results.leftOut.push(`${what}: ${messageOf(error)}`);
		return;
	}
	try {
		await work(installation);
	} finally {
		await installation.close();
	}
}

async function machine({ host, prepared }: Equipment): Promise<Machine> {
	const logFile = join(prepared, 'version.log');
	const n8nNode = await runCommand(host.node.binary, ['--version'], { cwd: prepared, logFile });
	return {
		date: new Date().toISOString().slice(0, 10),
		processor: cpus()[0]?.model.trim() ?? 'unknown',
		cores: availableParallelism(),
		memoryGb: Math.round(totalmem() / 2 ** 30),
		system: `${type()} ${release().split('-')[0]}`,
		node: process.versions.node,
		n8nNode: n8nNode.trim().replace(/^v/, ''),
		n8n: host.version,
		package: version,
	};
}

function summary(results: Results): string {
	const rows = goalsOf(results).map(({ goal, wanted, figure, met }) => [
		met === undefined ? '-' : met ? 'met' : 'missed',
		goal,
		wanted,
		figure ?? 'not measured',
	]);
	return [
		'',
		table(['', 'Goal', 'Wanted', 'Measured'], rows),
		...results.leftOut.map((text) => `\nLeft out. ${text}`),
		...(results.problems.length > 0 ? ['\nWrong, whatever the times:', ...results.problems] : []),
		`\nMeasured in ${results.minutes.toFixed(1)} minutes.`,
	].join('\n');
}

async function write(results: Results): Promise<void> {
	await writeFile(join(projectFolder, 'docs', 'benchmarks.md'), page(results));
	await writeFile(join(projectFolder, 'docs', 'images', 'benchmarks.svg'), chart(results));
	console.log('docs/benchmarks.md and docs/images/benchmarks.svg were written.');
}
