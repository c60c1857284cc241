import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { linksOf, pages } from '../../../tools/markdown';
import {
	digestOf,
	digestOfShown,
	pictureNames,
	picturesFolder,
	savedDigests,
} from '../../support/pictures';

test('every picture of the editor has digests and is in a page', () => {
	const pictures = readdirSync(picturesFolder).filter((name) => name.endsWith('.png'));
	expect(pictures.sort()).toEqual(pictureNames.map((name) => `${name}.png`).sort());
	expect(Object.keys(savedDigests()).sort()).toEqual([...pictureNames].sort());
	const linked = pages().flatMap(linksOf);
	expect(pictures.filter((name) => !linked.some((link) => link.endsWith(`/${name}`)))).toEqual([]);
});

test.each(pictureNames)('the picture %s is the saved one', (name) => {
	const picture = readFileSync(join(picturesFolder, `${name}.png`));
	expect(digestOf(picture)).toBe(savedDigests()[name]?.picture);
});

test.each(pictureNames)(
	'the picture %s is up to date (if not, run `DOCS_IMAGES=1 npm run test:e2e -- editor quickStart`)',
	(name) => {
		expect(digestOfShown(name)).toBe(savedDigests()[name]?.shown);
	},
);
