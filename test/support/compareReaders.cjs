/**
 * Compares what the nodes' parameter reader gives with what n8n's `getNodeParameter` gives, in n8n's
 * own context of a running node. It is plain JavaScript, so that any installed n8n can run it:
 *
 *     node compareReaders.cjs <folder of n8n> <parameters.js> <file of cases> <expression engine>
 *
 * The file holds cases in v8's serialisation, which keeps dates and undefined. Prints what differed.
 */
const { readFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join } = require('node:path');
const { inspect, isDeepStrictEqual } = require('node:util');
const { deserialize, serialize } = require('node:v8');

const nodeType = {
	description: {
		displayName: 'Probe',
		name: 'probe',
		group: ['transform'],
		version: 1,
		defaults: { name: 'Probe' },
		inputs: ['main'],
		outputs: ['main'],
		properties: [{ displayName: 'Value', name: 'value', type: 'json', default: '' }],
	},
	execute: () => undefined,
};

/** A workflow for all cases: an expression engine with isolates gives each workflow one. */
function probeWorkflow({ Workflow }) {
	return new Workflow({
		id: 'workflow',
		name: 'Workflow',
		nodes: [
			{ id: '1', name: 'Probe', type: 'probe', typeVersion: 1, position: [0, 0], parameters: {} },
		],
		connections: {},
		active: false,
		nodeTypes: { getByName: () => nodeType, getByNameAndVersion: () => nodeType },
		settings: { executionOrder: 'v1' },
	});
}

function contextFor({ ExecuteContext }, n8n, workflow, { value, items }) {
	const node = workflow.getNode('Probe');
	node.parameters = { value };
	const data = { main: [items.map((json) => ({ json }))] };
	return new ExecuteContext(
		workflow,
		node,
		{
			credentialsHelper: {},
			variables: {},
			executionId: '1',
			webhookWaitingBaseUrl: 'http://127.0.0.1/webhook-waiting',
			formWaitingBaseUrl: 'http://127.0.0.1/form-waiting',
		},
		'manual',
		n8n.createRunExecutionData(),
		0,
		data.main[0],
		data,
		{ node, data, source: null },
		[],
	);
}

function outcomeOf(read) {
	try {
		return { value: read() };
	} catch (error) {
		return { error: error.message };
	}
}

/** A copy with the prototypes of Node.js: jest's objects have prototypes of their own. */
function copyOf(value) {
	return deserialize(serialize(value));
}

/** So that a change of what is shared throws. Dates stay: n8n itself replaces them in items. */
function frozen(value) {
	if (typeof value !== 'object' || value === null || value instanceof Date) return value;
	Object.values(value).forEach(frozen);
	return Object.freeze(value);
}

/**
 * Reads every case both ways.
 *
 * @returns the cases that differ, and how many were read without n8n's expression engine
 */
async function compareReaders({ core, n8n, readerOf }, cases) {
	const workflow = probeWorkflow(n8n);
	await workflow.expression.acquireIsolate();
	const differing = [];
	let readWithoutN8n = 0;
	for (const one of cases) {
		const { path, fallback, items } = one;
		// The last one is an item that there is not.
		const numbers = [...items.keys(), items.length];
		const theirs = contextFor(core, n8n, workflow, copyOf(one));
		const expected = numbers.map((item) =>
			outcomeOf(() => theirs.getNodeParameter(path, item, fallback)),
		);
		const ours = contextFor(core, n8n, workflow, frozen(copyOf(one)));
		let asked = false;
		const reader = readerOf({
			getInputData: (...args) => ours.getInputData(...args),
			getNodeParameter(name, item, otherwise, options) {
				asked ||= !options?.rawExpressions && item < items.length;
				return ours.getNodeParameter(name, item, otherwise, options);
			},
		});
		const given = numbers.map((item) => outcomeOf(() => reader.get(path, item, fallback)));
		if (!isDeepStrictEqual(copyOf(given), copyOf(expected)))
			differing.push({ ...one, expected, given });
		if (!asked) readWithoutN8n++;
	}
	return { differing, readWithoutN8n };
}

async function main([n8nFolder, reader, file, engine]) {
	const requireFromHost = createRequire(join(n8nFolder, 'package.json'));
	const n8n = requireFromHost('n8n-workflow');
	const core = requireFromHost('n8n-core');
	await n8n.Expression.initExpressionEngine({
		engine,
		poolSize: 1,
		maxCodeCacheSize: 1024,
		bridgeTimeout: 5000,
		bridgeMemoryLimit: 128,
	});
	const { readerOf } = require(reader);
	const cases = deserialize(readFileSync(file));
	const found = await compareReaders({ core, n8n, readerOf }, cases);
	console.log(inspect(found, { depth: null }));
	process.exit(found.differing.length > 0 ? 1 : 0);
}

module.exports = { compareReaders };
if (require.main === module) void main(process.argv.slice(2));
