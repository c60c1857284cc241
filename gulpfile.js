const { rm } = require('node:fs/promises');
const { join } = require('node:path');
const { dest, src, watch } = require('gulp');

/** The build folder. `npm run dev` sets it to the package folder in its n8n. */
const output = process.env.BUILD_FOLDER ?? join(__dirname, 'dist');

/**
 * The files that n8n reads next to the compiled code: icons, codex files and output schemas. Each
 * pattern starts with a folder, so that gulp doesn't search folders such as the n8n installations.
 */
const assetFiles = ['icons/**/*.svg', 'nodes/**/*.node.json', 'nodes/**/__schema__/**/*.json'];

/** Deletes the previous build, so that none of its files are packed. */
async function clean() {
	await rm(output, { recursive: true, force: true });
}

/** Copies the assets next to the compiled code. */
function assets() {
	return src(assetFiles, { base: '.', encoding: false, cwd: __dirname }).pipe(dest(output));
}

/** Copies the assets whenever one of them is saved, until the process ends. */
function watchAssets() {
	return watch(assetFiles, { cwd: __dirname }, assets);
}

module.exports = { clean, assets, watchAssets };
