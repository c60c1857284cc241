import { step } from '../../playground/n8n/progress';
import type { Installation } from '../installation';
import { orderRounds } from '../page';
import {
	contenderNames,
	contenders,
	type Contender,
	type CreateRun,
	type OrderRun,
	type Results,
} from '../results';
import { accountFor, deliveries, errorsOf, orders, Sender, Target, withoutLimit } from '../sending';
import { expertChunks, httpRequest, ownFromJson, ownFromShopify, type Sending } from '../workflows';

const latencyMs = 20;
const warmUp = 100;
/** The orders of one run while a memory is filled. */
const fillSize = 10_000;

type OrderContender = Extract<Contender, `orders${string}`>;

const isOrders = (contender: Contender): contender is OrderContender =>
	contender.startsWith('orders');

/**
 * Creates many deliveries, and one, in every way, taking turns. Returns each run; adds lost, duplicated
 * and wrongly rejected deliveries to `problems`.
 */
export async function measureCreate(
	installation: Installation,
	{ sizes, rounds, problems }: Pick<Results, 'sizes' | 'rounds' | 'problems'>,
): Promise<{ create: CreateRun[]; order: OrderRun[] }> {
	const target = await Target.open(installation);
	const { control, url } = target.service;
	const sending: Record<Contender, Sending> = {
		json: ownFromJson(target.own),
		ordersEmpty: ownFromShopify(target.own),
		ordersSome: ownFromShopify(target.own),
		ordersFull: ownFromShopify(target.own),
		single: httpRequest(url, target.basic),
		chunks: expertChunks(url, target.basic),
	};
	const remembered: Record<OrderContender, number> = {
		ordersEmpty: 0,
		ordersSome: sizes.some,
		ordersFull: sizes.most,
	};
	let sent = 0;
	const send = async (contender: Contender, sender: Sender, count: number) => {
		const prefix = `B${sent}`;
		control.reset();
		control.settings({ latencyMs, creationLimit: withoutLimit });
		const wanted = isOrders(contender) ? orders(count, prefix, sent) : deliveries(count, prefix);
		sent += count;
		const from = performance.now();
		const result = await sender.send(wanted);
		const ms = performance.now() - from;
		const errors = errorsOf(accountFor(target.service, [result]), count);
		problems.push(...errors.map((error) => `${contenders[contender]}: ${error}`));
		return { ...result, ms };
	};
	/** Fills the memory of a workflow by running it, as in production. */
	const fill = async (contender: OrderContender, sender: Sender) => {
		for (let filled = 0; filled < remembered[contender]; filled += fillSize) {
			await target.forgetLimit();
			await send(contender, sender, Math.min(fillSize, remembered[contender] - filled));
		}
	};
	const publish = async (contender: Contender, path: string) =>
		await Sender.publish(installation, path, sending[contender]);
	try {
		const full = await publish('ordersFull', 'full');
		await step(`Remembering ${sizes.most} orders`, async () => await fill('ordersFull', full));
		const create = await step(`${sizes.deliveries} deliveries, ${rounds} times`, async () => {
			const runs: CreateRun[] = [];
			for (const contender of contenderNames)
				await send(contender, await publish(contender, `warm-up-${contender}`), warmUp);
			for (let round = 0; round < rounds; round++)
				for (const contender of rotated(contenderNames, round)) {
					// A new workflow, since remembered orders would slow down the next run.
					const isFull = contender === 'ordersFull';
					const sender = isFull ? full : await publish(contender, `${contender}-${round}`);
					if (isOrders(contender) && !isFull) await fill(contender, sender);
					await target.forgetLimit();
					const { seconds, standstillMs } = await send(contender, sender, sizes.deliveries);
					runs.push({ contender, seconds, standstillMs });
				}
			return runs;
		});
		const order = await step('One order', async () => {
			const runs: OrderRun[] = [];
			const compared: Contender[] = ['single', 'ordersEmpty', 'ordersSome', 'ordersFull'];
			const senders = new Map<Contender, Sender>([['ordersFull', full]]);
			for (const contender of compared) {
				const sender = senders.get(contender) ?? (await publish(contender, `one-${contender}`));
				senders.set(contender, sender);
				if (isOrders(contender) && sender !== full) await fill(contender, sender);
				await send(contender, sender, 1);
			}
			for (let round = 0; round < orderRounds(rounds); round++) {
				await target.forgetLimit();
				for (const contender of rotated(compared, round)) {
					const sender = senders.get(contender);
					if (sender) runs.push({ contender, ms: (await send(contender, sender, 1)).ms });
				}
			}
			return runs;
		});
		return { create, order };
	} finally {
		await target.close();
	}
}

/** Returns the list rotated by a number of places, so that the first place goes around. */
export function rotated<T>(list: readonly T[], by: number): T[] {
	const from = by % list.length;
	return [...list.slice(from), ...list.slice(0, from)];
}
