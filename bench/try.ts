import { equip, openWorld } from './world';
import { measureCreate } from './parts/create';
async function main() {
	const equipment = await equip();
	const world = await openWorld(equipment, 'SQLite');
	try {
		const problems: string[] = [];
		const all = ['idle', 'ownJson', 'ownJsonSkip', 'single', 'expert'] as const;
		const runs = await measureCreate(
			world,
			[
				{ count: 100, latencyMs: 20, rounds: 2, contenders: all },
				{ count: 1000, latencyMs: 20, rounds: 2, contenders: all },
				{
					count: 1000,
					latencyMs: 20,
					rounds: 2,
					contenders: ['idle', 'ownShopify'],
					shopify: true,
				},
			],
			problems,
		);
		for (const r of runs) console.log(JSON.stringify(r));
		console.log(problems);
	} catch (e) {
		console.log(e);
		require('fs').copyFileSync(world.n8n.child.logFile, '/tmp/bench-n8n.log');
	} finally {
		await world.close();
		await equipment.close();
	}
}
main();
