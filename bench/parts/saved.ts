/** What reading orders costs in executions that n8n saves, above saving the same items and sending nothing. */
import { step } from '../../playground/n8n/progress';
import type { Installation } from '../installation';
import {
	savedContenders,
	savedNames,
	type Results,
	type SavedContender,
	type SavedRun,
} from '../results';
import { accountFor, deliveries, errorsOf, orders, Sender, Target, withoutLimit } from '../sending';
import { expertChunks, httpRequest, ownFromJson, ownFromShopify, type Sending } from '../workflows';
import { rotated } from './create';

const latencyMs = 20;
const warmUp = 100;

/**
 * Runs whole executions that are saved, in every way, taking turns. Returns each run; adds lost,
 * duplicated and wrongly rejected deliveries to `problems`.
 */
export async function measureSaved(
	installation: Installation,
	{ sizes, rounds, problems }: Pick<Results, 'sizes' | 'rounds' | 'problems'>,
): Promise<SavedRun[]> {
	const target = await Target.open(installation);
	const { control, url } = target.service;
	const sending: Record<SavedContender, Sending> = {
		idleDeliveries: [],
		json: ownFromJson(target.own, { skipAlreadySent: true }),
		single: httpRequest(url, target.basic),
		chunks: expertChunks(url, target.basic),
		idleOrders: [],
		orders: ownFromShopify(target.own),
	};
	let sent = 0;
	const run = async (contender: SavedContender, count: number): Promise<SavedRun> => {
		const prefix = `S${sent}`;
		const { isOrders, isIdle } = savedContenders[contender];
		control.reset();
		control.settings({ latencyMs, creationLimit: withoutLimit });
		await target.forgetLimit();
		const wanted = isOrders ? orders(count, prefix, sent) : deliveries(count, prefix);
		// A new workflow, since remembered references would slow down the next run.
		const path = `saved-${contender}-${sent}`;
		const sender = await Sender.publish(installation, path, sending[contender], true);
		sent += count;
		const from = performance.now();
		const result = await sender.send(wanted);
		const seconds = (performance.now() - from) / 1000;
		const errors = isIdle ? [] : errorsOf(accountFor(target.service, [result]), count);
		problems.push(...errors.map((error) => `${path}: ${error}`));
		return { contender, seconds };
	};
	try {
		return await step(`${sizes.deliveries} deliveries, saved, ${rounds} times`, async () => {
			for (const contender of savedNames) await run(contender, warmUp);
			const runs: SavedRun[] = [];
			for (let round = 0; round < rounds; round++)
				for (const contender of rotated(savedNames, round))
					runs.push(await run(contender, sizes.deliveries));
			return runs;
		});
	} finally {
		await target.close();
	}
}
