import { step } from '../../playground/n8n/progress';
import type { Installation } from '../installation';
import type { MemoryRun, Sizes } from '../results';
import { accountFor, deliveries, errorsOf, Sender, Target, withoutLimit } from '../sending';
import { ownFromJson } from '../workflows';

const latencyMs = 20;

/**
 * Sends new references with Skip Already Sent, from a workflow that remembers none and from one that
 * remembers many, and without Skip Already Sent. Returns each run; adds errors to `problems`.
 */
export async function measureMemory(
	installation: Installation,
	{ deliveries: count, remembered }: Sizes,
	rounds: number,
	problems: string[],
): Promise<MemoryRun[]> {
	const target = await Target.open(installation);
	const { control } = target.service;
	let sent = 0;
	const send = async (sender: Sender) => {
		control.reset();
		control.settings({ latencyMs, creationLimit: withoutLimit });
		await target.forgetLimit();
		const result = await sender.send(deliveries(count, `memory-${sent++}`));
		if (result === undefined) throw new Error('An execution of the Delivery Service node failed');
		const errors = errorsOf(accountFor(target.service, [result]), count);
		problems.push(...errors.map((error) => `New references: ${error}`));
		return { cpuSeconds: result.cpuMs / 1000 };
	};
	try {
		const publish = async (name: string, skip: boolean) =>
			await Sender.publish(installation, name, ownFromJson(target.own, { skip }));
		const plain = await publish('memory-plain', false);
		const full = await publish('memory-full', true);
		await send(plain);
		await step(`Filling the memory with ${remembered} references`, async () => {
			for (let filled = 0; filled < remembered; filled += count) await send(full);
		});
		return await step(`${count} new references, ${rounds} times`, async () => {
			const runs: MemoryRun[] = [];
			for (let round = 0; round < rounds; round++) {
				const empty = await publish(`memory-${round}`, true);
				runs.push({ skip: true, remembered: 0, ...(await send(empty)) });
				runs.push({ skip: true, remembered, ...(await send(full)) });
				runs.push({ skip: false, remembered: 0, ...(await send(plain)) });
			}
			return runs;
		});
	} finally {
		await target.close();
	}
}
