const { mkdir, rm, writeFile } = require('node:fs/promises');
const { basename, dirname, join, posix } = require('node:path');
const { build, transform } = require('esbuild');
const { dest, src, watch } = require('gulp');
const { n8n } = require('./package.json');

/** Where the build goes: `npm run dev` names the folder of the package in its n8n. */
const output = process.env.BUILD_FOLDER ?? join(__dirname, 'dist');
/** Where TypeScript leaves its modules, without comments. */
const compiled = join(__dirname, '.cache', 'build');
const bundleFile = 'dist/deliveryService.js';

/**
 * What n8n reads beside the compiled code: icons, codex files and output schemas. Each pattern begins
 * with a folder: else all folders are looked through, also one into which an n8n is being installed.
 */
const assetFiles = [
	'icons/**/*.svg',
	'nodes/**/*.svg',
	'credentials/**/*.svg',
	'nodes/**/*.node.json',
	'nodes/**/__schema__/**/*.json',
];

/** Deletes the last build, so that nothing of it is packed. */
async function clean() {
	for (const folder of [output, compiled]) await rm(folder, { recursive: true, force: true });
}

/**
 * Joins all modules in one file, and writes the files that n8n looks for beside it: n8n loads one
 * file in half the time that it needs for a hundred, and the package is a quarter smaller.
 */
async function bundle() {
	const classes = [...n8n.nodes, ...n8n.credentials].map((file) => ({
		file,
		name: basename(file).split('.')[0],
	}));
	const sourceOf = (file) => `./${file.replace(/^dist\//, '')}`;
	const { outputFiles } = await build({
		stdin: {
			contents: classes.map(({ file }) => `export * from '${sourceOf(file)}';`).join('\n'),
			resolveDir: compiled,
		},
		bundle: true,
		format: 'cjs',
		packages: 'external',
		platform: 'node',
		write: false,
		logLevel: 'warning',
	});
	// In a second step, which takes what stands outermost for public: so functions and classes keep
	// their names, and only those inside a function get shorter. A formatter brings the lines back;
	// shorter ones would break more strings.
	const { code } = await transform(outputFiles[0].text, {
		charset: 'utf8',
		platform: 'node',
		target: 'es2022',
		minify: true,
		lineLimit: 1000,
	});
	await mkdir(dirname(join(__dirname, bundleFile)), { recursive: true });
	await writeFile(join(__dirname, bundleFile), code);
	for (const { file, name } of classes) {
		const path = posix.relative(posix.dirname(file), bundleFile);
		await mkdir(dirname(join(__dirname, file)), { recursive: true });
		await writeFile(
			join(__dirname, file),
			`"use strict";\nexports.${name} = require("${path}").${name};\n`,
		);
	}
}

/** Copies what n8n reads beside the compiled code. */
function assets() {
	return src(assetFiles, { base: '.', encoding: false, cwd: __dirname }).pipe(dest(output));
}

/** Copies it again whenever it is saved, until it is ended. */
function watchAssets() {
	return watch(assetFiles, { cwd: __dirname }, assets);
}

module.exports = { clean, bundle, assets, watchAssets };
