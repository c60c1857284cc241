const { rm } = require('node:fs/promises');
const { join } = require('node:path');
const { dest, src, watch } = require('gulp');

/** Where the build goes: `npm run dev` names the folder of the package in its n8n. */
const output = process.env.BUILD_FOLDER ?? join(__dirname, 'dist');

/** What n8n reads beside the compiled code: icons, codex files and output schemas. */
const assetFiles = [
	'icons/**/*.svg',
	'{nodes,credentials}/**/*.svg',
	'nodes/**/*.node.json',
	'nodes/**/__schema__/**/*.json',
];

/** Deletes the last build, so that nothing of it is packed. */
async function clean() {
	await rm(output, { recursive: true, force: true });
}

/** Copies what n8n reads beside the compiled code. */
function assets() {
	return src(assetFiles, { base: '.', encoding: false, cwd: __dirname }).pipe(dest(output));
}

/** Copies it again whenever it is saved, until it is ended. */
function watchAssets() {
	return watch(assetFiles, { cwd: __dirname }, assets);
}

module.exports = { clean, assets, watchAssets };
