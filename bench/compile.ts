import { join } from 'node:path';

import { createProgram, ModuleKind, ModuleResolutionKind, ScriptTarget } from 'typescript';

import { cacheFolder, projectFolder } from '../playground/n8n/folders';

/**
 * Compiles files of this folder with everything they import, as the package is compiled: tsx would
 * produce slower code. Returns the folder that corresponds to this one.
 */
export function compile(files: readonly string[]): string {
	const outDir = join(cacheFolder, 'bench');
	createProgram(
		files.map((file) => join(__dirname, file)),
		{
			target: ScriptTarget.ES2022,
			lib: ['lib.es2023.d.ts'],
			module: ModuleKind.Node16,
			moduleResolution: ModuleResolutionKind.Node16,
			esModuleInterop: true,
			skipLibCheck: true,
			rootDir: projectFolder,
			outDir,
		},
	).emit();
	return join(outDir, 'bench');
}
