/**
 * `npm run verify`: runs the checks of n8n's verification of community packages on this folder and on the
 * packed tarball. Expects a fresh build in dist/. Exits with 1 on any finding or warning.
 */
import { spawnSync } from 'node:child_process';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
	analyzePackage,
	buildScanConfig,
	SOURCE_FILE_PATTERNS,
} from '@n8n/scan-community-package/scanner/scanner.mjs';
import { ESLint } from 'eslint';
import { projectFolder } from './setup.mjs';

/** The files of a published tarball that the scanner reads. */
const tarballPatterns = ['**/*.js', 'package.json'];

const workFolder = join(projectFolder, '.cache', 'verify');
const findings = [];

await rm(workFolder, { recursive: true, force: true });
await mkdir(workFolder, { recursive: true });
await scan('source', projectFolder, SOURCE_FILE_PATTERNS);
await scan('tarball', packAndUnpack(), tarballPatterns);
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

/** Packs the project as `npm publish` would. Returns the folder of the unpacked package. */
function packAndUnpack() {
	const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', workFolder];
	const [packed] = JSON.parse(run('npm', args));
	console.log(`Packed ${packed.name} ${packed.version}: ${packed.size} bytes.`);
	run('tar', ['-xzf', packed.filename], workFolder);
	return join(workFolder, 'package');
}

function run(command, args, cwd = projectFolder) {
	const { status, error, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
	if (status === 0) return stdout;
	throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr}`);
}
