/** What stands in a field of an order without being its value: programs and sales channels write it. */

/** Symbols in place of letters, or a whole value of a few words for it: "M*** R****", "50XXXX", "[Redacted]". */
const hidden = /[*•●█■]{2}|^\P{L}*(?:x{4,}|redacted)\P{L}*$/iu;

/** Whether a sales channel hides a value. */
export function isHidden(text: string): boolean {
	return hidden.test(text.normalize('NFKC'));
}

/** Punctuation, or what programs write for nothing. */
const nothing = '(?:\\p{P}+|n[./]?a\\.?|none|null|undefined)';
const placeholder = new RegExp(`^${nothing}(?: ${nothing})*$`, 'iu');

/** Whether a text stands for a missing value: "-", "N/A", "null null". */
export function isPlaceholder(text: string): boolean {
	return placeholder.test(text) && !isHidden(text);
}
