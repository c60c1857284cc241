import { samples } from '../../playground/shopify/samples';
import { step } from '../../playground/n8n/progress';
import { contenders, type Contender, type CreateRun, type Results } from '../results';
import {
	accountFor,
	deliveries,
	faultsOf,
	Sender,
	Target,
	withoutLimit,
	type Wanted,
} from '../sending';
import { readsMemory, watch, type Watch } from '../watch';
import { expertChunks, httpRequest, ownFromJson, ownFromShopify, type Sending } from '../workflows';
import type { Installation } from '../installation';

/** Runs to make: each of these contenders with so many deliveries, so many times, in turn. */
export interface CreatePlan {
	count: number;
	latencyMs: number;
	rounds: number;
	contenders: readonly Contender[];
	shopify?: boolean;
}

/** What n8n's option starts with when it is added. */
const batching = { batchSize: 50, batchInterval: 1000 };

/** Creates deliveries in every way, in turn. Gives each run; adds what went wrong. */
export async function measureCreate(
	installation: Installation,
	plans: readonly CreatePlan[],
	{ problems, leftOut }: Pick<Results, 'problems' | 'leftOut'>,
): Promise<CreateRun[]> {
	const target = await Target.open(installation);
	const eye = await watch({ url: installation.n8n.url, pid: installation.n8n.child.pid });
	try {
		const sendings: Record<Contender, Sending> = {
			idle: [],
			ownJson: ownFromJson(target.own),
			ownJsonSkip: ownFromJson(target.own, { skip: true }),
			ownShopify: ownFromShopify(target.own),
			single: httpRequest(target.service.url, target.basic),
			batching: httpRequest(target.service.url, target.basic, batching),
			expert: expertChunks(target.service.url, target.basic),
		};
		const senders = new Map<string, Sender>();
		const senderFor = async (name: string, sending: Sending) => {
			const sender = senders.get(name) ?? (await Sender.publish(installation, name, sending));
			senders.set(name, sender);
			return sender;
		};
		const measure = async (contender: Contender, plan: CreatePlan, round: number) => {
			const { shopify = false, count, latencyMs } = plan;
			const prefix = `${contender}-${count}-${latencyMs}-${round}`;
			const wanted: Wanted = shopify
				? { count, prefix, template: samples[0] ?? {}, named: 'name' }
				: deliveries(count, prefix);
			// A workflow of its own, since what it remembers would slow it down.
			const skips = contender === 'ownJsonSkip' || contender === 'ownShopify';
			const sender = await senderFor(skips ? prefix : contender, sendings[contender]);
			const run = await measureRun({ target, eye, sender, contender, wanted, latencyMs });
			if (run === undefined) {
				const told = `${contenders[contender]}, ${count} at ${latencyMs} ms: the execution failed`;
				// What others cannot do is no fault of this package.
				(contender.startsWith('own') ? problems : leftOut).push(told);
				return [];
			}
			problems.push(...run.faults.map((fault) => `${contenders[contender]}, ${count}: ${fault}`));
			return [{ contender, shopify, count, latencyMs, ...run.figures }];
		};

		await step('Warming up', async () => {
			const warmUp = { count: 100, latencyMs: 20, rounds: 1, contenders: [] };
			for (const contender of new Set(plans.flatMap((plan) => plan.contenders))) {
				const shopify = contender === 'ownShopify';
				for (let round = 0; round < 2; round++)
					await measure(contender, { ...warmUp, shopify }, -1 - round);
			}
		});
		const runs: CreateRun[] = [];
		for (const plan of plans) {
			await step(describe(plan), async () => {
				for (let round = 0; round < plan.rounds; round++) {
					for (const contender of turned(plan.contenders, round))
						runs.push(...(await measure(contender, plan, round)));
				}
			});
		}
		return runs;
	} finally {
		eye.close();
		await target.close();
	}
}

/** The list, begun at another place in each round, so that none always comes first. */
export function turned<T>(list: readonly T[], round: number): T[] {
	const from = round % list.length;
	return [...list.slice(from), ...list.slice(0, from)];
}

function describe({ count, latencyMs, rounds, shopify }: CreatePlan): string {
	const what = shopify ? 'Shopify orders' : 'deliveries';
	return `${count} ${what} at ${latencyMs} ms an answer, ${rounds} times`;
}

async function measureRun({
	target,
	eye,
	sender,
	contender,
	wanted,
	latencyMs,
}: {
	target: Target;
	eye: Watch;
	sender: Sender;
	contender: Contender;
	wanted: Wanted;
	latencyMs: number;
}) {
	const { control } = target.service;
	control.reset();
	control.settings({ latencyMs, creationLimit: withoutLimit });
	if (contender.startsWith('own')) await target.forgetLimit();
	const result = await sender.send(wanted);
	if (result === undefined) return undefined;
	const { beganAt, endedAt, cpuMs } = result;
	const { standstillMs, memoryMb } = await eye.between(beganAt, endedAt);
	const isIdle = contender === 'idle';
	const account = accountFor(target.service, isIdle ? [] : [result]);
	return {
		faults: faultsOf(account, isIdle ? 0 : wanted.count),
		figures: {
			seconds: (endedAt - beganAt) / 1000,
			cpuSeconds: cpuMs / 1000,
			standstillMs,
			memoryMb: readsMemory ? memoryMb : 0,
			requests: account.requests,
		},
	};
}
