/**
 * Which day the text of a delivery date means, in the spellings and languages of apps and customers. Its
 * dates and hours are replaced by marks. What is left must not say that another day is meant, or several.
 */
import { DateTime } from 'luxon';

import { fold, withPlainDigits } from '../common/text';
import { isWeekday, monthNamed } from './calendarNames';
import type { OrderMapping } from './mapping';

/** Whether a date was chosen: not by a text without a digit or with zeros, such as "ASAP" or "0000-00-00". */
export function mayBeDate(text: string): boolean {
	const { marked, year } = markDates(text.replace(midnight, ' '));
	return year !== undefined || /[1-9@^]/.test(marked);
}

const midnight = /(?<![\d:])0?0:00(?::00)?(?![\d:])/g;

/** An ISO time as a date and a time: UTC in this time zone, any other offset as written. */
export function toLocalTime(text: string, timeZone: string): string {
	const written =
		/\dT\d/.test(text) && DateTime.fromISO(text.trim(), { zone: 'UTC', setZone: true });
	if (!written || !written.isValid) return text.replace(/ 00:00(:00.*)?$/, '');
	// Midnight is how apps write a date without a time.
	if (written.hour + written.minute === 0) return written.toFormat('yyyy-MM-dd');
	const isUtc = /(Z|[+-]00:?00)\s*$/.test(text);
	return (isUtc ? written.setZone(timeZone) : written).toFormat('yyyy-MM-dd HH:mm');
}

/** Whether a text has only a date in digits. */
export function isOnlyDate(text: string): boolean {
	return /^\s*\d+([-/.])\d+\1\d+\s*$/.test(text);
}

/**
 * The day that a text means, as YYYY-MM-DD; undefined if it is none, or can be read in two ways.
 *
 * @param placedAt when the order was placed: a date without a year is the next one after it
 */
