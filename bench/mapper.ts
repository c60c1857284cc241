/**
 * Maps and validates orders in its own process, so that no run speeds up another. Started by
 * parts/mapping.ts with the number of orders, a file of samples, and whether each order comes with its
 * fulfillment order.
 */
import { readFileSync } from 'node:fs';

import { z } from 'zod';

import { serviceLabels } from '../nodes/DeliveryService/service/labels';
import { deliverySchema } from '../nodes/DeliveryService/service/schemas';
import { validate } from '../nodes/DeliveryService/service/validation';
import { orderMappingSchema } from '../nodes/DeliveryService/shopify/mapping';
import { orderToDelivery } from '../nodes/DeliveryService/shopify/toDelivery';
import { orderShape } from '../playground/shopify/shapes';
import { withFulfillmentOrder } from './orders';

const warmUpOrders = 2000;
const pickup = {
	contact: { name: 'Main Street Store', email: 'store@example.com' },
	location: { address: '12 Main Street, Springfield, IL 62701, United States' },
};

function main(count: number, file: string, withFulfillmentOrders: boolean): void {
	const samples = z
		.array(orderShape)
		.nonempty()
		.parse(JSON.parse(readFileSync(file, 'utf8')));
	const orders = (prefix: string, wanted: number) =>
		Array.from({ length: wanted }, (_, index) => {
			const sample = samples[index % samples.length] ?? samples[0];
			const order = { ...sample, name: `${prefix}${index}` };
			return structuredClone(withFulfillmentOrders ? withFulfillmentOrder(order, index) : order);
		});
	const warmUp = orders('warm-up', warmUpOrders);
	mapAndCheck(warmUp);
	toJsonAndBack(warmUp);
	const measured = orders('#', count);
	const cpuSeconds = cpuSecondsOf(() => mapAndCheck(measured));
	const jsonSeconds = cpuSecondsOf(() => toJsonAndBack(measured));
	console.log(JSON.stringify({ orders: count, withFulfillmentOrders, cpuSeconds, jsonSeconds }));
}

/** The CPU time of some work, without garbage collection of earlier objects. */
function cpuSecondsOf(work: () => unknown): number {
	globalThis.gc?.();
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1e6;
}

/** What the Delivery Service node does with each order, without n8n. */
function mapAndCheck(orders: readonly object[]): unknown[] {
	const mapping = orderMappingSchema.parse({});
	return orders.map((order) => {
		const outcome = orderToDelivery(order, mapping);
		return outcome.kind === 'delivery'
			? validate(deliverySchema, { pickup, ...outcome.delivery }, 'Delivery', serviceLabels)
			: outcome;
	});
}

function toJsonAndBack(orders: readonly object[]): unknown[] {
	return orders.map((order): unknown => JSON.parse(JSON.stringify(order)));
}

main(Number(process.argv[2]), process.argv[3] ?? '', process.argv[4] === 'true');
