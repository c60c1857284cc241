/** The imports between the parts of the nodes, as the diagram in docs/architecture.md shows them. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, sep } from 'node:path';

import { preProcessFile } from 'typescript';

/** An import of one part of a folder by another, with the importing files. */
export interface Arrow {
	from: string;
	to: string;
	/** The importing files. */
	files: string[];
}

/** Returns the arrows between the parts of a folder: its files and subfolders. */
export function arrowsIn(root: string): Arrow[] {
	const arrows = new Map<string, Arrow>();
	const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
		.map((file) => file.split(sep).join('/'))
		.filter((file) => file.endsWith('.ts'));
	for (const file of files)
		for (const { fileName } of preProcessFile(readFileSync(join(root, file), 'utf8'))
			.importedFiles) {
			if (!fileName.startsWith('.')) continue;
			const [from, to] = [file, posix.join(dirname(file), fileName)].map(partOf);
			if (from === undefined || to === undefined || from === to || to === '..') continue;
			const name = `${from} --> ${to}`;
			const arrow = arrows.get(name) ?? { from, to, files: [] };
			arrows.set(name, arrow);
			if (!arrow.files.includes(file)) arrow.files.push(file);
		}
	return [...arrows.values()];
}

function partOf(file: string): string | undefined {
	return file.split('/')[0];
}

/** Returns the arrows of the first Mermaid flowchart of a page, as `from --> to`. */
export function drawnArrows(markdown: string): string[] {
	const [, chart = ''] = /```mermaid\n([\s\S]*?)```/.exec(markdown) ?? [];
	return [...chart.matchAll(/^\s*(\S+) --> (\S+)\s*$/gm)].map(
		([, from, to]) => `${from} --> ${to}`,
	);
}
