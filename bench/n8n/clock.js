const { monitorEventLoopDelay } = require('node:perf_hooks');
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

const runs = new Map();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/** Starts the clock of an execution; after a garbage collection, so that large runs start equal. */
function begin(executionId, { collectsGarbage }) {
	if (collectsGarbage) collectGarbage();
	const delay = monitorEventLoopDelay({ resolution: 5 });
	delay.enable();
	runs.set(executionId, { delay, beganAt: performance.now() });
}

/** Returns the time since the start, and the longest time for which n8n did nothing else. */
function end(executionId) {
	const { delay, beganAt } = runs.get(executionId);
	runs.delete(executionId);
	delay.disable();
	return { seconds: (performance.now() - beganAt) / 1000, standstillMs: delay.max / 1e6 };
}

module.exports = { begin, end };
