import { helpTopics, helpUrl } from '../../../nodes/DeliveryService/messages/help';
import manifest from '../../../package.json';
import { anchorsOf, codesIn, page, section, tablesOf } from '../../../tools/markdown';
import { isInCode, textsInCode } from '../../support/messages';

const texts = textsInCode();

/** The messages that a page quotes: inline code in the first column of a section's tables. */
function quoted(path: string, heading: string): string[] {
	return tablesOf(section(page(path), heading))
		.flat()
		.flatMap(([cell = '']) => codesIn(cell));
}

test('every message in docs/email.md is in the code', () => {
	const messages = quoted('docs/email.md', 'Find it by its words');
	expect(messages.length).toBeGreaterThan(15);
	expect(messages.filter((message) => !isInCode(message, texts))).toEqual([]);
});

test('every section that a row of the node links to is in docs/email.md', () => {
	const known = anchorsOf(page('docs/email.md'));
	expect(helpTopics.filter((topic) => !known.has(topic))).toEqual([]);
	const home = manifest.homepage.split('#')[0] ?? '';
	expect(helpUrl('unknown-delivery')).toBe(`${home}/blob/main/docs/email.md#unknown-delivery`);
});
