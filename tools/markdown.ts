/** Parses the project's Markdown pages: links, anchors, tables and code. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../playground/n8n/folders';

/** A page with its path in the project. */
export interface Page {
	path: string;
	markdown: string;
}

/** Returns all pages of the project. */
export function pages(): Page[] {
	const inFolder = (folder: string) =>
		readdirSync(join(projectFolder, folder))
			.filter((name) => name.endsWith('.md'))
			.map((name) => (folder === '' ? name : `${folder}/${name}`));
	return ['', 'bench', 'docs', 'examples', 'playground'].flatMap(inFolder).sort().map(page);
}

/** Returns a page by its path. */
export function page(path: string): Page {
	return { path, markdown: readFileSync(join(projectFolder, path), 'utf8') };
}

/** Returns the text of a page without code blocks. */
export function prose(markdown: string): string {
	return markdown.replace(/^```[\s\S]*?^```$/gm, '');
}

/** Returns the targets of a page's links, including images. */
export function linksOf({ markdown }: Page): string[] {
	const text = prose(markdown).replace(/`[^`\n]*`/g, '');
	return [...text.matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => target ?? []);
}

/** Returns the anchors that GitHub generates for a page's headings. */
export function anchorsOf({ markdown }: Page): Set<string> {
	const anchors = new Set<string>();
	for (const [, heading = ''] of prose(markdown).matchAll(/^#{1,6} (.+)$/gm)) {
		const slug = heading
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, '')
			.trim()
			.replace(/\s/g, '-');
		let anchor = slug;
		for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
		anchors.add(anchor);
	}
	return anchors;
}

/**
 * Returns the part of a page below a heading, up to the next one of the same level. Throws an Error if
 * there is no such heading.
 */
export function section({ path, markdown }: Page, heading: string): string {
	const [, level = ''] = new RegExp(`^(#+) ${heading}$`, 'm').exec(markdown) ?? [];
	if (level === '') throw new Error(`${path} has no heading "${heading}"`);
	const [, after = ''] = markdown.split(`${level} ${heading}\n`);
	return after.split(new RegExp(`^${level} `, 'm'))[0] ?? '';
}

/** Returns the tables of a text as rows of cells, without the header rows. */
export function tablesOf(markdown: string): string[][][] {
	const tables = [...markdown.matchAll(/(?:^\|.*\|$\n?)+/gm)].map(([table]) => table);
	return tables.map((table) =>
		table
			.trim()
			.split('\n')
			.slice(2)
			.map((row) =>
				row
					.split(/(?<!\\)\|/)
					.slice(1, -1)
					.map((cell) => cell.trim()),
			),
	);
}

/** Escapes a text for a table cell, without markup. */
export function escaped(text: string): string {
	return text
		.replace(/\s+/g, ' ')
		.replace(/&/g, '&amp;')
		.replace(/[\\`*_|<>[\]]/g, (character) => `\\${character}`);
}

/** Returns the inline code of a text. */
export function codesIn(text: string): string[] {
	return [...text.matchAll(/`([^`\n]+)`/g)].flatMap(([, code]) => code ?? []);
}
