import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../../playground/n8n/folders';
import { arrowsIn, drawnArrows } from '../../../tools/imports';

const nodesFolder = join(projectFolder, 'nodes/DeliveryService');
const page = readFileSync(join(projectFolder, 'docs/architecture.md'), 'utf8');

/** What to do to docs/architecture.md, so that its picture is what the imports are. */
function corrections(): string[] {
	const drawn = drawnArrows(page);
	const arrows = arrowsIn(nodesFolder);
	const missing = arrows
		.filter(({ from, to }) => !drawn.includes(`${from} --> ${to}`))
		.map(({ from, to, files }) => `add the line "${from} --> ${to}", for ${files.join(', ')}`);
	const wrong = drawn
		.filter((line) => !arrows.some(({ from, to }) => line === `${from} --> ${to}`))
		.map((line) => `remove the line "${line}": no file imports so any more`);
	return [...missing, ...wrong];
}

test('the picture in docs/architecture.md draws exactly the imports between the parts', () => {
	expect(drawnArrows(page).length).toBeGreaterThan(10);
	expect(corrections()).toEqual([]);
});

test('every file and folder that docs/architecture.md names is there', () => {
	const named = [...page.replace(/```[\s\S]*?```/g, '').matchAll(/`([\w./-]+)`/g)]
		.flatMap(([, name]) => (name === undefined ? [] : [name]))
		.filter((name) => name.includes('/') || name.endsWith('.node.ts'));
	expect(named.length).toBeGreaterThan(50);
	const missing = named.filter(
		(name) => !existsSync(join(nodesFolder, name)) && !existsSync(join(projectFolder, name)),
	);
	expect(missing).toEqual([]);
});

test('every folder of the nodes has a line in docs/architecture.md', () => {
	const folders = [...new Set(arrowsIn(nodesFolder).flatMap(({ from, to }) => [from, to]))].filter(
		(name) => !name.includes('.'),
	);
	expect(folders.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});
