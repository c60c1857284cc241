/**
 * Loaded into n8n (`node --require`): notes, a line of JSON each, what the files of a package load
 * and which file that comes from. RECORD_REQUIRES_OF names the package, RECORD_REQUIRES_TO the file
 * to write.
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
