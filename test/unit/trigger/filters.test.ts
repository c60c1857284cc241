import {
	passesFilters,
	invalidFilter,
	readFilters,
	type Filters,
} from '../../../nodes/DeliveryService/trigger/filters';
import type { EmittedEvent } from '../../../nodes/DeliveryService/trigger/payload';

const noFilters: Filters = { statuses: [], companies: [], cities: [] };

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
		['the same status', { statuses: ['delivered'] }, true],
		['the same status in a list', { statuses: ['assigned', 'delivered'] }, true],
		['another status', { statuses: ['assigned'] }, false],
		['a part of the status', { statuses: ['deliver'] }, false],
		[
			'the same status, company and city',
			{ statuses: ['delivered'], companies: ['42'], cities: ['3'] },
			true,
		],
		[
			'the same status and city, but another company',
			{ statuses: ['delivered'], companies: ['x'], cities: ['3'] },
			false,
		],
	])('compares an update with %s', (_, filters, passes) => {
		expect(passesFilters(updated(), { ...noFilters, ...filters })).toBe(passes);
	});

	test.each([
		['pending review', 'Pending_Review'],
		['pending_review', 'pending review'],
		['PENDING-REVIEW', ' pending  review '],
		['pending review', 'pending_to_review'],
		['picked up', 'PickedUp'],
	])('treats the status %j like %j', (entered, status) => {
		expect(passesFilters(updated({ status }), { ...noFilters, statuses: [entered] })).toBe(true);
	});

	test('compares an event with another spelling or a number as ID', () => {
		const event = updated({ status: ' Pending Review', company_id: 42 });
		expect(
			passesFilters(event, { ...noFilters, statuses: ['pending review'], companies: ['42'] }),
		).toBe(true);
		expect(passesFilters(event, { ...noFilters, companies: ['43'] })).toBe(false);
	});

	test.each([undefined, null, '', {}, ['delivered'], true])(
		'passes an update without a readable status: %j',
		(status) => {
			expect(passesFilters(updated({ status }), { ...noFilters, statuses: ['assigned'] })).toBe(
				true,
			);
		},
	);

	test.each(['createTask', 'createRoute', 'unknown'] as const)(
		'passes a %s event whatever the filters are',
		(event) => {
			const filters = { statuses: ['x'], companies: ['x'], cities: ['x'] };
			expect(passesFilters({ ...updated(), event }, filters)).toBe(true);
		},
	);
});

test.each<[unknown, string[]]>([
	['42, 43', ['42', '43']],
	[
		[' 42 ', 43],
		['42', '43'],
	],
	[42, ['42']],
	['', []],
	[undefined, []],
])('readFilters reads %j as %j', (value, entries) => {
	const [statuses, companies, cities] = [value, value, value];
	const read = { statuses: entries, companies: entries, cities: entries };
	expect(readFilters({ statuses, companies, cities })).toEqual(read);
});

describe('invalidFilter', () => {
	test.each<[Partial<Filters>, string]>([
		[{ cities: ['42; 43'] }, '"42; 43" in the option Only These Cities'],
		[{ companies: ['1', 'all'] }, '"all" in the option Only These Companies'],
		[{ statuses: ['a; b'] }, '"a; b" in the option Only These Statuses'],
		[{ cities: ['-1'] }, '"-1" in the option Only These Cities'],
		[{ cities: ['1.5'] }, '"1.5" in the option Only These Cities'],
	])('reports %j, which can never match', (filters, message) => {
		expect(invalidFilter({ ...noFilters, ...filters })?.message).toContain(message);
	});

	test.each<Partial<Filters>>([
		{},
		{ cities: ['8'], companies: ['1', '42'] },
		{ statuses: ['a b_c'] },
	])('accepts %j', (filters) => {
		expect(invalidFilter({ ...noFilters, ...filters })).toBeUndefined();
	});
});
