import { step } from '../../playground/n8n/progress';
import { contenders, type MemoryRun } from '../results';
import {
	accountFor,
	deliveries,
	faultsOf,
	Sender,
	Target,
	withoutLimit,
	type RunResult,
} from '../sending';
import { ownFromJson } from '../workflows';
import type { Installation } from '../installation';

const latencyMs = 20;
/** Of the number of remembered references by which no goal is judged. */
const roundsToldApart = 2;

/** How many new references are sent, and beside how many that are remembered. */
export interface MemoryPlan {
	count: number;
	/** The most that are remembered; besides, none, and as many as are sent. */
	remembered: number;
	rounds: number;
	/** Rounds on two workers. */
	workerRounds: number;
}

/**
 * Sends new references with skipping on, in a workflow that remembers none, as many as are sent, or
 * very many; and the same with skipping off. Gives each run; adds to `problems` what went wrong.
 */
export async function measureMemory(
	installation: Installation,
	plan: MemoryPlan,
	problems: string[],
): Promise<MemoryRun[]> {
	const { count, remembered, rounds } = plan;
	const target = await Target.open(installation);
	try {
		const runs: MemoryRun[] = [];
		const sending = (skip: boolean) => ownFromJson(target.own, { skip });
		const plain = await Sender.publish(installation, 'memory-plain', sending(false));
		const full = await Sender.publish(installation, 'memory-full', sending(true));
		const add = async (sender: Sender, skip: boolean, before: number) => {
			const run = await measureRun(target, [sender], count, problems);
			runs.push({ remembered: before, skip, queue: false, ...run });
		};
		await measureRun(target, [plain], count, problems);
		await step(`Having ${remembered} references remembered`, async () => {
			for (let sent = 0; sent < remembered; sent += count)
				await measureRun(target, [full], count, problems);
		});
		await step(`${count} new references, ${rounds} times`, async () => {
			for (let round = 0; round < rounds; round++) {
				const fresh = await Sender.publish(installation, `memory-${round}`, sending(true));
				await add(fresh, true, 0);
				await add(full, true, remembered);
				await add(plain, false, 0);
				if (round < roundsToldApart) await add(fresh, true, count);
			}
		});
		return runs;
	} finally {
		await target.close();
	}
}

/** The same with none remembered, in queue mode, by one worker and by two at once. */
export async function measureWorkers(
	installation: Installation,
	{ count, workerRounds }: MemoryPlan,
	problems: string[],
): Promise<MemoryRun[]> {
	const target = await Target.open(installation);
	try {
		const runs: MemoryRun[] = [];
		const sender = async (name: string, skip: boolean) =>
			await Sender.publish(installation, name, ownFromJson(target.own, { skip }));
		await step(`${count} new references by workers, ${workerRounds} times`, async () => {
			const plain = await sender('workers-plain', false);
			await measureRun(target, [plain, plain], count, problems);
			for (let round = 0; round < workerRounds; round++) {
				for (const executions of [1, 2]) {
					const skipping = await sender(`workers-${round}-${executions}`, true);
					for (const skip of [true, false]) {
						const senders = Array.from({ length: executions }, () => (skip ? skipping : plain));
						const run = await measureRun(target, senders, count, problems);
						runs.push({ remembered: 0, skip, queue: true, ...run });
					}
				}
			}
		});
		return runs;
	} finally {
		await target.close();
	}
}

let sent = 0;

async function measureRun(
	target: Target,
	senders: readonly Sender[],
	count: number,
	problems: string[],
) {
	const { control } = target.service;
	control.reset();
	control.settings({ latencyMs, creationLimit: withoutLimit });
	await target.forgetLimit();
	const results = await Promise.all(
		senders.map(async (sender) => {
			sent++;
			return await sender.send(deliveries(count / senders.length, `memory-${sent}`));
		}),
	);
	const whole = results.filter((result): result is RunResult => result !== undefined);
	if (whole.length < results.length) throw new Error('An execution of this node failed');
	const faults = faultsOf(accountFor(target.service, whole), count);
	problems.push(...faults.map((fault) => `${contenders.ownJsonSkip}, ${count}: ${fault}`));
	const began = Math.min(...whole.map(({ beganAt }) => beganAt));
	const ended = Math.max(...whole.map(({ endedAt }) => endedAt));
	return {
		count,
		workers: new Set(whole.map(({ pid }) => pid)).size,
		seconds: (ended - began) / 1000,
		cpuSeconds: whole.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / 1000,
	};
}
