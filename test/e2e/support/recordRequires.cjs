/**
 * Preloaded into n8n (`node --require`): records the modules that the files of a package require, and
 * the file each resolves to, as one JSON object per line. RECORD_REQUIRES_OF is the package name,
 * RECORD_REQUIRES_TO the output file.
 */
const { appendFileSync } = require('node:fs');
const Module = require('node:module');
const { join, sep } = require('node:path');

const { RECORD_REQUIRES_OF = '', RECORD_REQUIRES_TO = '' } = process.env;
const folder = join(sep, 'node_modules', RECORD_REQUIRES_OF, sep);
const resolve = Module._resolveFilename;

Module._resolveFilename = function (request, parent, ...others) {
	const resolved = resolve.call(this, request, parent, ...others);
	if (parent?.filename?.includes(folder)) {
		appendFileSync(RECORD_REQUIRES_TO, `${JSON.stringify({ request, resolved })}\n`);
	}
	return resolved;
};
