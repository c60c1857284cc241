/*
 * Names of shipping and payment methods are compared as a whole, without letter case, accents and
 * punctuation. Words within a name decide nothing: "Card charged on delivery" is no cash, and "Pickup
 * and delivery" is a delivery.
 */

/**
 * A name for comparisons: lowercase, without accents, with a single space between words.
 *
 * @param kept characters that are kept besides letters and digits
 */
export function normalizeName(name: string, kept = ''): string {
	return name
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/ı/g, 'i')
		.replace(new RegExp(`[^\\p{L}\\p{N}${kept}]+`, 'gu'), ' ')
		.trim();
}

/** The forms of a name to compare: the whole name, and the name without what is in parentheses. */
export function nameForms(name: string): string[] {
	const withoutParentheses = name.replace(/[(（[][^)）\]]*[)）\]]?/g, ' ');
	return [...new Set([name, withoutParentheses].map((form) => normalizeName(form)))].filter(
		Boolean,
	);
}
