/** This project's rules for the GitHub workflows. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import manifest from '../../package.json';
import { projectFolder } from '../../playground/n8n/folders';

const step = z
	.object({ uses: z.string().optional(), run: z.string().optional() })
	.refine(({ uses, run }) => (uses === undefined) !== (run === undefined), 'uses or run');
const job = z.object({
	needs: z.union([z.string(), z.array(z.string())]).optional(),
	'runs-on': z.string(),
	'timeout-minutes': z.number().int(),
	environment: z.string().optional(),
	strategy: z.object({ matrix: z.record(z.array(z.union([z.string(), z.number()]))) }).optional(),
	steps: z.array(step).min(1),
});
const calledWorkflow = z.object({ uses: z.string().regex(/^\.\/\.github\/workflows\//) });
const workflow = z.object({
	permissions: z.object({ contents: z.literal('read') }).strict(),
	jobs: z.record(z.union([job, calledWorkflow])),
});

const folder = join(projectFolder, '.github/workflows');
const workflows = readdirSync(folder).map((file) => ({
	file,
	text: readFileSync(join(folder, file), 'utf8'),
}));
const parsed = (file: string) =>
	workflow.parse(parse(workflows.find((one) => one.file === file)?.text ?? ''));
const jobsOf = (file: string) =>
	new Map(
		Object.entries(parsed(file).jobs).flatMap(([name, one]) =>
			'steps' in one ? [[name, one] as const] : [],
		),
	);

test.each(workflows)(
	'$file has read permissions, a time limit for each job, and existing jobs to wait for',
	({ file }) => {
		const { jobs } = parsed(file);
		const needed = Object.values(jobs).flatMap((one) =>
			'needs' in one ? [one.needs ?? []].flat() : [],
		);
		expect(Object.keys(jobs)).toEqual(expect.arrayContaining(needed));
	},
);

test.each(workflows)('$file runs only npm scripts that exist', ({ text }) => {
	const named = [...text.matchAll(/npm (?:run ([\w:-]+)|(test|start)\b)/g)].map(
		([, script, short]) => script ?? short,
	);
	expect(Object.keys(manifest.scripts)).toEqual(expect.arrayContaining(named));
});

test.each(workflows)('$file names the version of actions and stores no credentials', ({ text }) => {
	for (const [, action] of text.matchAll(/uses: (.+)/g))
		expect(action).toMatch(/^(\.\/\.github\/workflows\/\S+|\S+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$/);
	expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
	const count = (pattern: RegExp) => [...text.matchAll(pattern)].length;
	expect(count(/persist-credentials: false/g)).toBe(count(/actions\/checkout@/g));
});

test('CI runs every end-to-end group', () => {
	const groups = readdirSync(join(projectFolder, 'test/e2e'))
		.filter((name) => name.endsWith('.e2e.ts'))
		.map((name) => name.replace('.e2e.ts', ''));
	const { strategy } = jobsOf('ci.yml').get('e2e') ?? {};
	const listed = (strategy?.matrix.groups ?? []).flatMap((line) => String(line).split(' '));
	expect(listed.sort()).toEqual(groups.sort());
});

test('only the job that publishes has write permissions, and it runs no code of this repository', () => {
	const writes = workflows.flatMap(({ text }) => text.match(/\S+: write/g) ?? []);
	expect(writes).toEqual(['id-token: write']);
	const publish = jobsOf('publish.yml').get('publish');
	expect(publish).toMatchObject({ needs: ['pack', 'rebuild'], environment: 'npm' });
	const actions = publish?.steps.flatMap(({ uses = '' }) => uses.split('@')[0] || []);
	expect(actions).toEqual(['actions/setup-node', 'actions/download-artifact']);
	expect(publish?.steps.flatMap(({ run }) => run ?? [])).toEqual([
		expect.stringMatching(/^echo "\$CHECKSUM" \| sha256sum --check/),
		expect.stringMatching(/^npm publish \.\/\S+\.tgz --provenance/),
	]);
});

test('the package is private in a clone, and checked before it is packed without that', () => {
	expect(manifest.private).toBe(true);
	const runs = jobsOf('publish.yml')
		.get('pack')
		?.steps.flatMap(({ run }) => run ?? []);
	expect(runs?.join('\n')).toMatch(
		/^npm ci\nnpm run release -- --check [^]*npm run verify\nnpm pkg delete private\nnpm pack[^]*sha256sum/,
	);
});

test('a second job builds the package with the compiler and gulp alone, and compares the checksum', () => {
	const runs = jobsOf('publish.yml')
		.get('rebuild')
		?.steps.flatMap(({ run }) => run ?? [])
		.join('\n');
	expect(runs).not.toContain('npm ci');
	expect(runs).toMatch(
		/npm install --prefix bare --ignore-scripts[^]*npm run build[^]*npm pack --ignore-scripts\necho "\$CHECKSUM" \| sha256sum --check --strict/,
	);
});

test('Dependabot proposes no release in its first days', () => {
	const text = readFileSync(join(projectFolder, '.github/dependabot.yml'), 'utf8');
	const updates = z.object({
		updates: z
			.array(z.object({ cooldown: z.object({ 'default-days': z.number().min(3) }) }))
			.min(2),
	});
	expect(updates.safeParse(parse(text)).success).toBe(true);
});
