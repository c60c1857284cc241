import {
	passesFilters,
	invalidFilter,
	readFilters,
	type Filters,
} from '../../../nodes/DeliveryService/trigger/filters';
import type { EmittedEvent } from '../../../nodes/DeliveryService/trigger/payload';

const noFilters: Filters = { status: [], company: [], city: [] };

function updated(fields: Record<string, unknown> = {}): EmittedEvent {
	return {
		event: 'updateTask',
		id: 't1',
		status: 'delivered',
		company_id: '42',
		city_id: '3',
		...fields,
	};
}

describe('passesFilters', () => {
	test.each<[string, Partial<Filters>, boolean]>([
		['no filters', {}, true],
		['the same status', { status: ['delivered'] }, true],
		['the same status in a list', { status: ['assigned', 'delivered'] }, true],
		['another status', { status: ['assigned'] }, false],
		['a part of the status', { status: ['deliver'] }, false],
		[
			'the same status, company and city',
			{ status: ['delivered'], company: ['42'], city: ['3'] },
			true,
		],
		[
			'the same status and city, but another company',
			{ status: ['delivered'], company: ['x'], city: ['3'] },
			false,
		],
	])('compares an update with %s', (_, filters, passes) => {
		expect(passesFilters(updated(), { ...noFilters, ...filters })).toBe(passes);
	});

	test.each([
		['pending review', 'Pending_Review'],
		['pending_review', 'pending review'],
		['PENDING-REVIEW', ' pending  review '],
	])('treats the status %j like %j', (entered, status) => {
		expect(passesFilters(updated({ status }), { ...noFilters, status: [entered] })).toBe(true);
	});

	test('compares an event with another spelling or a number as ID', () => {
		const event = updated({ status: ' Pending Review', company_id: 42 });
		expect(
			passesFilters(event, { ...noFilters, status: ['pending review'], company: ['42'] }),
		).toBe(true);
		expect(passesFilters(event, { ...noFilters, company: ['43'] })).toBe(false);
	});

	test.each([undefined, null, {}, ['delivered'], true])(
		'passes an update without a readable status: %j',
		(status) => {
			expect(passesFilters(updated({ status }), { ...noFilters, status: ['assigned'] })).toBe(true);
		},
	);

	test.each(['createTask', 'createRoute', 'unknown'] as const)(
		'passes a %s event whatever the filters are',
		(event) => {
			const filters = { status: ['x'], company: ['x'], city: ['x'] };
			expect(passesFilters({ ...updated(), event }, filters)).toBe(true);
		},
	);
});

describe('readFilters', () => {
	test.each<[unknown, string[]]>([
		['42, 43', ['42', '43']],
		[
			['42', 43],
			['42', '43'],
		],
		[42, ['42']],
		['', []],
		[undefined, []],
	])('reads %j as %j', (value, entries) => {
		const [status, company, city] = [value, value, value];
		const read = { status: entries, company: entries, city: entries };
		expect(readFilters({ status, company, city })).toEqual(read);
	});
});

describe('invalidFilter', () => {
	test.each<[Partial<Filters>, string]>([
		[{ city: ['42; 43'] }, '"42; 43" in the option Only These Cities'],
		[{ company: ['1', 'all'] }, '"all" in the option Only These Companies'],
		[{ status: ['a; b'] }, '"a; b" in the option Only These Statuses'],
		[{ city: ['-1'] }, '"-1" in the option Only These Cities'],
		[{ city: ['1.5'] }, '"1.5" in the option Only These Cities'],
	])('reports %j, which can never match', (filters, message) => {
		expect(invalidFilter({ ...noFilters, ...filters })?.message).toContain(message);
	});

	test.each<Partial<Filters>>([{}, { city: ['8'], company: ['1', '2'] }, { status: ['a b_c'] }])(
		'accepts %j',
		(filters) => {
			expect(invalidFilter({ ...noFilters, ...filters })).toBeUndefined();
		},
	);
});
