/** Made when it is needed: that takes some milliseconds. */
let segmenter: Intl.Segmenter | undefined;

/** Where the first so many characters of a text end, as a person sees them: an emoji is one. */
function offsetAfter(text: string, characters: number): number {
	segmenter ??= new Intl.Segmenter();
	let count = 0;
	for (const { index } of segmenter.segment(text)) if (count++ === characters) return index;
	return text.length;
}

/** Whether a text has more characters than that, as a person counts them. */
export function isLongerThan(text: string, maxCharacters: number): boolean {
	// No text has more characters than code units, which are quicker to count.
	return text.length > maxCharacters && offsetAfter(text, maxCharacters) < text.length;
}

/** The first characters of a text, none of them torn apart. */
export function truncate(text: string, maxCharacters: number): string {
	return isLongerThan(text, maxCharacters)
		? `${text.slice(0, offsetAfter(text, maxCharacters))}...`
		: text;
}

/** A sentence as it goes on after a colon. */
export function lowerFirst(text: string): string {
	return text.charAt(0).toLowerCase() + text.slice(1);
}

/** Whether a value is missing: undefined, null, or text without a visible character. */
export function isBlank(value: unknown): boolean {
	return value === undefined || value === null || (typeof value === 'string' && !value.trim());
}
