/** What GitHub reads of this project, as far as it can be held against the project itself. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import { projectFolder } from '../../playground/n8n/folders';

const folder = join(projectFolder, '.github');
const readYaml = (...path: string[]): unknown =>
	parse(readFileSync(join(folder, ...path), 'utf8'), { strict: true, uniqueKeys: true });

const scripts = Object.keys(
	z
		.object({ scripts: z.record(z.string()) })
		.parse(JSON.parse(readFileSync(join(projectFolder, 'package.json'), 'utf8'))).scripts,
);
const groups = readdirSync(join(projectFolder, 'test', 'e2e'))
	.filter((name) => name.endsWith('.e2e.ts'))
	.map((name) => name.replace('.e2e.ts', ''));

const permissionsSchema = z.record(z.enum(['read', 'write']));
const stepSchema = z.union([
	z.object({ run: z.string() }).strict(),
	z.object({ uses: z.string(), with: z.record(z.unknown()).optional() }).strict(),
]);
const jobSchema = z.union([
	z
		.object({
			name: z.string().optional(),
			needs: z.string().optional(),
			'runs-on': z.literal('ubuntu-latest'),
			'timeout-minutes': z.number(),
			environment: z.string().optional(),
			permissions: permissionsSchema.optional(),
			strategy: z
				.object({
					'fail-fast': z.boolean(),
					matrix: z.record(z.array(z.union([z.string(), z.number()]))),
				})
				.strict()
				.optional(),
			steps: z.array(stepSchema).min(1),
		})
		.strict(),
	z.object({ uses: z.string(), permissions: permissionsSchema }).strict(),
]);
const workflowSchema = z
	.object({
		name: z.string(),
		on: z.record(z.unknown()),
		permissions: z.object({ contents: z.literal('read') }).strict(),
		concurrency: z.record(z.unknown()).optional(),
		jobs: z.record(jobSchema),
	})
	.strict();

const files = readdirSync(join(folder, 'workflows'));
const workflows = files.map((file) => ({
	file,
	text: readFileSync(join(folder, 'workflows', file), 'utf8'),
	workflow: workflowSchema.parse(readYaml('workflows', file)),
}));
const jobsOf = (file: string) =>
	Object.values(workflows.find((one) => one.file === file)?.workflow.jobs ?? {});
const stepsOf = (job: z.infer<typeof jobSchema>) => ('steps' in job ? job.steps : []);
const commandsOf = (file: string) =>
	jobsOf(file).flatMap((job) =>
		stepsOf(job).flatMap((step) => ('run' in step ? [{ job, run: step.run }] : [])),
	);

test.each(workflows)('$file runs only commands that there are', ({ file }) => {
	for (const { run } of commandsOf(file)) {
		for (const [, name] of run.matchAll(/npm run ([\w:-]+)/g)) expect(scripts).toContain(name);
		for (const [, name = ''] of run.matchAll(/npm (test|start)\b/g))
			expect(scripts).toContain(name);
	}
});

test.each(workflows)('$file takes actions by commit, keeps no secret, and no key', ({ text }) => {
	for (const [, action = ''] of text.matchAll(/uses: (\S+)/g))
		expect(action).toMatch(/^(\.\/\.github\/workflows\/[\w-]+\.yml|[\w./-]+@[0-9a-f]{40})$/);
	for (const [line] of text.matchAll(/^.*uses: [^.\s].*$/gm)) expect(line).toMatch(/# v\d+\.\d+/);
	expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN/);
	const checkouts = [...text.matchAll(/actions\/checkout@/g)].length;
	expect([...text.matchAll(/persist-credentials: false/g)]).toHaveLength(checkouts);
});

test('a pull request runs the tests on each Node.js, and every end-to-end group there is', () => {
	const matrices = jobsOf('ci.yml').flatMap((job) =>
		'strategy' in job && job.strategy ? [job.strategy.matrix] : [],
	);
	expect(matrices.flatMap(({ node = [] }) => node)).toEqual([20, 22, 24]);
	const run = matrices.flatMap(({ groups: lists = [] }) => lists).join(' ');
	expect(run.split(' ')).toEqual(expect.arrayContaining(groups));
	const commands = commandsOf('ci.yml').map((command) => command.run);
	expect(commands).toEqual(
		expect.arrayContaining(['npm test', 'npm run lint', 'npm run verify', 'npm start -- --once']),
	);
});

test('only the job that publishes may write, after all of CI and the check of the tag', () => {
	const writing = workflows.flatMap(({ workflow }) =>
		Object.entries(workflow.jobs).filter(([, job]) =>
			Object.values(job.permissions ?? {}).includes('write'),
		),
	);
	expect(writing.map(([name, { permissions }]) => [name, permissions])).toEqual([
		['publish', { contents: 'read', 'id-token': 'write' }],
	]);
	const [, publish] = writing[0] ?? [];
	expect(publish).toMatchObject({ needs: 'ci', environment: 'npm' });
	const runs = commandsOf('publish.yml').map(({ run }) => run);
	expect(runs).toEqual([
		'npm ci',
		'npm run release:check -- --tag "$GITHUB_REF_NAME"',
		'npm publish --provenance --access public --ignore-scripts',
	]);
});

test('the issue forms and the settings of updates have the form that GitHub asks for', () => {
	const form = z.object({
		name: z.string(),
		description: z.string(),
		labels: z.array(z.string()),
		body: z.array(
			z.object({
				type: z.enum(['markdown', 'textarea', 'input', 'checkboxes']),
				id: z.string().optional(),
				attributes: z.record(z.unknown()),
				validations: z.object({ required: z.boolean() }).optional(),
			}),
		),
	});
	for (const file of ['fault.yml', 'wish.yml']) form.parse(readYaml('ISSUE_TEMPLATE', file));
	const updates = z
		.object({
			version: z.literal(2),
			updates: z.array(
				z.object({
					'package-ecosystem': z.enum(['npm', 'github-actions']),
					directory: z.literal('/'),
					schedule: z.object({ interval: z.literal('weekly') }),
				}),
			),
		})
		.parse(readYaml('dependabot.yml')).updates;
	expect(updates.map((update) => update['package-ecosystem'])).toEqual(['npm', 'github-actions']);
});
