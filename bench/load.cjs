/**
 * Loads node files as n8n does and tells what that took: `node --expose-gc load.cjs <file> ...`. What
 * n8n itself has loaded by then is loaded before, from its folder (NODE_PATH).
 */
const { createRequire } = require('node:module');
const { basename, join } = require('node:path');
const { performance } = require('node:perf_hooks');

const requireOfN8n = createRequire(join(process.env.NODE_PATH, 'here.js'));

for (const name of ['n8n-workflow', 'zod', 'luxon', 'lodash', 'crypto']) requireOfN8n(name);

const heap = () => {
	global.gc();
	return process.memoryUsage().heapUsed;
};
const before = heap();
const started = performance.now();
const loaded = process.argv.slice(2).map((file) => {
	const { [basename(file, '.node.js')]: NodeType } = require(file);
	return new NodeType();
});
const milliseconds = performance.now() - started;
const heapKb = (heap() - before) / 1024;
console.log(JSON.stringify({ milliseconds, heapKb, count: loaded.length }));
