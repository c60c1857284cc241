/** Whether the street and the house number of an address are in two lines. */

/** What makes a number an ordinal: "5th", "3er", "2do", "2º", and before a word "2e" or "2." */
const ordinal = '(?:st|nd|rd|th|er|re|[rdtmvn][oa]|[eè]me|[º°ª]|(?:e|\\.)(?=\\s*\\p{L}))(?!\\p{L})';

/** The start of a house number, e.g. "12 bis", "#45-23" or "nº 12": not a floor, and not a phone number. */
const houseNumber = new RegExp(
	`^(?:[#№]|n(?:o|r|ro|[uú]m(?:ero)?)?[.:º°]*)?\\s*\\p{Nd}{1,5}(?!\\p{Nd}|${ordinal})`,
	'iu',
);

/** Numbers that are part of a street's name: "5th Avenue", "Straße des 17. Juni", "Rua 25 de Março", "Calle 10". */
const numberInName = new RegExp(
	[
		`\\p{Nd}+(?:${ordinal}|(?= de ))`,
		'^(?:calle|cll?|carrera|cra?|kra?|diagonal|transversal|avenida|av|rua)\\.? *\\p{Nd}+',
	].join('|'),
	'giu',
);

/** A first line without a street, e.g. "12" or "12 B". */
const onlyNumber = /^[#№]?\s*\p{Nd}+\s?\p{L}?$/u;

/** Whether the first line has the street and the second one starts with its house number, or the other way around. */
export function isInTwoLines(firstLine: string, secondLine: string): boolean {
	if (onlyNumber.test(firstLine)) return /\p{L}/u.test(secondLine);
	return houseNumber.test(secondLine) && !/\p{Nd}/u.test(firstLine.replace(numberInName, ''));
}
