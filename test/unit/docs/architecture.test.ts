import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { projectFolder } from '../../../playground/n8n/folders';
import { arrowsIn, drawnArrows } from '../../support/imports';

const nodesFolder = join(projectFolder, 'nodes/DeliveryService');
const page = readFileSync(join(projectFolder, 'docs/architecture.md'), 'utf8');

/** The corrections that make the diagram in docs/architecture.md match the imports. */
function corrections(): string[] {
	const drawn = drawnArrows(page);
	const arrows = arrowsIn(nodesFolder);
	const missing = arrows
		.filter(({ from, to }) => !drawn.includes(`${from} --> ${to}`))
		.map(({ from, to, files }) => `add the line "${from} --> ${to}", for ${files.join(', ')}`);
	const wrong = drawn
		.filter((line) => !arrows.some(({ from, to }) => line === `${from} --> ${to}`))
		.map((line) => `remove the line "${line}": there is no such import`);
	return [...missing, ...wrong];
}

test('the diagram in docs/architecture.md shows exactly the imports between the parts', () => {
	expect(drawnArrows(page).length).toBeGreaterThan(10);
	expect(corrections()).toEqual([]);
});

test('every file and folder in docs/architecture.md exists', () => {
	const named = [...page.replace(/```[\s\S]*?```/g, '').matchAll(/`([\w./-]+)`/g)]
		.flatMap(([, name]) => (name === undefined ? [] : [name]))
		.filter((name) => name.includes('/') || name.endsWith('.node.ts'));
	expect(named.length).toBeGreaterThan(50);
	const missing = named.filter(
		(name) => !existsSync(join(nodesFolder, name)) && !existsSync(join(projectFolder, name)),
	);
	expect(missing).toEqual([]);
});

test('docs/architecture.md has a row for every folder of the nodes', () => {
	const folders = [...new Set(arrowsIn(nodesFolder).flatMap(({ from, to }) => [from, to]))].filter(
		(name) => !name.includes('.'),
	);
	expect(folders.filter((name) => !page.includes(`| \`${name}\` |`))).toEqual([]);
});
