/** The ledger's store in n8n's own: scopes, options, and who waits for whom. */
import { clearStore, openWorkflowStore } from '../../../nodes/DeliveryService/ledger/store';

type Context = Parameters<typeof openWorkflowStore>[0];
type Helpers = Context['helpers'];

/** The calls of n8n's store, and its entries by scope. */
let calls: unknown[];
let rows: Record<string, Set<unknown>>;
/** How many attempts to get the lock find the one of an execution in another process. */
let attemptsWhileHeld: number;

beforeEach(() => {
	calls = [];
	rows = { node: new Set(), workflow: new Set() };
	attemptsWhileHeld = 0;
});

const nothing = async () => await Promise.resolve();

const helpers: Helpers = {
	checkProcessedAndRecord: async (items, scope, options) => {
		await Promise.resolve();
		calls.push(['record', scope, options]);
		const row = rows[scope] ?? new Set();
		if (scope === 'node' && attemptsWhileHeld-- === 0) row.clear();
		const added = items.filter((item) => !row.has(item));
		for (const item of items) row.add(item);
		return { new: added, processed: [] };
	},
	removeProcessed: async (items, scope, options) => {
		await Promise.resolve();
		calls.push(['remove', scope, options]);
		for (const item of items) rows[scope]?.delete(item);
	},
	clearAllProcessedItems: async (scope, options) => {
		await Promise.resolve();
		calls.push(['clear', scope, options]);
		rows[scope]?.clear();
	},
};

function contextOf(id: string | undefined): Context {
	return {
		helpers,
		getWorkflow: () => ({ id, name: 'W', active: false }),
		getExecutionCancelSignal: () => undefined,
	};
}

const inWorkflow = { mode: 'entries', maxEntries: 100_000 };
const ofLock = { mode: 'entries' };

test('keeps entries in the scope of the workflow, and a lock in that of the node', async () => {
	const store = openWorkflowStore(contextOf('w'));
	const results = await store(async (entries) => {
		const first = await entries.record(['a', 'b']);
		await entries.remove(['a']);
		expect([...(rows.node ?? [])]).toEqual(['held', expect.any(String)]);
		return [first, await entries.record(['a', 'b'])];
	});
	expect(results).toEqual([new Set(['a', 'b']), new Set(['a'])]);
	expect(calls).toEqual([
		['record', 'node', ofLock],
		['record', 'workflow', inWorkflow],
		['remove', 'workflow', inWorkflow],
		['record', 'workflow', inWorkflow],
		['clear', 'node', ofLock],
	]);
	await clearStore(contextOf('w'));
	expect(rows.workflow).toEqual(new Set());
	expect(calls.at(-1)).toEqual(['clear', 'workflow', inWorkflow]);
});

test('waits until the holder in another process has released the lock', async () => {
	attemptsWhileHeld = 3;
	rows.node?.add('held').add("the holder's mark");
	const store = openWorkflowStore(contextOf('w'));
	await store(async (entries) => await entries.record(['a']));
	const attempts = calls.filter((call) => JSON.stringify(call).includes('"node"'));
	expect(attempts).toHaveLength(4 + 1);
});

test('executions of a workflow in one process take turns, also after a failure', async () => {
	const events: string[] = [];
	const run = async (id: string | undefined, name: string, fails = false) =>
		await openWorkflowStore(contextOf(id))(async () => {
			events.push(`${name} begins`);
			for (let turns = 0; turns < 20; turns++) await nothing();
			events.push(`${name} ends`);
			if (fails) throw new Error('no database');
		});
	const first = run('w', 'first', true);
	const second = run('w', 'second');
	await expect(first).rejects.toThrow('no database');
	await second;
	const inTurn = ['first begins', 'first ends', 'second begins', 'second ends'];
	expect(events).toEqual(inTurn);
	expect(calls.filter((call) => JSON.stringify(call).startsWith('["clear"'))).toHaveLength(2);
});

test('executions of other workflows do not wait', async () => {
	let finish = () => undefined;
	const isFinished = new Promise<undefined>((resolve) => (finish = () => void resolve(undefined)));
	const long = openWorkflowStore(contextOf('w'))(async () => await isFinished);
	const clearing = clearStore(contextOf('other'));
	for (let turns = 0; turns < 20; turns++) await nothing();
	expect(calls.at(-1)).toEqual(['clear', 'workflow', inWorkflow]);
	finish();
	await Promise.all([long, clearing]);
});
