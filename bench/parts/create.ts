import { step } from '../../playground/n8n/progress';
import { samples } from '../../playground/shopify/samples';
import type { Installation } from '../installation';
import { contenders, type Contender, type CreateRun, type Results } from '../results';
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

/** The contenders that take turns, grouped by their items. */
const groups: ReadonlyArray<readonly Contender[]> = [
	['idleJson', 'ownJson', 'single', 'expert'],
	['idleShopify', 'ownShopify'],
];

/**
 * Creates deliveries in every way, taking turns. Returns each run; adds errors of this package to
 * `problems`, and failures of the alternatives to `skipped`.
 */
export async function measureCreate(
	installation: Installation,
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
			single: httpRequest(url, target.basic),
			expert: expertChunks(url, target.basic),
		};
		const measure = async (contender: Contender, size: number, round: number) => {
			const isIdle = contender.startsWith('idle');
			const isOwn = contender.startsWith('own');
			const prefix = `${contender}-${size}-${round}`;
			const wanted: Wanted = contender.endsWith('Shopify')
				? { count: size, prefix, template: samples[0] ?? {}, named: 'name' }
				: deliveries(size, prefix);
			// A new workflow per run, since remembered references would slow down the next run.
			const sender = await Sender.publish(installation, prefix, sendingNodes[contender]);
			control.reset();
			control.settings({ latencyMs, creationLimit: withoutLimit });
			if (isOwn) await target.forgetLimit();
			const result = await sender.send(wanted);
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
			for (const contender of groups.flat())
				for (let round = 0; round < warmUp.rounds; round++)
					await measure(contender, warmUp.count, round);
		});
		return await step(`${count} deliveries in every way, ${rounds} times`, async () => {
			const runs: CreateRun[] = [];
			for (const group of groups)
				for (let round = 0; round < rounds; round++)
					for (const contender of rotated(group, round))
						runs.push(...(await measure(contender, count, round)));
			return runs;
		});
	} finally {
		n8n.close();
		await target.close();
	}
}

/** Returns the list rotated by a number of places, so that the first place goes around. */
export function rotated<T>(list: readonly T[], by: number): T[] {
	const from = by % list.length;
	return [...list.slice(from), ...list.slice(0, from)];
}
