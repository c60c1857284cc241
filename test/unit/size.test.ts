import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import manifest from '../../package.json';
import { projectFolder } from '../../playground/n8n/folders';

/**
 * The most lines that a folder may have. Only an issue raises a ceiling; a change that shrinks the code
 * lowers it.
 */
const maxLines = {
	nodes: 12_497,
	'nodes/DeliveryService/ledger': 703,
	'nodes/DeliveryService/shopify': 3268,
	'nodes/DeliveryService/trigger': 1009,
	'nodes/DeliveryService/operations/webhook': 405,
	test: 30_000,
	playground: 7712,
	bench: 1325,
	tools: 1384,
};

const maxFiles = 78;

/** Of `npm run trace`: the files and the types that one Shopify order crosses. */
const maxTrace = { files: 42, types: 11 };

const maxScripts = 16;

const maxDevDependencies = 34;

/** The code in a folder that git tracks or would add. */
function filesOf(folder: string): string[] {
	const listed = execFileSync(
		'git',
		['ls-files', '--cached', '--others', '--exclude-standard', folder],
		{ cwd: projectFolder, encoding: 'utf8' },
	);
	return [...new Set(listed.split('\n'))]
		.filter((file) => /\.[cm]?[jt]s$/.test(file))
		.map((file) => join(projectFolder, file))
		.filter((file) => existsSync(file));
}

function linesOf(folder: string): number {
	const lines = filesOf(folder).map((file) => readFileSync(file, 'utf8').split('\n').length - 1);
	return lines.reduce((sum, count) => sum + count, 0);
}

test.each(Object.entries(maxLines))('%s has at most %i lines', (folder, max) => {
	const lines = linesOf(folder);
	expect(lines).toBeGreaterThan(max / 2);
	expect(lines).toBeLessThanOrEqual(max);
});

test('nodes has at most the allowed number of files', () => {
	const files = filesOf('nodes');
	expect(files.length).toBeGreaterThan(20);
	expect(files.length).toBeLessThanOrEqual(maxFiles);
});

test('package.json has at most the allowed number of scripts', () => {
	expect(Object.keys(manifest.scripts).length).toBeLessThanOrEqual(maxScripts);
});

test('each development dependency is in CONTRIBUTING.md with its purpose', () => {
	const names = Object.keys(manifest.devDependencies);
	const text = readFileSync(join(projectFolder, 'CONTRIBUTING.md'), 'utf8');
	expect(names.length).toBeLessThanOrEqual(maxDevDependencies);
	expect(names.filter((name) => !text.includes(`\n| \`${name}\` | `))).toEqual([]);
});

test('one Shopify order crosses at most the allowed files and types', () => {
	const output = execFileSync('npm', ['run', '--silent', 'trace'], {
		cwd: projectFolder,
		encoding: 'utf8',
	});
	const [, files, types] = /(\d+) files, (\d+) types\.\s*$/.exec(output) ?? [];
	expect(Number(files)).toBeGreaterThan(5);
	expect(Number(files)).toBeLessThanOrEqual(maxTrace.files);
	expect(Number(types)).toBeLessThanOrEqual(maxTrace.types);
});
