/** Texts: compares, shortens and joins them. */

/** Whether a text has more than `maxCharacters` Unicode code points. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
	// No text has more code points than code units, which are faster to count.
	return text.length > maxCharacters && Array.from(text).length > maxCharacters;
}

/** Characters that start a line, control a terminal, or reverse the text after them. */
const controlling = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_C}]+/gu;

/** Text from outside in one line: lines of its own would look like those of a message or an email. */
export function oneLine(text: string): string {
	return text.replace(controlling, ' ').trim();
}

/** Text from outside as a message quotes it: in one line of up to `maxCharacters` code points. */
export function excerpt(text: string, maxCharacters: number): string {
	const line = oneLine(text);
	return isLongerThan(line, maxCharacters)
		? `${Array.from(line).slice(0, maxCharacters).join('')}...`
		: line;
}

/** The sentence with a lowercase first letter, for use after a colon. */
export function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}

/**
 * Characters that no one sees: programs add them to copied text. Joiners, variation selectors and tags
 * count only after most of ASCII: they shape the letters of other scripts, and emoji.
 */
const invisible =
	/(?<=^|[^\P{ASCII}\d#*])[\p{Join_C}\p{VS}\u{E0020}-\u{E007F}]|(?![\p{Join_C}\p{VS}\u{E0020}-\u{E007F}])\p{DI}|(?![\t-\r])\p{Cc}|[\u2800\uFFF9-\uFFFB]/gu;

/** The text without invisible characters, such as zero-width spaces. */
export function stripInvisible(text: string): string {
	return text.replace(invisible, '');
}

/** What n8n's expressions within a text write for a missing value. */
const missing = /^\s*(?:undefined|null)\s*$/;

/** Whether a value is missing: undefined, null, these as text, or text without a visible character. */
export function isBlank(value: unknown): boolean {
	if (typeof value !== 'string') return value === undefined || value === null;
	if (/[!-~]/.test(value)) return missing.test(value);
	return !stripInvisible(value).trim();
}

/** A count with its noun: `1 delivery`, `2 deliveries`. */
export function pluralize(count: number, one: string, several: string): string {
	return `${count} ${count === 1 ? one : several}`;
}

/** The text with a final period: messages of the service may lack one. */
export function endSentence(text = ''): string {
	return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

/** One text of sentences, without those that are empty, false or undefined. */
export function joinSentences(sentences: ReadonlyArray<string | false | undefined>): string {
	return sentences.filter(Boolean).join(' ');
}

/** Comma-separated names; those beyond the maximum are only counted. */
export function listUpTo(max: number, names: readonly string[]): string {
	const more = names.length - max;
	return `${names.slice(0, max).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** How many names a message lists. The lists in the error details are complete. */
export const maxListedNames = 20;

/**
 * How to publish an unchanged trigger again, for the middle of a sentence: n8n 2 doesn't offer publishing,
 * or publishes only the other nodes.
 */
export const republishHint =
	'unpublish the workflow, then publish it (in n8n 1, deactivate and activate it)';

/** Letters that Unicode doesn't split into a plain one and an accent. */
const plainLetters: Readonly<Record<string, string>> = { ı: 'i', ł: 'l', ø: 'o', đ: 'd', ß: 'ss' };

const unsplitLetter = new RegExp(`[${Object.keys(plainLetters).join('')}]`, 'g');

/** Lowercase text without accents, in which full-width and ligature characters are plain ones. */
export function fold(text: string): string {
	return text
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(unsplitLetter, (letter) => plainLetters[letter] ?? letter);
}

/**
 * Words for comparisons, as equal text in any spelling: "Picked Up", "picked_up", "PickedUp". Hyphens
 * beside other characters stay: "0-5 kg" is not "05 kg".
 */
export function foldWords(text: string): string {
	return fold(text)
		.replace(/\p{Pd}/gu, '-')
		.replace(/[‘’ʼ]/g, "'")
		.replace(/(?<=\p{L})[_-]+(?=\p{L})|\s+/gu, '');
}

/** A name for comparisons without punctuation: lowercase, without accents, with single spaces. */
export function normalizeName(name: string): string {
	return fold(name)
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();
}

/** What a text has in brackets, also without the closing one. */
export const bracketed = /[(（[]([^)）\]]*)[)）\]]?/g;

/** The text without what it has in brackets. */
export function withoutBrackets(text: string): string {
	return text.replace(bracketed, ' ');
}

/** The digits of other scripts, ten of each. */
const digits = '٠١٢٣٤٥٦٧٨٩۰۱۲۳۴۵۶۷۸۹०१२३४५६७८९০১২৩৪৫৬৭৮৯๐๑๒๓๔๕๖๗๘๙';
const anyDigit = new RegExp(`[${digits}]`, 'g');

/** A text with the dashes and digits of ASCII. */
export function withPlainDigits(text: string): string {
	return text
		.normalize('NFKC')
		.replace(/\p{Pd}/gu, '-')
		.replace(anyDigit, (digit) => String(digits.indexOf(digit) % 10));
}

/**
 * The names in a text, separated by commas or line breaks. Alternatives are in parentheses:
 * "(pay|payment) on delivery" is two names.
 */
export function namesIn(text: string): string[] {
	return text.split(/[,\n]/).flatMap((name) => expand(name.trim()));
}

function expand(name: string): string[] {
	const [, before = '', alternatives, after = ''] = /^(.*?)\(([^)]*)\)(.*)$/.exec(name) ?? [];
	if (alternatives === undefined) return name === '' ? [] : [name];
	return alternatives.split('|').flatMap((word) => expand(`${before}${word}${after}`));
}

/** Joins the defined parts; undefined if there are none. */
export function joinParts(
	parts: ReadonlyArray<string | undefined>,
	separator: string,
): string | undefined {
	return parts.filter((part) => part !== undefined).join(separator) || undefined;
}

const maxShownLength = 40;

/** Describes the value so that the user recognizes it. */
export function describeValue(value: unknown): string {
	if (isBlank(value)) return 'empty';
	if (Array.isArray(value)) return 'a list';
	if (typeof value === 'object') return 'an object';
	if (typeof value === 'number' || typeof value === 'boolean') return String(value);
	if (typeof value !== 'string') return `a ${typeof value}`;
	return `the text "${excerpt(value, maxShownLength)}"`;
}
