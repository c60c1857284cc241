const { rm } = require('node:fs/promises');
const { join } = require('node:path');
const { dest, src } = require('gulp');

const output = join(__dirname, 'dist');

/** Deletes the last build, so that nothing of it is packed. */
async function clean() {
	await rm(output, { recursive: true, force: true });
}

/** Copies what n8n reads beside the compiled code: icons, codex files and output schemas. */
function assets() {
	return src(
		[
			'icons/**/*.svg',
			'{nodes,credentials}/**/*.svg',
			'nodes/**/*.node.json',
			'nodes/**/__schema__/**/*.json',
		],
		{ base: '.', encoding: false, cwd: __dirname },
	).pipe(dest(output));
}

module.exports = { clean, assets };
