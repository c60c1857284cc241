import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { linksOf, pages } from '../../../tools/markdown';
import {
	digestOf,
	digestOfShown,
	keptDigests,
	pictureNames,
	picturesFolder,
} from '../../../tools/pictures';

test('each picture of the editor has its digests, and stands in a page', () => {
	const pictures = readdirSync(picturesFolder).filter((name) => name.endsWith('.png'));
	expect(pictures.sort()).toEqual(pictureNames.map((name) => `${name}.png`).sort());
	expect(Object.keys(keptDigests()).sort()).toEqual([...pictureNames].sort());
	const linked = pages().flatMap(linksOf);
	expect(pictures.filter((name) => !linked.some((link) => link.endsWith(`/${name}`)))).toEqual([]);
});

test.each(pictureNames)('the picture %s is the one that was kept', (name) => {
	const picture = readFileSync(join(picturesFolder, `${name}.png`));
	expect(digestOf(picture)).toBe(keptDigests()[name]?.picture);
});

test.each(pictureNames)('the picture %s shows what is now (else `npm run docs:images`)', (name) => {
	expect(digestOfShown(name)).toBe(keptDigests()[name]?.shown);
});
