/**
 * The steps of a build that TypeScript doesn't do: `npm run build` runs `clean`, the compiler and
 * `assets`; `npm run dev` runs `watch`. With `--output <folder>`, another folder takes the place of dist.
 */
const { rm } = require('node:fs/promises');
const { parseArgs } = require('node:util');

const { dest, series, src, watch } = require('gulp');

const { values } = parseArgs({ options: { output: { type: 'string' } }, strict: false });
const output = values.output ?? 'dist';

/** What n8n reads next to the compiled code: icons, codex files and output schemas. */
const patterns = ['icons/*.svg', 'nodes/**/*.{svg,node.json}', 'nodes/**/__schema__/**/*.json'];

/** Deletes what earlier builds left. */
const clean = async () => await rm(output, { recursive: true, force: true });

/** Copies the assets next to the compiled code. */
const assets = () => src(patterns, { base: '.', encoding: false }).pipe(dest(output));

/** Copies the assets now and after each change, until it is ended. */
const watchAssets = series(assets, () => watch(patterns, assets));

module.exports = { clean, assets, watch: watchAssets };
