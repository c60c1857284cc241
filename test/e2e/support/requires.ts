import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { z } from 'zod';

const loadedModuleSchema = z.object({ request: z.string(), resolved: z.string() });

/** A module that a package required, and the file that Node.js resolved it to. */
export type LoadedModule = z.infer<typeof loadedModuleSchema>;

/** Records the modules that a package loads in an n8n process started with `env`. */
export interface RequireRecorder {
	env: NodeJS.ProcessEnv;
	/** The modules loaded so far. */
	loadedModules(): Promise<LoadedModule[]>;
	/** Deletes the record. */
	close(): Promise<void>;
}

/**
 * Prepares a record of the modules that a package loads.
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
		async loadedModules() {
			const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
			return lines.map((line) => loadedModuleSchema.parse(JSON.parse(line)));
		},
		close: async () => await rm(folder, { recursive: true, force: true }),
	};
}