export function dayInText(
	text: string,
	placedAt: string | undefined,
	format: OrderMapping['filters']['deliveryDateFormat'],
): string | undefined {
	const { marked, dates, year } = markDates(text);
	const day = sameDay(dates.map((date) => readDate(date, year, placedAt, format)));
	const rest = marked
		.replace(hoursWithoutUnit, '#')
		.replace(/(\p{L}+)[.,’'-]*\s*/gu, (all, name: string) => (mayPrecede(name) ? '' : all));
	const hasYear = year !== undefined || dates.some((date) => 'year' in date);
	const [, number] = numberAfter.exec(rest) ?? [];
	// "Dec 24 to 26", "24 Dec 26"; but "Dec 24, 2026 at 10".
	const isRange = number !== undefined && (!hasYear || Number(number) > Number(day?.slice(8)));
	const isOther = otherBefore.test(rest) || numberBefore.test(rest) || otherDay.test(rest);
	return isRange || isOther ? undefined : day;
}

/** A word directly before a date, and a number before or after it, with signs or a word in between. */
const otherBefore = /\p{L}['’.-]*\s*@/u;
const between = '[^\\p{L}\\d#^@]*(?:\\p{L}{1,6}[^\\p{L}\\d#^@]*)?';
const numberBefore = new RegExp(`\\d${between}@`, 'u');
const numberAfter = new RegExp(`@${between}(\\d{1,2})(?!\\d)`, 'u');

/** Words that may stand before the day that is meant. Any other may be "not", "after" or "except". */
const leadingWords = new Set(
	fold(`
	on the of for at date day deliver delivery delivered scheduled today tomorrow heute morgen vandaag
	aujourd hui demain hoy mañana hoje amanhã oggi domani
	am den der dem lieferung liefertermin lieferdatum op de datum levering bezorging på til leverans
	le du jour date livraison el del día fecha entrega para em dia data il di consegna
	w we dnia dostawa v ve dne dňa pe livrare в во на у доставка την στις
	في يوم بتاريخ التوصيل ב ביום יום תאריך tanggal tgl hari pada pengiriman ngày giao hàng vào
	`).split(/\s+/),
);

function mayPrecede(word: string): boolean {
	return leadingWords.has(word) || isWeekday(word);
}

/** What says of a date that another day is meant, or may be: "24 Dec or later", "Latest: 24 Dec", "12月24日以降". */
const words = fold(`
	or oder ou o lub nebo alebo eller tai vagy sau или або veya atau hoặc או أو या onward onwards later earlier
	earliest latest after except unless spätestens frühestens adelante máximo tard poi sonra sonrası önce öncesi
	itibaren kadar hariç jälkeen mennessä után utána előtt بعد قبل ואילך אחרי לפני trở atas बाद पहले तक
	not no nicht kein keine pas non não niet geen ne nie ei inte ikke ej nem nu не нет değil لا ليس לא नहीं không tidak
`)
	.trim()
	.split(/\s+/)
	.join('|');
const otherWord = `(?<!\\p{L})(?:${words})(?!\\p{L})`;
const otherSign = fold(
	'以降|以外|(?<!午)[前後后]|まで|より|頃|ごろ|除|左右|不|ない|(?<![a-z])ng(?![a-z])|이후|이전|부터|까지|제외|불가',
);
const otherDay = new RegExp(
	`@[^@#^]*(?:${otherWord}|${otherSign})(?![^@]*[#^\\d])|${otherWord}[^\\p{L}#^@]*@|@\\s*(?:±|\\+/?-?\\s?\\d)`,
	'u',
);

/** A date as it is written: in digits, `first` and `second` are its month and its day in some order. */
type WrittenDate =
	{ year?: string; month: string; day: string } | { first: string; second: string; year: string };

/** A text with "@" for each date, "#" for hours with a unit, and "^" for a clock. */
interface MarkedText {
	marked: string;
	dates: WrittenDate[];
	/** That of dates without one of their own. */
	year?: string;
}

const clock =
	/(?<![\d:])(?:(?:[01]?\d|2[0-3]):[0-5]\d|24:00)(?::[0-5]\d)?(?![\d:])|(?<![\d.])\d{1,2}\.(?:00|15|30|45)(?!\.?\d)/g;

/** When on a day or how soon, not on which day: "10h-12h", "9 am", "within 2-3 hours", "60 min", "24/7". */
const hours =
	/(?:(?:\d{1,2}|\^)\s?-\s?)?(?:\d{1,3}|\^)\s?(?:(?:min(?!g)|h(?:o?u?r|eur)|st(?:d|un)|jam)\p{L}*|(?:h\d{0,2}|uhr|[ap]\.?m\.?)(?!\p{L})|[時点點])|24\/7/gu;

/** "10-12" or "10 to 12", once no date has these numbers. */
const hoursWithoutUnit =
	/(?<!\d)(?:[01]?\d|2[0-4])\s?(?:-|\p{L}{1,3})\s?(?:[01]?\d|2[0-4])(?!\d)/gu;

const yearFirst = /(?<!\d)([1-9]\d{3})(\s?[-/.]\s?)(\d{1,2})\2(\d{1,2})(?!\d)/g;
const yearLast = /(?<!\d)(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?([1-9]\d{3}|(?!00)\d\d)(?!\d)/g;

/** A month by its number: "12月24日", "24 tháng 12". */
const numberedMonth = /(\d{1,2})\s?[月월]\s?(?=\d)|(?<=\d )th(?:áng|g) (\d{1,2})/giu;

/** With months as "<12>": "24 Dec", "24. de diciembre", "Dec 24th". */
const dayAndMonth =
	/(?<!\d)(\d{1,2})(?:st|nd|rd|th|er|[eoa])?(?:[\s.]*|[-/])(?:(?:de|of) )?<(\d+)>/g;
const monthAndDay = /<(\d+)>(?:[\s.]*|[-/])(?:the )?(\d{1,2})(?:st|nd|rd|th)?(?!\d)/g;

function markDates(text: string): MarkedText {
	const dates: WrittenDate[] = [];
	const add = (date: WrittenDate) => {
		dates.push(date);
		return '@';
	};
	const inDigits = withPlainDigits(text)
		.replace(/[@#^<>]/g, ' ')
		.replace(clock, '^')
		// A year of an era: 令和8年.
		.replace(/\p{L}{0,2}(?<!\d)\d{1,3}年/gu, ' ')
		.replace(numberedMonth, (_, first: string, second: string) => `<${first ?? second}>`)
		.replace(/(\d\s?)[年년日일]/gu, '$1 ')
		.replace(yearFirst, (_, year: string, __, month: string, day: string) =>
			add({ year, month, day }),
		)
		.replace(yearLast, (_, first: string, __, second: string, year: string) =>
			add({ first, second, year }),
		);
	const [, year] = /(?<!\d)([1-9]\d{3})(?!\d)/.exec(inDigits) ?? [];
	const marked = fold(inDigits.replace(/(?<!\d)\d{4}(?!\d)/, ' '))
		.replace(/\p{L}+/gu, markMonth)
		.replace(dayAndMonth, (_, day: string, month: string) => add({ day, month }))
		.replace(monthAndDay, (_, month: string, day: string) => add({ day, month }))
		.replace(hours, '#')
		.replace(/<\d+>/g, ' ');
	return { marked, dates, year };
}

/** A word, or the mark of the month that it means; in Hebrew, after a preposition. */
function markMonth(name: string): string {
	const month = monthNamed(name) ?? monthNamed(name.replace(/^ב/, ''));
	return month === undefined ? name : `<${month}>`;
}

function readDate(
	date: WrittenDate,
	year: string | undefined,
	placedAt: string | undefined,
	format: OrderMapping['filters']['deliveryDateFormat'],
): string | undefined {
	if ('first' in date) {
		const { first, second } = date;
		// "24/12/26" can be read in three ways.
		const last = format === 'automatic' || date.year.length === 4 ? date.year : `20${date.year}`;
		const dayFirst = format !== 'monthFirst' && toDay(last, second, first);
		const monthFirst = format !== 'dayFirst' && toDay(last, first, second);
		return sameDay([dayFirst, monthFirst].filter(Boolean));
	}
	const { month, day } = date;
	const written = date.year ?? year;
	return written === undefined ? nextDay(placedAt, month, day) : toDay(written, month, day);
}

/** A date without a year: the next one after the order was placed, if that is within half a year. */
function nextDay(placedAt: string | undefined, month: string, day: string): string | undefined {
	const placed = DateTime.fromISO(placedAt ?? '', { zone: 'UTC' });
	if (!placed.isValid) return undefined;
	// It may have been placed on another day in the shop's time zone.
	const [from, to] = [
		placed.minus({ days: 1 }).toISODate(),
		placed.plus({ months: 6 }).toISODate(),
	];
	return [placed.year, placed.year + 1]
		.map((year) => toDay(String(year), month, day))
		.find((found) => found !== undefined && found >= from && found <= to);
}

/** The day if all of them are the same. */
export function sameDay(days: ReadonlyArray<string | false | undefined>): string | undefined {
	const [day, ...others] = new Set(days);
	return day && others.length === 0 ? day : undefined;
}

function toDay(year: string, month: string, day: string): string | undefined {
	const date = DateTime.fromFormat(`${year}-${month}-${day}`, 'yyyy-M-d', { zone: 'UTC' });
	// Other calendars count otherwise: 2026 is 2569 in Thailand, and 1405 in Iran.
	return date.isValid && date.year > 1999 && date.year < 2200 ? date.toISODate() : undefined;
}
