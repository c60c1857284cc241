import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Entries } from '../../../nodes/DeliveryService/ledger/entries';
import type { Clock } from '../../../nodes/DeliveryService/common/clock';
import { dropSeen } from '../../../nodes/DeliveryService/trigger/duplicates';
import { memoryStore, storeOf, type AccessTimes, type Row } from '../../support/memoryStore';
import { VirtualTime } from '../../support/virtualTime';

const minute = 60_000;
const noTime: AccessTimes = { before: 0, between: 0, after: 0 };

let time: VirtualTime;
let row: Row;
let executions: number;

beforeEach(() => {
	time = new VirtualTime();
	row = { entries: new Set() };
	executions = 0;
});

function updated(fields: IDataObject = {}): IDataObject {
	return { event: 'updateTask', id: 't1', status: 'delivered', ...fields };
}

interface Call {
	/** Minutes since the first call. */
	after?: number;
	/** The ID of an execution that runs again. */
	execution?: string;
	/** How long the store takes. */
	times?: () => AccessTimes;
}

/** The unseen events of a call, in its own execution and process. */
async function unseenOf(
	events: IDataObject[],
	{ after = 0, execution = `${++executions}`, times = () => noTime }: Call = {},
): Promise<IDataObject[]> {
	const clock: Clock = {
		now: () => time.now() + after * minute,
		wait: async (ms) => await time.wait(ms),
	};
	const items = events.map((json) => ({ json }));
	const store = memoryStore(row, time, times);
	const unseen = await dropSeen(items, store, execution, 10 * minute, clock);
	return unseen.map(({ json }) => json);
}

test('drops a duplicate within the time and passes it after one and a half times that', async () => {
	const at = async (after: number) => (await time.until(unseenOf([updated()], { after }))).length;
	expect([await at(1), await at(1), await at(11)]).toEqual([1, 0, 0]);
	expect(await at(16)).toBe(1);
	expect([await at(16), await at(26)]).toEqual([0, 0]);
});

test('does not extend the time when a duplicate arrives', async () => {
	const counts: number[] = [];
	for (const after of [0, 5, 10, 15, 20, 25])
		counts.push((await time.until(unseenOf([updated()], { after }))).length);
	expect(counts).toEqual([1, 0, 0, 1, 0, 0]);
});

test('drops duplicates within one call', async () => {
	const events = [updated(), updated(), updated({ id: 't2' })];
	expect(await time.until(unseenOf(events))).toEqual([updated(), updated({ id: 't2' })]);
});

test('passes events that differ in any field or value', async () => {
	const events = [
		updated(),
		updated({ status: 'assigned' }),
		updated({ more: null }),
		updated({ id: ['t1'] }),
		updated({ event: 'createTask' }),
	];
	expect(await time.until(unseenOf(events))).toEqual(events);
	const latest = events.slice(2);
	expect(await time.until(unseenOf(latest))).toEqual([]);
});

/** Sends events of one delivery, each in its own call. Returns whether each one passed. */
async function passes(...statuses: string[]): Promise<boolean[]> {
	const passed: boolean[] = [];
	for (const status of statuses)
		passed.push((await time.until(unseenOf([updated({ status })]))).length === 1);
	return passed;
}

test('passes a status that a delivery returns to, but not a repetition of it', async () => {
	expect(await passes('assigned', 'failed', 'assigned')).toEqual([true, true, true]);
	expect(await passes('assigned', 'failed', 'failed', 'assigned')).toEqual([
		...[false, true, false, true],
	]);
});

test('passes a late repetition, which looks like a return to an earlier status', async () => {
	expect(await passes('assigned', 'failed', 'assigned', 'assigned')).toEqual([
		...[true, true, true, false],
	]);
});

test('drops repetitions while other deliveries change', async () => {
	const at = async (id: string, status: string) =>
		(await time.until(unseenOf([updated({ id, status })]))).length;
	expect([
		await at('t1', 'assigned'),
		await at('t2', 'failed'),
		await at('t1', 'assigned'),
	]).toEqual([1, 1, 0]);
});

test('passes a return within one call, and drops repetitions next to each other', async () => {
	const events = ['assigned', 'assigned', 'failed', 'assigned'].map((status) =>
		updated({ status }),
	);
	expect(await time.until(unseenOf(events))).toEqual([events[0], events[2], events[3]]);
	expect(await passes('assigned', 'failed')).toEqual([false, true]);
});

