import { join } from 'node:path';

import { createProgram, ModuleKind, ModuleResolutionKind, ScriptTarget } from 'typescript';

import { cacheFolder, projectFolder } from '../playground/n8n/folders';

/**
 * Compiles a file of the bench, with what it imports, as this package is compiled: the runner of
 * this bench makes slower code of it. Gives the path of the result.
 */
export function compile(file: string): string {
	const outDir = join(cacheFolder, 'bench');
	createProgram([join(projectFolder, file)], {
		target: ScriptTarget.ES2022,
		lib: ['lib.es2023.d.ts'],
		module: ModuleKind.Node16,
		moduleResolution: ModuleResolutionKind.Node16,
		esModuleInterop: true,
		skipLibCheck: true,
		rootDir: projectFolder,
		outDir,
	}).emit();
	return join(outDir, file.replace(/\.ts$/, '.js'));
}
