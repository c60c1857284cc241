import { codesIn, page, section, tablesOf } from '../../../tools/markdown';
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
