import { passes, type Filters } from '../../../nodes/DeliveryService/trigger/filters';
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
