import { codesIn, page, section, tablesOf } from '../../../tools/markdown';
import { isInCode, textsInCode } from '../../../tools/messages';

const texts = textsInCode();

/** The messages that a page quotes: in code, in the first column of the tables of a section. */
function quoted(path: string, heading: string): string[] {
	return tablesOf(section(page(path), heading))
		.flat()
		.flatMap(([cell = '']) => codesIn(cell));
}

test('every message that the README explains is one of the code', () => {
	const messages = quoted('README.md', 'When something is wrong');
	expect(messages.length).toBeGreaterThan(15);
	expect(messages.filter((message) => !isInCode(message, texts))).toEqual([]);
});

test('a quotation with another word, or of which only the beginning is right, is found out', () => {
	const message = 'The Delivery Service rejected the API key';
	expect(isInCode(message, texts)).toBe(true);
	expect(isInCode(message.replace('rejected', 'refused'), texts)).toBe(false);
	expect(isInCode('The Delivery Service could not', texts)).toBe(false);
	expect(isInCode('The Delivery Service could not …', texts)).toBe(true);
	expect(isInCode('… has no mail address, and the service needs one. …', texts)).toBe(false);
});
