import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { z } from 'zod';

/** When something was seen, in milliseconds since 1970, and what. */
const sampleSchema = z.tuple([z.number(), z.number()]);

export type Sample = z.infer<typeof sampleSchema>;

/** The n8n to look at. */
export const watchedSchema = z.object({ url: z.string(), pid: z.number().int() });

export type Watched = z.infer<typeof watchedSchema>;

const seenSchema = z.object({ answers: z.array(sampleSchema), memory: z.array(sampleSchema) });

/** What was seen of an n8n from one time to another. */
export interface Seen {
	/** How long its health page took to answer at most. */
	standstillMs: number;
	/** The most memory beyond what it held at the beginning, with all that it has started. */
	memoryMb: number;
}

/** Whether memory can be read here: only Linux tells it without a program of its own. */
export const readsMemory = process.platform === 'linux';

/** Looks at an n8n all the time. */
export interface Watch {
	/**
	 * Tells what was seen between two times; what was seen before the end of the last look is
	 * forgotten.
	 */
	between(beganAt: number, endedAt: number): Promise<Seen>;
	close(): void;
}

/** Begins to look at an n8n, from a process of its own. */
export async function watch(watched: Watched): Promise<Watch> {
	const child = fork(join(__dirname, 'watcher.ts'), [JSON.stringify(watched)], {
		execArgv: ['--import', require.resolve('tsx')],
	});
	const ended = once(child, 'exit').then(() => {
		throw new Error('The process that watches n8n has ended');
	});
	ended.catch(() => undefined);
	const ask = async () => {
		child.send('tell');
		const told: unknown = await Promise.race([once(child, 'message'), ended]);
		const [seen] = z.tuple([seenSchema]).rest(z.unknown()).parse(told);
		return seen;
	};
	await ask();
	return {
		between: async (beganAt, endedAt) => summarize(await ask(), beganAt, endedAt),
		close: () => child.disconnect(),
	};
}

/** Draws from all that was seen what lies between two times: of an answer, the part in between. */
export function summarize(
	{ answers, memory }: z.infer<typeof seenSchema>,
	beganAt: number,
	endedAt: number,
): Seen {
	const waits = answers.map(([at, ms]) => Math.min(at + ms, endedAt) - Math.max(at, beganAt));
	const held = memory.filter(([at]) => at >= beganAt && at <= endedAt).map(([, kb]) => kb);
	const [first = 0] = held;
	return {
		standstillMs: waits.reduce((longest, ms) => Math.max(longest, ms), 0),
		memoryMb: (held.reduce((most, kb) => Math.max(most, kb), 0) - first) / 1024,
	};
}
