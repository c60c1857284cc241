import { join } from 'node:path';

import { runCommand } from '../../playground/n8n/childProcess';
import { projectFolder } from '../../playground/n8n/folders';
import { step } from '../../playground/n8n/progress';
import type { Equipment } from '../installation';
import { mappingRunSchema, type MappingRun } from '../results';
import { rotated } from './create';

const samplesFile = join(projectFolder, 'playground', 'shopify', 'orders.json');

/**
 * Maps and validates this many orders, a tenth of them, and the same tenth with fulfillment orders,
 * each in its own process. Returns each run.
 */
export async function measureMapping(
	{ host, prepared, compiled }: Equipment,
	orders: number,
	rounds: number,
): Promise<MappingRun[]> {
	return await step('Mapping and validating orders', async () => {
		const kinds = [
			{ count: orders / 10, withFulfillmentOrders: false },
			{ count: orders, withFulfillmentOrders: false },
			{ count: orders / 10, withFulfillmentOrders: true },
		];
		const runs: MappingRun[] = [];
		for (let round = 0; round < rounds; round++) {
			for (const { count, withFulfillmentOrders } of rotated(kinds, round)) {
				const mapper = join(compiled, 'mapper.js');
				const output = await runCommand(
					host.node.binary,
					['--expose-gc', mapper, String(count), samplesFile, String(withFulfillmentOrders)],
					{ cwd: prepared, logFile: join(prepared, 'mapper.log') },
				);
				runs.push(mappingRunSchema.parse(JSON.parse(output)));
			}
		}
		return runs;
	});
}
