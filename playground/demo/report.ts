import type { DemoResult, OrderResult, Places } from './demo';
import type { Expectation } from './expectations';
import { table } from '../table';

/**
 * Describes where everything stands after the run-through: each order with its delivery and its
 * fulfillment, and the orders that were left out.
 */
export function describe({ first }: DemoResult, places: Places): string {
	return [
		'Orders and their deliveries',
		table(
			['Order', 'Delivery', 'Status', 'To collect', 'Fulfillment', 'Tracking link'],
			first.flatMap((result) => deliveryRow(result, places)),
		),
		'',
		'Orders left out',
		table(['Order', 'Reason'], first.flatMap(skippedRow)),
	].join('\n');
}

function deliveryRow({ order: { id }, outcome }: OrderResult, places: Places): string[][] {
	if ('skipped' in outcome) return [];
	const stored = places.service.control.deliveries().find(({ record }) => record.id === outcome.id);
	const { name, fulfillments, fulfillment_status: status } = places.shopify.shop.order(id);
	return [
		[
			name,
			outcome.id.slice(0, 8),
			stored?.record.statusDelivery ?? '',
			stored?.request.cod?.toFixed(2) ?? '',
			status ?? 'unfulfilled',
			fulfillments[0]?.tracking_url ?? '',
		],
	];
}

function skippedRow({ order, outcome }: OrderResult): string[][] {
	return 'skipped' in outcome ? [[order.name, outcome.message ?? outcome.reason]] : [];
}

/** Lists expectations, each marked as held or not. */
export function describeExpectations(expectations: Expectation[]): string {
	const lines = expectations.map(({ text, instead }) =>
		instead === undefined ? `  ✓ ${text}` : `  ✗ ${text}, but found: ${instead}`,
	);
	return ['Expectations', ...lines].join('\n');
}
