import fc from 'fast-check';
import type { IDataObject } from 'n8n-workflow';

import type { Entries } from '../../../nodes/DeliveryService/deduplication/ledger';
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
	return { event: 'updateTask', eventCode: 3, id: 't1', status: 'delivered', ...fields };
}

interface Call {
	/** Minutes since the first call. */
	after?: number;
	/** An execution that is run again. */
	execution?: string;
	/** How long the store takes. */
	times?: () => AccessTimes;
}

/** What goes on of the events of a call, in an execution of its own, in a process of its own. */
async function pass(
	events: IDataObject[],
	{ after = 0, execution = `${++executions}`, times = () => noTime }: Call = {},
): Promise<IDataObject[]> {
	const clock: Clock = {
		now: () => time.now() + after * minute,
		wait: async (ms) => await time.wait(ms),
	};
	const items = events.map((json) => ({ json }));
	const store = memoryStore(row, time, times);
	const fresh = await dropSeen(items, store, execution, 10 * minute, clock);
	return fresh.map(({ json }) => json);
}

test('repeats are left out within the time, and go on again after it and a half', async () => {
	const at = async (after: number) => (await time.until(pass([updated()], { after }))).length;
	expect([await at(1), await at(1), await at(11)]).toEqual([1, 0, 0]);
	expect(await at(16)).toBe(1);
	expect([await at(16), await at(26)]).toEqual([0, 0]);
});

test('a repeat does not prolong the time', async () => {
	const counts: number[] = [];
	for (const after of [0, 5, 10, 15, 20, 25])
		counts.push((await time.until(pass([updated()], { after }))).length);
	expect(counts).toEqual([1, 0, 0, 1, 0, 0]);
});

test('repeats are left out within one call', async () => {
	const events = [updated(), updated(), updated({ id: 't2' })];
	expect(await time.until(pass(events))).toEqual([updated(), updated({ id: 't2' })]);
});

test('a repeat is nothing but the same event with the same content', async () => {
	const events = [
		updated(),
		updated({ status: 'assigned' }),
		updated({ more: null }),
		updated({ id: ['t1'] }),
		updated({ eventCode: 1, event: 'createTask' }),
	];
	expect(await time.until(pass(events))).toEqual(events);
	expect(await time.until(pass(events))).toEqual([]);
});

test('a repeat may have its fields in another order, at every depth, but not its lists', async () => {
	const one = updated({ prices: [{ id: 'a', price: 1 }, 2], by: { x: 1, a: null } });
	const same = updated({ by: { a: null, x: 1 }, prices: [{ price: 1, id: 'a' }, 2] });
	const other = updated({ prices: [2, { id: 'a', price: 1 }], by: { x: 1, a: null } });
	expect(await time.until(pass([one, same, other]))).toEqual([one, other]);
});

test('another time to look for repeats begins with nothing', async () => {
	await time.until(pass([updated()]));
	const items = [{ json: updated() }];
	const store = memoryStore(row, time, () => noTime);
	expect(await time.until(dropSeen(items, store, 'other', minute, time))).toEqual(items);
});

test('an execution that is run again gets its events again', async () => {
	const events = [updated(), updated({ id: 't2' })];
	await time.until(pass(events, { execution: '7' }));
	expect(await time.until(pass(events, { execution: '7' }))).toEqual(events);
	expect(await time.until(pass(events, { execution: '8' }))).toEqual([]);
});

test('nothing of the content is in the store in clear', async () => {
	await time.until(pass([updated({ id: 'secret' })]));
	expect(row.entries.size).toBe(4);
	expect([...row.entries].join()).not.toContain('secret');
});

const at = (before: number, between: number): AccessTimes => ({ before, between, after: 0 });

test.each([
	['read before either writes', at(0, 10), at(0, 20)],
	['write at the same moment', at(0, 10), at(5, 5)],
	['write one after the other', at(0, 5), at(5, 5)],
	['are slow', at(0, 300), at(200, 250)],
])('an event that two processes get at once goes on in one: they %s', async (_, one, other) => {
	row = { entries: new Set(['of an earlier event']) };
	const both = [one, other].map(async (times) => await pass([updated()], { times: () => times }));
	expect((await time.until(Promise.all(both))).flat()).toEqual([updated()]);
	expect(await time.until(pass([updated()], { after: 1 }))).toEqual([]);
});

test('however two processes write over each other, each event goes on once', async () => {
	const access = fc.tuple(fc.nat(20), fc.nat(20)).map(([before, between]) => at(before, between));
	const inTwo = fc.tuple(fc.infiniteStream(access), fc.infiniteStream(access));
	const ids = ['t1', 't2', 't3', 't4'];
	await fc.assert(
		fc.asyncProperty(inTwo, async (streams) => {
			time = new VirtualTime();
			row = { entries: new Set(['of an earlier event']) };
			const both = async (after: number) => {
				const went = streams.map(async (stream) => {
					const times = () => {
						const next = stream.next();
						if (next.done) throw new Error('the stream has no end');
						return next.value;
					};
					const ofOne: IDataObject[] = [];
					for (const id of ids) ofOne.push(...(await pass([updated({ id })], { after, times })));
					return ofOne;
				});
				return (await time.until(Promise.all(went))).flat().map(({ id }) => id);
			};
			expect((await both(0)).sort()).toEqual(ids);
			expect(await both(1)).toEqual([]);
		}),
		{ numRuns: 50 },
	);
});

test('an event whose note is written over again and again goes on', async () => {
	const forgetful: Entries = {
		record: async (entries) => await Promise.resolve(new Set(entries)),
		remove: async () => await Promise.resolve(),
	};
	const items = [{ json: updated() }];
	const fresh = dropSeen(items, storeOf(forgetful), '1', minute, time);
	expect(await time.until(fresh)).toEqual(items);
});
