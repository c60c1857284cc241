/**
 * `npm run bench`: how the time to create deliveries from Shopify orders grows with their number,
 * in n8n's execution engine against the local service. Only the ratios mean something: the times
 * are those of this machine and moment.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { startService } from '../playground/service/server';
import { closeEngine, runNode } from '../test/support/engine/engine';

/** All together stay below the service's limit, which the node would wait for. */
const counts = [1000, 2000, 4000];

const parameters = {
	resource: 'delivery',
	operation: 'create',
	source: 'shopifyOrder',
	pickupName: 'Main Street Store',
	pickupEmail: 'store@example.com',
	pickupAddress: '12 Main Street, Springfield',
};

async function bench(): Promise<void> {
	const text = await readFile(
		join(__dirname, '..', 'playground', 'shopify', 'orders.json'),
		'utf8',
	);
	const [order] = z.array(z.record(z.unknown())).parse(JSON.parse(text));
	const service = await startService();
	const { control, credential } = service;
	const seconds = async (count: number) => {
		const items = Array.from({ length: count }, (_, index) => ({
			...order,
			name: `${count}-${index}`,
		}));
		const started = performance.now();
		await runNode({
			node: 'deliveryService',
			parameters,
			credential,
			workflowId: `bench-${count}`,
			items,
		});
		return (performance.now() - started) / 1000;
	};
	await seconds(10);
	let first: number | undefined;
	for (const count of counts) {
		const each = ((await seconds(count)) / count) * 1000;
		first ??= each;
		console.log(
			`${count} orders: ${each.toFixed(2)} ms an order, ${(each / first).toFixed(2)} times that of ${counts[0]}`,
		);
	}
	console.log(`${control.deliveries().length} deliveries in ${control.requests().length} requests`);
	await service.close();
	await closeEngine();
}

void bench();
