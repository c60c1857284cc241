import {
	passesFilters,
	invalidFilter,
	readFilters,
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
		expect(passesFilters(updated(), { ...none, ...filters })).toBe(through);
	});

	test.each([
		['pending review', 'Pending_Review'],
		['pending_review', 'pending review'],
		['PENDING-REVIEW', ' pending  review '],
	])('takes the status %j for %j', (entered, status) => {
		expect(passesFilters(updated({ status }), { ...none, status: [entered] })).toBe(true);
	});

	test.each([
		['08', '8'],
		['8', '08'],
		['0', '00'],
		['8', 8],
	])('takes the city and the company %j for %j', (entered, told) => {
		const event = updated({ city_id: told, company_id: told });
		expect(passesFilters(event, { ...none, city: [entered], company: [entered] })).toBe(true);
		expect(passesFilters(event, { ...none, city: ['80'] })).toBe(false);
	});

	test('compares what came in another spelling, or as a number', () => {
		const event = updated({ status: ' Pending Review', company_id: 42 });
		expect(passesFilters(event, { ...none, status: ['pending review'], company: ['42'] })).toBe(
			true,
		);
		expect(passesFilters(event, { ...none, company: ['43'] })).toBe(false);
	});

	test.each([undefined, null, {}, ['delivered'], true])(
		'lets an update through whose status is %j, since it says nothing',
		(status) => {
			expect(passesFilters(updated({ status }), { ...none, status: ['assigned'] })).toBe(true);
		},
	);

	test.each(['createTask', 'createRoute', 'unknown'] as const)('lets %s through', (event) => {
		const filters = { status: ['x'], company: ['x'], city: ['x'] };
		expect(passesFilters({ ...updated(), event }, filters)).toBe(true);
	});
});

describe('what the user entered', () => {
	test.each<[unknown, string[]]>([
		['42, 43', ['42', '43']],
		[
			['42', 43],
			['42', '43'],
		],
		[42, ['42']],
		['', []],
		[undefined, []],
	])('as %j is read as %j', (city, entries) => {
		expect(readFilters({ status: undefined, company: undefined, city })).toEqual({
			...none,
			city: entries,
		});
	});

	test.each<[Partial<Filters>, string]>([
		[{ city: ['42; 43'] }, '"42; 43" in its option Only These Cities'],
		[{ company: ['1', 'all'] }, '"all" in its option Only These Companies'],
		[{ status: ['a; b'] }, '"a; b" in its option Only These Statuses'],
		[{ city: ['-1'] }, '"-1" in its option Only These Cities'],
		[{ city: ['1.5'] }, '"1.5" in its option Only These Cities'],
	])('as %j can never match', (filters, words) => {
		expect(invalidFilter({ ...none, ...filters })?.message).toContain(words);
	});

	test.each<Partial<Filters>>([{}, { city: ['08'], company: ['1', '2'] }, { status: ['a b_c'] }])(
		'as %j may match',
		(filters) => {
			expect(invalidFilter({ ...none, ...filters })).toBeUndefined();
		},
	);
});
