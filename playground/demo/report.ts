import type { DemoResult, OrderResult } from './demo';
import type { Expectation } from './expectations';
import type { LocalService } from '../service/server';
import { table } from './table';

/**
 * Describes what happened in the run-through: the deliveries, the orders that were left out, and
 * the runs that an update started.
 */
export function describe(
	{ first: { orders }, updates }: DemoResult,
	service: LocalService,
): string {
	return [
		'Deliveries',
		table(
			['Order', 'Delivery ID', 'Status', 'To collect', 'Tracking link'],
			orders.flatMap((result) => deliveryRow(result, service)),
		),
		'',
		'Orders left out',
		table(['Order', 'Reason'], orders.flatMap(skippedRow)),
		'',
		'Runs of "Delivery updates"',
		table(
			['Execution', 'Result', 'Event', 'Delivery ID', 'Status'],
			updates.map(({ execution, event }) => [
				execution.id,
				execution.status,
				event.event,
				event.id,
				event.status,
			]),
		),
	].join('\n');
}

function deliveryRow({ order, outcome }: OrderResult, { control }: LocalService): string[][] {
	if ('skipped' in outcome) return [];
	const stored = control.deliveries().find(({ record }) => record.id === outcome.id);
	const cod = stored?.request.cod?.toFixed(2) ?? '';
	return [[order, outcome.id, outcome.statusDelivery, cod, outcome.trackLink ?? '']];
}

function skippedRow({ order, outcome }: OrderResult): string[][] {
	return 'skipped' in outcome ? [[order, outcome.message ?? outcome.reason]] : [];
}

/** Lists expectations, each marked as held or not. */
export function describeExpectations(expectations: Expectation[]): string {
	const lines = expectations.map(({ text, instead }) =>
		instead === undefined ? `  ✓ ${text}` : `  ✗ ${text}, but found: ${instead}`,
	);
	return ['Expectations', ...lines].join('\n');
}
