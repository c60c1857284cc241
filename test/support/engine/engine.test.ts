/**
 * The engine's substitute for n8n's deduplication store, on which the tests of duplicates rely. The
 * end-to-end group `harness` compares the rest of the engine with n8n.
 */
import type { ICheckProcessedContextData, Workflow } from 'n8n-workflow';

import { deduplicationStore } from './engine';
import { createWorkflow } from './run';

const workflow = (id: string): Workflow =>
	createWorkflow({ id, nodes: [], connections: {} }, {}, false);

async function record(entries: string[], { id = 'workflow', maxEntries = 3 } = {}) {
	const context = { workflow: workflow(id) } satisfies ICheckProcessedContextData;
	const options = { mode: 'entries', maxEntries } as const;
	const result = await deduplicationStore.checkProcessedAndRecord(
		...([entries, 'workflow', context, options] as const),
	);
	return result.new;
}

beforeEach(() => deduplicationStore.reset());

test('keeps the newest entries of each workflow', async () => {
	await record(['a', 'b']);
	expect(await record(['a', 'b'], { id: 'other' })).toEqual(['a', 'b']);
	expect(await record(['b', 'c', 'd'])).toEqual(['c', 'd']);
	expect(await record(['b', 'a'])).toEqual(['a']);
	expect(deduplicationStore.count('workflow')).toBe(3);
});

test('loses an entry if two executions write concurrently, as n8n does without a lock', async () => {
	await record(['first']);
	await Promise.all([record(['a']), record(['b'])]);
	expect(deduplicationStore.count('workflow')).toBe(2);
});
