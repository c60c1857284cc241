import type { DeliveryRow, DemoResult, DemoServers } from './demo';
import type { Expectation } from './expectations';
import { table } from '../table';

/** Describes the result: each delivery with what Shopify shows, and the skipped orders. */
export function describeResult({ rows: unsorted }: DemoResult, servers: DemoServers): string {
	const rows = [...unsorted].sort(
		(one, other) =>
			Number(one.orderId) - Number(other.orderId) ||
			Number(one.fulfillmentOrderId) - Number(other.fulfillmentOrderId),
	);
	return [
		'Deliveries',
		table(
			['Order', 'From', 'Delivery', 'Status', 'To collect', 'Order in Shopify', 'Shopify shows'],
			rows.flatMap((row) => deliveryRow(row, servers)),
		),
		'',
		'Skipped orders',
		table(
			['Order', 'Reason'],
			rows.flatMap(({ orderName, deliveryId, message }) =>
				deliveryId === '' ? [[orderName, message]] : [],
			),
		),
	].join('\n');
}

function deliveryRow(row: DeliveryRow, { service, shopify: { shop } }: DemoServers): string[][] {
	const { orderName, orderId, fulfillmentOrderId, deliveryId, status } = row;
	if (deliveryId === '') return [];
	const stored = service.control.deliveries().find(({ record }) => record.id === deliveryId);
	const part = shop
		.fulfillmentOrders(Number(orderId))
		.find(({ id }) => String(id) === fulfillmentOrderId);
	const [fulfillment] = part ? shop.fulfillmentsOf(part) : [];
	return [
		[
			orderName,
			part?.assigned_location.name ?? '',
			deliveryId.slice(0, 8),
			status,
			stored?.request.cod?.toFixed(2) ?? '',
			shop.order(Number(orderId)).fulfillment_status ?? 'unfulfilled',
			fulfillment?.shipment_status ?? '',
		],
	];
}

/** Lists the expectations with ✓ or ✗. */
export function describeExpectations(expectations: Expectation[]): string {
	const lines = expectations.map(({ text, actual }) =>
		actual === undefined ? `  ✓ ${text}` : `  ✗ ${text}, but found: ${actual}`,
	);
	return ['Checks', ...lines].join('\n');
}
