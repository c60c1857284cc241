import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runGroups } from '../../e2e/support/groups';

let folder: string;

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), 'delivery-service-groups-'));
});
afterEach(async () => await rm(folder, { recursive: true, force: true }));

/** Runs these scripts as groups. Returns the results and the printed output. */
async function run(scripts: Record<string, string>, concurrency: number) {
	const printed: string[] = [];
	const results = await runGroups(Object.keys(scripts), {
		concurrency,
		folder,
		command: (group) => ({ args: ['-e', scripts[group] ?? ''], env: { FOLDER: folder } }),
		log: (text) => printed.push(text),
	});
	return { results, printed };
}

test('returns the results in order, and prints the output of each group in one piece', async () => {
	const lines = (name: string) =>
		`console.log('${name} 1'); console.error('${name} 2'); console.log('${name} 3')`;
	const { results, printed } = await run(
		{ one: lines('one'), two: `${lines('two')}; process.exitCode = 1`, three: lines('three') },
		2,
	);
	expect(results.map(({ group, passed }) => [group, passed])).toEqual([
		['one', true],
		['two', false],
		['three', true],
	]);
	for (const name of ['one', 'two', 'three'])
		expect(printed).toContain(`${name} 1\n${name} 2\n${name} 3`);
	expect(printed.join('\n')).toMatch(/- two FAILED after \d+ s/);
});

test('runs exactly the requested number of groups at a time', async () => {
	// Each group waits until another one has started; the last one finds the mark of an earlier one.
	const meet = `
		const { readdirSync, writeFileSync } = require('node:fs');
		writeFileSync(process.env.FOLDER + '/began-' + process.pid, '');
		const began = () => readdirSync(process.env.FOLDER).filter((name) => name.startsWith('began'));
		const timer = setInterval(() => began().length > 1 && clearInterval(timer), 10);`;
	const { results } = await run({ a: meet, b: meet, c: meet }, 2);
	expect(results.every(({ passed }) => passed)).toBe(true);

	const alone = `
		const { readFileSync, writeFileSync } = require('node:fs');
		const file = process.env.FOLDER + '/running';
		if (readFileSync(file, 'utf8') !== '') process.exit(1);
		writeFileSync(file, 'x');
		setTimeout(() => writeFileSync(file, ''), 50);`;
	await writeFile(join(folder, 'running'), '');
	const oneByOne = await run({ a: alone, b: alone, c: alone }, 1);
	expect(oneByOne.results.map(({ passed }) => passed)).toEqual([true, true, true]);
	expect(await readFile(join(folder, 'running'), 'utf8')).toBe('');
});
