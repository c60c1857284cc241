/** Which of the two lines of an address have the street with its house number. */
import { normalizeName } from '../common/text';
import { monthNamed } from './calendarNames';

/** What makes a number an ordinal: "5th", "3er", "2do", "2º", and before a word "2e" or "2." */
const ordinal =
	'(?:(?:st|nd|rd|th|er|re|[rdtmvn][oa]|[eè]me|[º°ª]|e(?=\\s*\\p{L}))(?!\\p{L})|\\.(?=\\s*\\p{L}{2}))';

/** What stands before a house number, e.g. "#", "nº", "Nr.", "House No." or "д." */
const numberSign =
	/^(?:[#№,]|(?:house |plot |haus|huis|h\.? ?)?n(?:o|r|ro|[uú]m(?:ero|mer)?)?[.:º°]*|(?:house|plot|ext(?:erior)?|д(?:ом)?|буд(?:инок)?|số(?: nhà)?)\.?)?\s*(?=\p{Nd})/iu;

/** What names the floor before it, e.g. "3 piso" or "5樓": it has at most two digits, so "1234 piso 5" is a house number. */
const floorName =
	'(?<!\\p{Nd}{3})\\s*(?:(?:piso|planta|étage|floor|stock|kat|этаж|поверх)(?!\\p{L})|[樓楼層层階층])';

/** The start of a house number, e.g. "12bis", "#45-23" or "nº 12": not a floor or a time such as "8am" or "10:00". */
const houseNumber = new RegExp(
	`${numberSign.source}\\p{Nd}{1,5}(?!\\p{Nd}|:\\p{Nd}|${ordinal}|${floorName}|(?!bis|ter)\\p{L}{2})`,
	'iu',
);

/** Numbers that are part of a street's name: "5th Avenue", "Straße des 17. Juni", "Rua 25 de Março", "Calle 10", "7a Avenida". */
const numberInName = new RegExp(
	[
		`\\p{Nd}{1,5}(?:${ordinal}|(?= de ))`,
		'^(?:calle|cll?|carrera|cra?|kra?|diagonal|dg|transversal|tv|avenida|av|rua)\\.? *\\p{Nd}+',
		'^\\p{Nd}{1,2}\\.? ?[aª]?\\.? (?=avenida|calle)',
	].join('|'),
	'giu',
);

/** A phone number, e.g. "0171 2345678". */
const phoneNumber = /^\+?(?:\p{Nd}[\s().-]*){7,}$/u;

const onlyNumber = /^\p{Nd}+\s?\p{L}?(?:\s?[-/]\s?\p{Nd}+\s?\p{L}?)*$/u;

/** A date in a street's name, e.g. "Via 25 Aprile" or "Rue du 8 Mai 1945". */
const dateInName = /(?<=[\p{L}.] )\p{Nd}{1,2}\.? (\p{L}+)(?: \p{Nd}{4})?$/u;

/** A part of a building, e.g. "Apt 4", "Flat No. 3B", "Flat 2/1", "Unit B", "3rd Floor" or "12/F". */
const buildingPart =
	'(?:apt|apartment|appt|appartement|suite|ste|unit|flat|room|office|floor|level|tower|apto|ap|apartamento|depto|dpto|departamento|piso|interior|interno|int|wohnung|whg|daire|casa|bloco|torre|byt|lejlighed|lgh|lägenhet|квартира|кв|شقة|דירה)' +
	'(?:\\.? ?(?:#|no\\.? ?)?\\p{Nd}+(?:/\\p{Nd}+|[ -]?\\p{L})?|[. ]+\\p{L})|\\p{Nd}{1,2}(?:(?:st|nd|rd|th) floor|/f)';

/** Parts of a building, e.g. "Flat B, 12/F, Tower 2", or whom to ask for, e.g. "c/o Smith". */
const noStreet = new RegExp(
	`^(?:${buildingPart})(?:, ?(?:${buildingPart}))*$|^(?:c/o|attn?[.:]) \\P{Nd}*$`,
	'iu',
);

/**
 * The street with its house number, and the rest, of an address in two lines: customers write the number into a
 * line of its own, or their apartment into the first one.
 *
 * @param zip the ZIP code of the address: a second line that starts with it has no house number
 */
export function streetAndRest(
	firstLine: string,
	secondLine: string,
	zip?: string,
): [string, string?] {
	const isStreet = /\p{L}{3}/u.test(secondLine) && /\p{Nd}/u.test(secondLine);
	const isComplete = houseNumber.test(secondLine) && hasNumber(secondLine);
	const isApartment = noStreet.test(firstLine) || (isOnlyNumber(firstLine) && isComplete);
	if (isApartment && isStreet && !noStreet.test(secondLine)) return [secondLine, firstLine];
	const hasZip = zip !== undefined && `${secondLine} `.startsWith(`${zip} `);
	return !hasZip && isInTwoLines(firstLine, secondLine)
		? [`${firstLine} ${secondLine}`]
		: [firstLine, secondLine];
}

/** Whether the first line has the street and the second one starts with its house number, or the other way around. */
function isInTwoLines(firstLine: string, secondLine: string): boolean {
	if (isOnlyNumber(firstLine)) return /\p{L}/u.test(secondLine);
	if (phoneNumber.test(secondLine)) return false;
	return houseNumber.test(secondLine) && !hasNumber(firstLine);
}

/** Whether a line has a house number and no street, e.g. "12 B", "No. 12" or "12-14". */
function isOnlyNumber(line: string): boolean {
	return onlyNumber.test(line.replace(numberSign, ''));
}

/** Whether a line has a number besides those in the name of its street. */
function hasNumber(line: string): boolean {
	const others = line
		.replace(dateInName, (date, word: string) =>
			monthNamed(normalizeName(word)) === undefined ? date : '',
		)
		.replace(numberInName, '');
	return /\p{Nd}/u.test(others);
}
