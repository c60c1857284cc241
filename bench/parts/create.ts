import { step } from '../../playground/n8n/progress';
import { samples } from '../../playground/shopify/samples';
import type { Installation } from '../installation';
import { contenders, itemsOf, type Contender, type CreateRun, type Results } from '../results';
import {
	accountFor,
	deliveries,
	errorsOf,
	Sender,
	Target,
	withoutLimit,
	type Wanted,
} from '../sending';
import { readsMemory, watch } from '../watch';
import { expertChunks, httpRequest, ownFromJson, ownFromShopify, type Sending } from '../workflows';

const latencyMs = 20;
const warmUp = { count: 100, rounds: 2 };

/** What the deliveries are created from. */
export type Source = 'JSON' | 'Shopify orders';

/** The contenders that take turns. */
const contendersFrom: Readonly<Record<Source, readonly Contender[]>> = {
	JSON: ['idleJson', 'ownJson', 'single', 'expert'],
	'Shopify orders': ['idleShopify', 'ownShopify', 'idleFulfillmentOrders', 'ownFulfillmentOrders'],
};

/**
 * Creates deliveries from a source in every way, taking turns. Returns each run; adds errors of this
 * package to `problems`, and failures of the alternatives to `skipped`.
 */
export async function measureCreate(
	installation: Installation,
	source: Source,
	count: number,
	rounds: number,
	{ problems, skipped }: Pick<Results, 'problems' | 'skipped'>,
): Promise<CreateRun[]> {
	const target = await Target.open(installation);
	const { control, url } = target.service;
	const n8n = await watch({ url: installation.n8n.url, pid: installation.n8n.child.pid });
	try {
		const sendingNodes: Record<Contender, Sending> = {
			idleJson: [],
			idleShopify: [],
			ownJson: ownFromJson(target.own),
			ownShopify: ownFromShopify(target.own),
			idleFulfillmentOrders: [],
			ownFulfillmentOrders: ownFromShopify(target.own),
			single: httpRequest(url, target.basic),
			expert: expertChunks(url, target.basic),
		};
		const measure = async (contender: Contender, size: number, round: number) => {
			const isIdle = contender.startsWith('idle');
			const isOwn = contender.startsWith('own');
			// A new workflow per run, since remembered references would slow down the next run.
			const path = `${contender}-${size}-${round}`;
			const sender = await Sender.publish(installation, path, sendingNodes[contender]);
			control.reset();
			control.settings({ latencyMs, creationLimit: withoutLimit });
			if (isOwn) await target.forgetLimit();
			// Short, since the service limits the length of references.
			const prefix = `${size}-${round}`;
			const result = await sender.send(itemsFor(contender, size, prefix));
			if (result === undefined) {
				// The limits of the alternatives are no error of this package.
				(isOwn ? problems : skipped).push(`${contenders[contender]}: the execution failed`);
				return [];
			}
			const { beganAt, endedAt } = result;
			const { standstillMs, memoryMb } = await n8n.between(beganAt, endedAt);
			const account = accountFor(target.service, isIdle ? [] : [result]);
			const errors = errorsOf(account, isIdle ? 0 : size);
			problems.push(...errors.map((error) => `${contenders[contender]}: ${error}`));
			const seconds = (endedAt - beganAt) / 1000;
			return [{ contender, seconds, standstillMs, memoryMb: readsMemory ? memoryMb : 0 }];
		};
		await step('Warming up', async () => {
			for (const contender of contendersFrom[source])
				for (let round = 0; round < warmUp.rounds; round++)
					await measure(contender, warmUp.count, round);
		});
		return await step(`${count} deliveries from ${source}, ${rounds} times`, async () => {
			const runs: CreateRun[] = [];
			for (let round = 0; round < rounds; round++)
				for (const contender of rotated(contendersFrom[source], round))
					runs.push(...(await measure(contender, count, round)));
			return runs;
		});
	} finally {
		n8n.close();
		await target.close();
	}
}

function itemsFor(contender: Contender, count: number, prefix: string): Wanted {
	const items = itemsOf(contender);
	if (items === 'Json') return deliveries(count, prefix);
	const withFulfillmentOrders = items === 'FulfillmentOrders';
	return { count, prefix, template: samples[0] ?? {}, named: 'name', withFulfillmentOrders };
}

/** Returns the list rotated by a number of places, so that the first place goes around. */
export function rotated<T>(list: readonly T[], by: number): T[] {
	const from = by % list.length;
	return [...list.slice(from), ...list.slice(0, from)];
}
