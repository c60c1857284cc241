import {
	passes,
	withoutRepeats,
	type Filters,
} from '../../../nodes/DeliveryService/trigger/filters';
import type { EmittedEvent } from '../../../nodes/DeliveryService/trigger/payload';

const none: Filters = { status: [], company: [], city: [] };

function updated(fields: Record<string, unknown> = {}): EmittedEvent {
	return {
		event: 'updateTask',
		eventCode: 3,
		id: 't1',
		status: 'delivered',
		company_id: '42',
		city_id: '3',
		...fields,
	};
}

describe('a filter', () => {
	test.each<[string, Partial<Filters>, boolean]>([
		['nothing', {}, true],
		['its status', { status: ['delivered'] }, true],
		['its status among others', { status: ['assigned', 'delivered'] }, true],
		['its status in another spelling', { status: [' DELIVERED '] }, true],
		['another status', { status: ['assigned'] }, false],
		['a part of its status', { status: ['deliver'] }, false],
		['its company', { company: ['42'] }, true],
		['another company', { company: ['4'] }, false],
		['its city', { city: ['3'] }, true],
		['another city', { city: ['8'] }, false],
		['all of its own', { status: ['delivered'], company: ['42'], city: ['3'] }, true],
		['another status beside', { status: ['x'], company: ['42'], city: ['3'] }, false],
		['another company beside', { status: ['delivered'], company: ['x'], city: ['3'] }, false],
		['another city beside', { status: ['delivered'], company: ['42'], city: ['x'] }, false],
	])('that asks of an update for %s decides it', (_, filters, through) => {
		expect(passes(updated(), { ...none, ...filters })).toBe(through);
	});

	test('compares what came in another spelling, or as a number', () => {
		const event = updated({ status: ' Pending Review', company_id: 42 });
		expect(passes(event, { ...none, status: ['pending review'], company: ['42'] })).toBe(true);
		expect(passes(event, { ...none, company: ['43'] })).toBe(false);
	});

	test.each([undefined, null, {}, ['delivered'], true])(
		'lets an update through whose status is %j, since it says nothing',
		(status) => {
			expect(passes(updated({ status }), { ...none, status: ['assigned'] })).toBe(true);
		},
	);

	test.each(['createTask', 'createRoute', 'unknown'] as const)('lets %s through', (event) => {
		const filters = { status: ['x'], company: ['x'], city: ['x'] };
		expect(passes({ ...updated(), event }, filters)).toBe(true);
	});
});

describe('repeats', () => {
	const minute = 60_000;

	test('are left out within the time, and let through after it', () => {
		const memory = {};
		const at = (now: number) => withoutRepeats([updated()], memory, minute, now).length;
		expect(at(1000)).toBe(1);
		expect(at(1000)).toBe(0);
		expect(at(1000 + minute - 1)).toBe(0);
		expect(at(1000 + minute)).toBe(1);
		expect(at(1000 + minute + 1)).toBe(0);
	});

	test('are left out within one call', () => {
		expect(withoutRepeats([updated(), updated(), updated({ id: 't2' })], {}, minute, 0)).toEqual([
			updated(),
			updated({ id: 't2' }),
		]);
	});

	test('are nothing but the same event with the same content', () => {
		const memory = {};
		const events: EmittedEvent[] = [
			updated(),
			updated({ status: 'assigned' }),
			updated({ more: null }),
			updated({ id: ['t1'] }),
			updated({ eventCode: 1, event: 'createTask' }),
		];
		expect(withoutRepeats(events, memory, minute, 0)).toEqual(events);
		expect(withoutRepeats(events, memory, minute, 1)).toEqual([]);
	});

	test('may have their fields in another order, at every depth, but not their lists', () => {
		const memory = {};
		const one = updated({ prices: [{ id: 'a', price: 1 }, 2], by: { x: 1, a: null } });
		const same = updated({ by: { a: null, x: 1 }, prices: [{ price: 1, id: 'a' }, 2] });
		const other = updated({ prices: [2, { id: 'a', price: 1 }], by: { x: 1, a: null } });
		expect(withoutRepeats([one, same, other], memory, minute, 0)).toEqual([one, other]);
	});

	test('are no matter when there is no time to look for them', () => {
		const memory = {};
		const twice = [updated(), updated()];
		expect(withoutRepeats(twice, memory, 0, 0)).toEqual(twice);
		expect(memory).toEqual({});
	});

	test('are remembered as times by hashes, without the old ones', () => {
		const memory: Record<string, unknown> = { other: 'stays' };
		withoutRepeats([updated()], memory, minute, 0);
		withoutRepeats([updated({ id: 't2' })], memory, minute, 2 * minute);
		expect(memory.other).toBe('stays');
		expect(Object.values(memory.seen as object)).toEqual([2 * minute]);
		expect(JSON.stringify(memory)).not.toContain('t2');
	});

	test('do not change the memory when nothing new came', () => {
		const memory: Record<string, unknown> = {};
		withoutRepeats([updated()], memory, minute, 0);
		const { seen } = memory;
		withoutRepeats([updated()], memory, minute, 1);
		expect(memory.seen).toBe(seen);
	});

	test('are looked for among the latest 1000 events', () => {
		const memory = {};
		const events = Array.from({ length: 1001 }, (_, id) => updated({ id: `t${id}` }));
		expect(withoutRepeats(events, memory, minute, 0)).toHaveLength(1001);
		expect(withoutRepeats(events.slice(1), memory, minute, 1)).toEqual([]);
		expect(withoutRepeats(events.slice(0, 1), memory, minute, 1)).toHaveLength(1);
	});

	test.each([null, 'x', [1], { a: 'b' }])('start anew when the memory is spoilt: %j', (seen) => {
		const memory = { seen };
		expect(withoutRepeats([updated()], memory, minute, 0)).toHaveLength(1);
		expect(withoutRepeats([updated()], memory, minute, 0)).toHaveLength(0);
	});
});
