/**
 * `npm run verify`: runs the checks of n8n's verification of community packages on this folder and on the
 * packed tarball. Expects a fresh build in dist/. Exits with 1 on any finding or warning.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import {
	analyzePackage,
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';
import { projectFolder } from './setup.mjs';

const require = createRequire(import.meta.url);

/** The files of a published tarball that the scanner reads. */
const tarballPatterns = ['**/*.js', 'package.json'];
const allowedFiles = /^(package\.json|README\.md|LICENSE\.md|dist\/.+\.(js|json|svg))$/;

/** Inside the project, so that the packed nodes find n8n-workflow and zod when they are loaded. */
const workFolder = join(projectFolder, '.cache', 'verify');
const findings = [];

await rm(workFolder, { recursive: true, force: true });
await mkdir(workFolder, { recursive: true });
try {
	await scan('source', projectFolder, SOURCE_FILE_PATTERNS);
	const packageFolder = unpack(pack());
	await scan('tarball', packageFolder, tarballPatterns);
	const manifest = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'));
	await checkFiles(packageFolder, manifest);
	checkNodes(packageFolder, manifest);
} finally {
	await rm(workFolder, { recursive: true, force: true });
}
for (const finding of findings) console.error(`\n${finding}`);
console.log(findings.length === 0 ? 'Verified.' : '\nNOT verified.');
process.exitCode = findings.length === 0 ? 0 : 1;

/** Runs the scanner, and reports every warning of its rules, which the scanner itself ignores. */
async function scan(label, folder, patterns) {
	const eslint = new ESLint({
		cwd: folder,
		allowInlineConfig: false,
		overrideConfigFile: true,
		overrideConfig: await buildScanConfig(),
		errorOnUnmatchedPattern: false,
	});
	const results = await eslint.lintFiles(patterns);
	const warnings = results.filter(({ messages }) => messages.length > 0);
	if (results.length === 0) findings.push(`${label}: no files to scan in ${folder}.`);
	if (warnings.length > 0) {
		const formatter = await eslint.loadFormatter('stylish');
		findings.push(`${label}: ${await formatter.format(warnings)}`);
	}
	const { passed, message, details } = await analyzePackage(folder, patterns);
	if (!passed && warnings.length === 0) findings.push(`${label}: ${message}\n${details ?? ''}`);
	console.log(
		`Scanned the ${label}: ${results.length} files, ${passed ? 'passed' : 'NOT passed'}.`,
	);
}

/** Packs the project as `npm publish` would. Returns the path of the tarball. */
function pack() {
	const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', workFolder];
	const [packed] = JSON.parse(run('npm', args));
	console.log(`Packed ${packed.name} ${packed.version}: ${packed.size} bytes.`);
	return join(workFolder, packed.filename);
}

function unpack(tarball) {
	// A relative name, because tar would read the colon of a drive as the end of a host name.
	run('tar', ['-xzf', basename(tarball)], workFolder);
	return join(workFolder, 'package');
}

function run(command, args, cwd = projectFolder) {
	const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
	if (status === 0) return stdout;
	throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}

/** Checks that the tarball contains the build, the manifest, README and license, and nothing else. */
async function checkFiles(packageFolder, { n8n }) {
	const entries = await readdir(packageFolder, { recursive: true, withFileTypes: true });
	const files = entries
		.filter((entry) => entry.isFile())
		.map((entry) => relative(packageFolder, join(entry.parentPath, entry.name)))
		.map((file) => file.split(sep).join('/'));
	const unexpected = files.filter((file) => !allowedFiles.test(file));
	if (unexpected.length > 0) findings.push(`tarball: unexpected files: ${unexpected.join(', ')}`);
	const expected = ['package.json', 'README.md', 'LICENSE.md'];
	const codex = n8n.nodes.map((file) => file.replace(/\.js$/, '.json'));
	for (const file of [...expected, ...n8n.nodes, ...n8n.credentials, ...codex]) {
		if (!files.includes(file)) findings.push(`tarball: ${file} is missing.`);
	}
	console.log(`Checked the ${files.length} files of the tarball.`);
}

/** Checks that the packed classes load as in n8n, and that their icons are packed. */
function checkNodes(packageFolder, { n8n }) {
	const built = [...n8n.nodes, ...n8n.credentials]
		.map((file) => join(packageFolder, file))
		.filter((file) => existsSync(file));
	for (const file of built) {
		const className = basename(file).split('.')[0];
		const instance = new (require(file)[className])();
		const { icon } = instance.description ?? instance;
		for (const path of typeof icon === 'string' ? [icon] : Object.values(icon ?? {})) {
			const target = resolve(dirname(file), path.replace(/^file:/, ''));
			if (!target.startsWith(packageFolder) || !existsSync(target)) {
				findings.push(`tarball: ${className} uses the icon ${path}, which is not packed.`);
			}
		}
	}
	console.log(`Loaded ${built.length} packed classes and checked their icons.`);
}
