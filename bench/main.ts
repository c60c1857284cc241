import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release, totalmem, type } from 'node:os';
import { join } from 'node:path';

import { version } from '../package.json';
import { runCommand } from '../playground/n8n/childProcess';
import { SetupError } from '../playground/n8n/errors';
import { projectFolder } from '../playground/n8n/folders';
import { table } from '../playground/table';
import { judge } from './goals';
import { equip, openInstallation, type Equipment, type Installation } from './installation';
import { measureCreate, type Source } from './parts/create';
import { measureLimit, shortenMinute } from './parts/limit';
import { measureMapping } from './parts/mapping';
import { measureMemory } from './parts/memory';
import { measureTrigger } from './parts/trigger';
import { fullPlan, quickPlan, type Plan } from './plan';
import { chart } from './report/chart';
import { page } from './report/page';
import { resultsSchema, type Database, type Machine, type Results } from './results';

/** The command line's options, see options.mjs. */
interface Options {
	quick: boolean;
	parts: string[];
	json: boolean;
	whole: boolean;
	from?: string;
}

/**
 * Measures, prints the goals with the measured figures, and writes the page if everything was
 * measured. Returns the exit code: 1 if a delivery or an event was lost, duplicated or wrongly
 * rejected, or if something can't be installed.
 */
export async function main({ quick, parts, json, whole, from }: Options): Promise<number> {
	// Progress goes to stderr, so that stdout has nothing but the data.
	if (json) console.log = console.error;
	for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
		process.once(signal, () => process.exit(130));
	try {
		const results =
			from === undefined
				? await measure(quick ? quickPlan : fullPlan, parts, quick)
				: resultsSchema.parse(JSON.parse(await readFile(from, 'utf8')));
		if (json) process.stdout.write(`${JSON.stringify(results)}\n`);
		else console.log(summary(results));
		if (whole || from !== undefined) await write(results);
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
	const { rounds, sizes } = plan;
	const equipment = await equip();
	try {
		const results: Results = {
			...{ machine: await machine(equipment), quick, rounds, sizes },
			...{ create: [], limit: [], mapping: [], trigger: [], memory: [] },
			...{ skipped: [], problems: [], minutes: 0 },
		};
		const { problems } = results;
		const create = async (installation: Installation, source: Source) => {
			const { deliveries } = sizes;
			const runs = await measureCreate(installation, source, deliveries, rounds, results);
			results.create.push(...runs);
		};
		const trigger = async (installation: Installation, database: Database) => {
			const runs = await measureTrigger(
				installation,
				database,
				plan.trigger[database],
				rounds,
				problems,
			);
			results.trigger.push(...runs);
		};
		if (wants('mapping')) results.mapping = await measureMapping(equipment, sizes.orders, rounds);
		if (wants('create', 'limit', 'memory', 'shopify', 'trigger')) {
			const installation = await openInstallation(equipment, 'SQLite');
			try {
				if (wants('create')) await create(installation, 'JSON');
				if (wants('shopify')) await create(installation, 'Shopify orders');
				if (wants('memory'))
					results.memory = await measureMemory(installation, sizes, rounds, problems);
				if (wants('limit')) {
					const scaled = await openInstallation(equipment, 'SQLite', shortenMinute);
					try {
						const both = { scaled, real: installation };
						results.limit = await measureLimit(both, plan.limit, rounds, problems);
					} finally {
						await scaled.close();
					}
				}
				if (wants('trigger')) await trigger(installation, 'SQLite');
			} finally {
				await installation.close();
			}
		}
		if (wants('trigger')) {
			const installation = await openPostgresql(equipment, results);
			try {
				if (installation !== undefined) await trigger(installation, 'PostgreSQL');
			} finally {
				await installation?.close();
			}
		}
		results.minutes = (Date.now() - started) / 60_000;
		return results;
	} finally {
		await equipment.close();
	}
}

/** Returns undefined, and says so in the results, if PostgreSQL is not installed and can't be. */
async function openPostgresql(
	equipment: Equipment,
	{ skipped }: Results,
): Promise<Installation | undefined> {
	try {
		return await openInstallation(equipment, 'PostgreSQL');
	} catch (error) {
		if (!(error instanceof SetupError)) throw error;
		skipped.push(`the trigger with PostgreSQL. ${error.message}`);
		return undefined;
	}
}

async function machine({ host, prepared }: Equipment): Promise<Machine> {
	const logFile = join(prepared, 'version.log');
	const node = await runCommand(host.node.binary, ['--version'], { cwd: prepared, logFile });
	return {
		date: new Date().toISOString().slice(0, 10),
		processor: cpus()[0]?.model.trim() ?? 'unknown',
		cores: availableParallelism(),
		memoryGb: Math.round(totalmem() / 2 ** 30),
		system: `${type()} ${release().split('-')[0]}`,
		node: node.trim().replace(/^v/, ''),
		n8n: host.version,
		package: version,
	};
}

function summary(results: Results): string {
	const { skipped, problems, minutes } = results;
	const rows = judge(results).map(({ subject, condition, target, measured, met }) => [
		met === undefined ? '-' : met ? 'met' : 'missed',
		...[subject, condition, target, measured],
	]);
	return [
		'',
		table(['', 'What', 'Condition', 'Target', 'Measured'], rows),
		...skipped.map((what) => `\nNot measured: ${what}`),
		...problems.map((problem) => `\nError: ${problem}`),
		`\nMeasured in ${minutes.toFixed(1)} minutes.`,
	].join('\n');
}

async function write(results: Results): Promise<void> {
	await writeFile(join(projectFolder, 'docs', 'benchmarks.md'), page(results));
	await writeFile(join(projectFolder, 'docs', 'images', 'benchmarks.svg'), chart(results));
	console.log('Wrote docs/benchmarks.md and docs/images/benchmarks.svg.');
}
