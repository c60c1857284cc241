import { join } from 'node:path';
import { fork } from 'node:child_process';
import { once } from 'node:events';

import { z } from 'zod';

import { samples } from '../../playground/shopify/samples';
import { orderMappingSchema } from '../../nodes/DeliveryService/shopify/mapping';
import { orderToDelivery } from '../../nodes/DeliveryService/shopify/toDelivery';
import { serviceLabels } from '../../nodes/DeliveryService/service/labels';
import { deliverySchema } from '../../nodes/DeliveryService/service/schemas';
import { check } from '../../nodes/DeliveryService/service/validation';
import { step } from '../../playground/n8n/progress';
import { turned } from './create';
import type { MappingRun } from '../results';

const warmUpOrders = 2000;
const pickup = {
	contact: { name: 'Main Street Store', email: 'store@example.com' },
	location: { address: '12 Main Street, Springfield, IL 62701, United States' },
};

const runSchema = z.object({
	orders: z.number(),
	cpuSeconds: z.number(),
	jsonSeconds: z.number(),
});

/**
 * Has so many orders mapped and checked, each number in a process of its own, in turn. Gives each
 * run.
 */
export async function measureMapping(
	counts: readonly number[],
	rounds: number,
): Promise<MappingRun[]> {
	return await step('Mapping and checking orders', async () => {
		const runs: MappingRun[] = [];
		for (let round = 0; round < rounds; round++)
			for (const count of turned(counts, round)) runs.push(await inProcess(count));
		return runs;
	});
}

async function inProcess(count: number): Promise<MappingRun> {
	const child = fork(join(__dirname, '..', 'mapper.ts'), [String(count)], {
		execArgv: ['--import', require.resolve('tsx')],
	});
	const [run] = await Promise.race([
		once(child, 'message'),
		once(child, 'exit').then(() => {
			throw new Error('The process that maps orders has ended');
		}),
	]);
	return runSchema.parse(run);
}

/** Maps and checks so many orders in this process, and takes the same to JSON and back. */
export async function mapOrders(count: number): Promise<MappingRun> {
	const orders = (prefix: string, wanted: number) =>
		Array.from({ length: wanted }, (_, index) => ({
			...structuredClone(samples[index % samples.length]),
			name: `${prefix}${index}`,
		}));
	const warmUp = orders('warm-up', warmUpOrders);
	mapAndCheck(warmUp);
	toJsonAndBack(warmUp);
	const measured = orders('#', count);
	const cpuSeconds = processorSeconds(() => mapAndCheck(measured));
	const jsonSeconds = processorSeconds(() => toJsonAndBack(measured));
	return { orders: count, cpuSeconds, jsonSeconds };
}

function processorSeconds(work: () => unknown): number {
	const before = process.cpuUsage();
	work();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1e6;
}

/** What our node does with each order, apart from n8n. */
function mapAndCheck(orders: readonly object[]): unknown[] {
	const mapping = orderMappingSchema.parse({});
	return orders.map((order) => {
		const outcome = orderToDelivery(order, mapping);
		return outcome.kind === 'delivery'
			? check(deliverySchema, { pickup, ...outcome.delivery }, 'Delivery', serviceLabels)
			: outcome;
	});
}

function toJsonAndBack(orders: readonly object[]): unknown[] {
	return orders.map((order): unknown => JSON.parse(JSON.stringify(order)));
}
