import type { DemoResult, OrderResult, DemoServers } from './demo';
import type { Expectation } from './expectations';
import { table } from '../table';

/** Describes the result: each order with its delivery and fulfillment, and the skipped orders. */
export function describeResult({ firstRun }: DemoResult, servers: DemoServers): string {
	return [
		'Orders and their deliveries',
		table(
			['Order', 'Delivery', 'Status', 'To collect', 'Fulfillment', 'Tracking link'],
			firstRun.flatMap((result) => deliveryRow(result, servers)),
		),
		'',
		'Skipped orders',
		table(['Order', 'Reason'], firstRun.flatMap(skippedRow)),
	].join('\n');
}

function deliveryRow({ order: { id }, outcome }: OrderResult, servers: DemoServers): string[][] {
	if ('skipped' in outcome) return [];
	const stored = servers.service.control
		.deliveries()
		.find(({ record }) => record.id === outcome.id);
	const { name, fulfillments, fulfillment_status: status } = servers.shopify.shop.order(id);
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

/** Lists the expectations with ✓ or ✗. */
export function describeExpectations(expectations: Expectation[]): string {
	const lines = expectations.map(({ text, actual }) =>
		actual === undefined ? `  ✓ ${text}` : `  ✗ ${text}, but found: ${actual}`,
	);
	return ['Expectations', ...lines].join('\n');
}
