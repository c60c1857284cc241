/** Created on first use: that takes some milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** The offset after a number of grapheme clusters: an emoji counts as one character. */
function offsetAfter(text: string, characterCount: number): number {
	segmenter ??= new Intl.Segmenter();
	let count = 0;
	for (const { index } of segmenter.segment(text)) if (count++ === characterCount) return index;
	return text.length;
}

/** Whether a text has more than `maxCharacters` grapheme clusters. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
	// No text has more grapheme clusters than code units, which are faster to count.
	return text.length > maxCharacters && offsetAfter(text, maxCharacters) < text.length;
}

/** The text, shortened to `maxCharacters` without splitting a character. */
export function truncate(text: string, maxCharacters: number): string {
	return isLongerThan(text, maxCharacters)
		? `${text.slice(0, offsetAfter(text, maxCharacters))}...`
		: text;
}

/** The sentence with a lowercase first letter, for use after a colon. */
export function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Whether a value is missing: undefined, null, or text without a visible character. */
export function isBlank(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && !value.trim());
}
