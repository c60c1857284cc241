import { stat } from 'node:fs/promises';
import { join } from 'node:path';

import { z } from 'zod';

import { runCommand } from '../../playground/n8n/childProcess';
import { step } from '../../playground/n8n/progress';
import type { WeightRun } from '../results';
import { packageFolder, type Equipment } from '../installation';
import { turned } from './create';

const loadedSchema = z.object({ milliseconds: z.number(), heapKb: z.number() });

/** The size of the package as it is downloaded, in kilobytes of 1,000 bytes. */
export async function tarballKb({ tarball }: Equipment): Promise<number> {
	return (await stat(tarball)).size / 1000;
}

/** Loads our two nodes and n8n's two for Onfleet, each pair in a fresh process, in turn. */
export async function measureWeight(
	{ host, prepared }: Equipment,
	rounds: number,
): Promise<WeightRun[]> {
	const modules = join(host.folder, 'node_modules');
	const own = join(packageFolder(prepared), 'dist', 'nodes', 'DeliveryService');
	const onfleet = join(modules, 'n8n-nodes-base', 'dist', 'nodes', 'Onfleet');
	const files = {
		own: ['DeliveryService', 'DeliveryServiceTrigger'].map((name) => join(own, `${name}.node.js`)),
		onfleet: ['Onfleet', 'OnfleetTrigger'].map((name) => join(onfleet, `${name}.node.js`)),
	};
	return await step('Loading nodes', async () => {
		const runs: WeightRun[] = [];
		for (let round = -1; round < rounds; round++) {
			for (const pair of turned(['own', 'onfleet'] as const, Math.abs(round))) {
				const args = ['--expose-gc', join(__dirname, '..', 'load.cjs'), ...files[pair]];
				const told = await runCommand(host.node.binary, args, {
					cwd: prepared,
					env: { NODE_PATH: modules },
					logFile: join(prepared, 'load.log'),
				});
				// The first of each reads the files from the disk, the others from memory.
				if (round >= 0) runs.push({ pair, ...loadedSchema.parse(JSON.parse(told)) });
			}
		}
		return runs;
	});
}
