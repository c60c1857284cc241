import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { z } from 'zod';

/** A time in milliseconds since 1970, and the value at that time. */
const sampleSchema = z.tuple([z.number(), z.number()]);

export type Sample = z.infer<typeof sampleSchema>;

/** The n8n to watch. */
export const watchedSchema = z.object({ url: z.string(), pid: z.number().int() });

export type Watched = z.infer<typeof watchedSchema>;

const samplesSchema = z.object({ responses: z.array(sampleSchema), memory: z.array(sampleSchema) });

/** The behavior of an n8n in a period. */
export interface Seen {
	/** The longest response time of its health check. */
	standstillMs: number;
	/** The peak memory above the memory at the start, including child processes. */
	memoryMb: number;
}

/** Whether memory can be read: only Linux shows it without another program. */
export const readsMemory = process.platform === 'linux';

/** Watches an n8n. */
export interface Watch {
	/** Summarizes a period, and discards all samples so far. */
	between(beganAt: number, endedAt: number): Promise<Seen>;
	close(): void;
}

/** Starts to watch an n8n, from another process. */
export async function watch(watched: Watched): Promise<Watch> {
	const child = fork(join(__dirname, 'watcher.ts'), [JSON.stringify(watched)], {
		execArgv: ['--import', require.resolve('tsx')],
	});
	const exited = once(child, 'exit').then(() => {
		throw new Error('The process that watches n8n has exited');
	});
	exited.catch(() => undefined);
	const ask = async () => {
		child.send('report');
		const message: unknown = await Promise.race([once(child, 'message'), exited]);
		const [samples] = z.tuple([samplesSchema]).rest(z.unknown()).parse(message);
		return samples;
	};
	await ask();
	return {
		between: async (beganAt, endedAt) => summarize(await ask(), beganAt, endedAt),
		close: () => child.disconnect(),
	};
}

/** Summarizes the samples of a period. Of a response time, only the part in the period counts. */
export function summarize(
	{ responses, memory }: z.infer<typeof samplesSchema>,
	beganAt: number,
	endedAt: number,
): Seen {
	const waits = responses.map(([at, ms]) => Math.min(at + ms, endedAt) - Math.max(at, beganAt));
	const used = memory.filter(([at]) => at >= beganAt && at <= endedAt).map(([, kb]) => kb);
	const [first = 0] = used;
	return {
		standstillMs: waits.reduce((longest, ms) => Math.max(longest, ms), 0),
		memoryMb: (used.reduce((most, kb) => Math.max(most, kb), 0) - first) / 1024,
	};
}
