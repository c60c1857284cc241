/** What stands in a field of an order without being its value: programs and sales channels write it. */

const hiddenWord = '(?:x{4,}|redacted|hidden|masked)';

/** Symbols in place of letters, or a whole value of words for it: "M*** R****", "50XXXX", "XXXX XXXX", "[Hidden]". */
const hidden = new RegExp(
	`[*•●█■]{2}|#{4}|^\\P{L}*${hiddenWord}(?:\\P{L}+${hiddenWord})*\\P{L}*$`,
	'iu',
);

/** Whether a sales channel hides a value. */
export function isHidden(text: string): boolean {
	return hidden.test(text.normalize('NFKC'));
}

/** Punctuation and zeros, or what programs write for nothing, or for an object that they can't show. */
const nothing =
	'(?:[\\p{P}0]+|n[./]?a\\.?|none|null|undefined|\\[object object\\]|unknown|tb[acd]|no address|not (?:available|applicable|provided))';
const placeholder = new RegExp(`^${nothing}(?: ${nothing})*$`, 'iu');

/** Whether a text stands for a missing value: "-", "00000", "N/A", "null null". */
export function isPlaceholder(text: string): boolean {
	return placeholder.test(text) && !isHidden(text);
}

const besideName =
	/^(?:(?:\p{P}+|[Nn]\/[Aa]|null|undefined) )+|(?: (?:\p{P}+|[Nn]\/[Aa]|null|undefined))+$/gu;

/** A name without what stands for a missing first or last one: "Ana ." is "Ana". */
export function withoutMissingPart(name: string): string {
	return isHidden(name) ? name : name.replace(besideName, '');
}