test('passes a return that several processes receive', async () => {
	const slow = () => ({ before: 0, between: 5, after: 0 });
	const passed: number[] = [];
	for (const status of ['assigned', 'failed', 'assigned', 'assigned']) {
		const others = [1, 2, 3].map(
			async (id) => await unseenOf([updated({ id: `o${id}`, status })], { times: slow }),
		);
		const runs = [...others, unseenOf([updated({ status })], { times: slow })];
		passed.push((await time.until(Promise.all(runs))).at(-1)?.length ?? 0);
	}
	expect(passed).toEqual([1, 1, 1, 0]);
});

test('ignores the order of fields at every depth, but not the order of lists', async () => {
	const one = updated({ prices: [{ id: 'a', price: 1 }, 2], by: { x: 1, a: null } });
	const same = updated({ by: { a: null, x: 1 }, prices: [{ price: 1, id: 'a' }, 2] });
	const other = updated({ prices: [2, { id: 'a', price: 1 }], by: { x: 1, a: null } });
	expect(await time.until(unseenOf([one, same, other]))).toEqual([one, other]);
});

test('passes seen events after the time in the option has changed', async () => {
	await time.until(unseenOf([updated()]));
	const items = [{ json: updated() }];
	const store = memoryStore(row, time, () => noTime);
	expect(await time.until(dropSeen(items, store, 'other', minute, time))).toEqual(items);
});

test('passes the same events when an execution runs again', async () => {
	const events = [updated(), updated({ id: 't2' })];
	await time.until(unseenOf(events, { execution: '7' }));
	expect(await time.until(unseenOf(events, { execution: '7' }))).toEqual(events);
	expect(await time.until(unseenOf(events, { execution: '8' }))).toEqual([]);
});

test('stores no content in plain text', async () => {
	await time.until(unseenOf([updated({ id: 'secret' })]));
	expect(row.entries.size).toBe(9);
	expect([...row.entries].join()).not.toContain('secret');
});

const at = (before: number, between: number): AccessTimes => ({ before, between, after: 0 });

test.each([
	['read before either writes', at(0, 10), at(0, 20)],
	['write at the same moment', at(0, 10), at(5, 5)],
	['write one after the other', at(0, 5), at(5, 5)],
	['are slow', at(0, 300), at(200, 250)],
])('passes an event in only one of two concurrent processes that %s', async (_, one, other) => {
	row = { entries: new Set(['of an earlier event']) };
	const runs = [one, other].map(
		async (times) => await unseenOf([updated()], { times: () => times }),
	);
	expect((await time.until(Promise.all(runs))).flat()).toEqual([updated()]);
	expect(await time.until(unseenOf([updated()], { after: 1 }))).toEqual([]);
});

test('passes each event once, however two processes overwrite each other', async () => {
	const access = fc.tuple(fc.nat(20), fc.nat(20)).map(([before, between]) => at(before, between));
	const accessOfBoth = fc.tuple(fc.infiniteStream(access), fc.infiniteStream(access));
	const ids = ['t1', 't2', 't3', 't4'];
	await fc.assert(
		fc.asyncProperty(accessOfBoth, async (streams) => {
			time = new VirtualTime();
			row = { entries: new Set(['of an earlier event']) };
			const runBoth = async (after: number) => {
				const runs = streams.map(async (stream) => {
					const times = () => {
						const next = stream.next();
						if (next.done) throw new Error('the stream must not end');
						return next.value;
					};
					const passed: IDataObject[] = [];
					for (const id of ids)
						passed.push(...(await unseenOf([updated({ id })], { after, times })));
					return passed;
				});
				return (await time.until(Promise.all(runs))).flat().map(({ id }) => id);
			};
			expect((await runBoth(0)).sort()).toEqual(ids);
			expect(await runBoth(1)).toEqual([]);
		}),
		{ numRuns: 50 },
	);
});

test('passes an event whose entries are overwritten at every attempt', async () => {
	const forgetful: Entries = {
		record: async (entries) => await Promise.resolve(new Set(entries)),
		remove: async () => await Promise.resolve(),
	};
	const items = [{ json: updated() }];
	const unseen = dropSeen(items, storeOf(forgetful), '1', minute, time);
	expect(await time.until(unseen)).toEqual(items);
});
