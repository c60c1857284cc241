/*
 * Names of shipping and payment methods are compared as a whole. Words within a name decide nothing:
 * "Card charged on delivery" is no cash, and "Pickup and delivery" is a delivery.
 */

/** Lowercase text without accents, in which full-width and ligature characters are plain ones. */
function fold(text: string): string {
	return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/ı/g, 'i');
}

/** A name for comparisons without punctuation: lowercase, without accents, with single spaces. */
export function normalizeName(name: string): string {
	return fold(name)
		.replace(/[^\p{L}\p{N}]+/gu, ' ')
		.trim();
}

/** The forms of a name to compare: the whole name, and the name without what is in parentheses. */
export function nameForms(name: string): string[] {
	const withoutParentheses = name.replace(/[(（[][^)）\]]*[)）\]]?/g, ' ');
	return withoutParentheses === name ? [name] : [name, withoutParentheses];
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

/** A name for patterns: "0-5 kg" and "0.5 kg" stay different, "Pick-up" and "Pick up" don't. */
function patternForm(name: string): string {
	return fold(name)
		.replace(/(?<=\p{L})[-‐-―_](?=\p{L})|\s+/gu, ' ')
		.trim();
}

/** The latest lists of patterns: parsing one takes longer than mapping an order. */
const parsedPatterns = new Map<string, RegExp>();

/**
 * Whether a whole name, or the name without what is in parentheses, is in a list.
 *
 * @param patterns names in which "*" stands for any text; letter case and accents don't matter
 */
export function isListed(name: string, patterns: readonly string[]): boolean {
	const key = patterns.join('\n');
	let pattern = parsedPatterns.get(key);
	if (!pattern) {
		const forms = patterns.map((entry) =>
			patternForm(entry)
				.replace(/[.+?^${}()|[\]\\]/g, '\\$&')
				.replace(/\*+/g, '.*'),
		);
		pattern = new RegExp(`^(?:${forms.filter(Boolean).join('|') || '(?!)'})$`, 's');
		if (parsedPatterns.size > 100) parsedPatterns.clear();
		parsedPatterns.set(key, pattern);
	}
	return nameForms(name).some((form) => pattern.test(patternForm(form)));
}
