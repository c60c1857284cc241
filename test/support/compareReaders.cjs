/**
 * Compares the parameter reader of the nodes with n8n's `getNodeParameter`, in n8n's own execution
 * context. It is plain JavaScript, so that any installed n8n can run it:
 *
 *     node compareReaders.cjs <folder of n8n> <parameters.js> <file of cases> <expression engine>
 *
 * The file contains cases in V8 serialization, which preserves dates and undefined. Prints the cases
 * that differ.
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

/** One workflow for all cases, since an expression engine with isolates creates one per workflow. */
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

function resultOf(read) {
	try {
		return { value: read() };
	} catch (error) {
		return { error: error.message };
	}
}

/** A copy with the prototypes of Node.js, since objects created in jest have other ones. */
function copyOf(value) {
	return deserialize(serialize(value));
}

/** Freezes a value, so that changing it throws. Skips dates, which n8n itself replaces in items. */
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
async function compareReaders({ core, n8n, parameterReader }, cases) {
	const workflow = probeWorkflow(n8n);
	await workflow.expression.acquireIsolate();
	const differing = [];
	let readWithoutN8n = 0;
	for (const parameterCase of cases) {
		const { path, fallback, items } = parameterCase;
		// The last index has no item.
		const indexes = [...items.keys(), items.length];
		const n8nContext = contextFor(core, n8n, workflow, copyOf(parameterCase));
		const expected = indexes.map((item) =>
			resultOf(() => n8nContext.getNodeParameter(path, item, fallback)),
		);
		const readerContext = contextFor(core, n8n, workflow, frozen(copyOf(parameterCase)));
		let usedN8n = false;
		const reader = parameterReader({
			getInputData: (...args) => readerContext.getInputData(...args),
			getNodeParameter(name, item, defaultValue, options) {
				usedN8n ||= !options?.rawExpressions && item < items.length;
				return readerContext.getNodeParameter(name, item, defaultValue, options);
			},
		});
		const actual = indexes.map((item) => resultOf(() => reader.get(path, item, fallback)));
		if (!isDeepStrictEqual(copyOf(actual), copyOf(expected)))
			differing.push({ ...parameterCase, expected, actual });
		if (!usedN8n) readWithoutN8n++;
	}
	return { differing, readWithoutN8n };
}

async function main([n8nFolder, readerFile, casesFile, engine]) {
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
	const { parameterReader } = require(readerFile);
	const cases = deserialize(readFileSync(casesFile));
	const result = await compareReaders({ core, n8n, parameterReader }, cases);
	console.log(inspect(result, { depth: null }));
	process.exit(result.differing.length > 0 ? 1 : 0);
}

module.exports = { compareReaders };
if (require.main === module) void main(process.argv.slice(2));
