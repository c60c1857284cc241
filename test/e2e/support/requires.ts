import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { z } from 'zod';

const loadedSchema = z.object({ request: z.string(), resolved: z.string() });

/** What a package asked Node.js for, and the file that it was given. */
export type Loaded = z.infer<typeof loadedSchema>;

/** Notes what a package loads in an n8n that is started with `env`. */
export interface RequireRecorder {
	env: NodeJS.ProcessEnv;
	/** All that was loaded so far. */
	loaded(): Promise<Loaded[]>;
	/** Deletes the notes. */
	close(): Promise<void>;
}

/**
 * Prepares the notes.
 *
 * @param packageName the package to watch
 */
export async function recordRequires(packageName: string): Promise<RequireRecorder> {
	const folder = await mkdtemp(join(tmpdir(), 'delivery-service-requires-'));
	const file = join(folder, 'requires.jsonl');
	return {
		env: {
			NODE_OPTIONS: `--require ${join(__dirname, 'recordRequires.cjs')}`,
			RECORD_REQUIRES_OF: packageName,
			RECORD_REQUIRES_TO: file,
		},
		async loaded() {
			const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
			return lines.map((line) => loadedSchema.parse(JSON.parse(line)));
		},
		close: async () => await rm(folder, { recursive: true, force: true }),
	};
}
