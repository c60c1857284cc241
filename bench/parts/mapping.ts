import { join } from 'node:path';

import { z } from 'zod';

import { runCommand } from '../../playground/n8n/childProcess';
import { projectFolder } from '../../playground/n8n/folders';
import { step } from '../../playground/n8n/progress';
import { compile } from '../compile';
import type { MappingRun } from '../results';
import type { Equipment } from '../installation';
import { turned } from './create';

const samplesFile = join(projectFolder, 'playground', 'shopify', 'orders.json');

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
	{ host, prepared }: Equipment,
	counts: readonly number[],
	rounds: number,
): Promise<MappingRun[]> {
	return await step('Mapping and checking orders', async () => {
		const mapper = compile('bench/mapper.ts');
		const runs: MappingRun[] = [];
		for (let round = 0; round < rounds; round++) {
			for (const count of turned(counts, round)) {
				const args = ['--expose-gc', mapper, String(count), samplesFile];
				const told = await runCommand(host.node.binary, args, {
					cwd: prepared,
					logFile: join(prepared, 'mapper.log'),
				});
				runs.push(runSchema.parse(JSON.parse(told)));
			}
		}
		return runs;
	});
}
