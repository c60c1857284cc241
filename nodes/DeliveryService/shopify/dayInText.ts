/**
 * Which day the text of a delivery date means, in the spellings and languages of apps and customers. Its
 * dates and hours are replaced by marks. Beside them, only words and signs that are known to change nothing may
 * be left: others may mean "not", "after" or "except".
 */
import { DateTime } from 'luxon';

import { fold, normalizeName, withPlainDigits } from '../common/text';
import { deliveryDateAttributes } from './attributeNames';
import { monthNamed, weekdaysIn, weekdaysNamed } from './calendarNames';
import type { OrderMapping } from './mapping';

/**
 * Whether a date was chosen: by one weekday, or by a digit that is not 0 or of hours; not by "ASAP",
 * "0000-00-00" or "Monday to Friday".
 */
export function mayBeDate(text: string): boolean {
	const { marked, year } = markDates(text.replace(midnight, ' '));
	const hasNumber = year !== undefined || /[1-9@^]/.test(marked);
	return hasNumber || weekdaysIn(normalizeName(marked).split(' ')).size === 1;
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
	if (day === undefined) return undefined;
	const { weekday } = DateTime.fromISO(day);
	const rest = marked
		.replace(hoursWithoutUnit, '#')
		.replace(besideHours, '')
		.replace(/\p{L}+/gu, (word) =>
			harmlessWords.has(word) || weekdaysNamed(word).has(weekday) ? '' : word,
		);
	return /(?![|^])[\p{L}\d\p{S}?]/u.test(rest) ? undefined : day;
}

/** Words that change nothing about the day, wherever they stand. */
const harmlessWords = new Set([
	...deliveryDateAttributes.flatMap((name) => normalizeName(name).split(' ')),
	...wordsOf(`
	on in the for at is slot deliver delivered arriving standard express today tomorrow heute morgen vandaag
	aujourd hui demain hoy mañana hoje amanhã oggi domani
	am den der dem lieferung dostawa livrare op datum levering bezorging på til leverans d
	le du la dans prévu prévue livrer el del para por entregar em il w we dnia v ve dne dňa pe во в у την στις
	في يوم بتاريخ الموافق ב ביום יום תאריך tgl hari pada ngày vào วันที่
	г года р року r roku godine m năm tahun
	pm morning noon afternoon evening früh vormittag vormittags nachmittag nachmittags abend abends
	matin matinée midi soir tarde noche noite mattina pomeriggio sera
	ochtend middag avond formiddag eftermiddag утром днем вечером صباحا مساء 上午 下午 午前 午前中 午後 晚上 오전 오후
	`),
]);

/** Words before a time: "at 10", "kl. 10-12". */
const atHours = wordsOf(`
	at um ore ora orele alle kl klo vid slot godz godzina čase saat jam pukul lúc เวลา ώρα الساعة
`);

/** Words about hours, directly before or after them: "after 10:00", "nicht vor 10 Uhr", "14時以降". */
const beforeHours = [
	...atHours,
	...wordsOf(`
	from until till to and between before after by around not no later earlier than
	von vom bis und zwischen vor nach ab gegen nicht de du à a au et entre avant après dès pas y e hasta antes después las
	das às até depois non prima dopo dalle van tot en tussen voor na vanaf mellan mellem mellom och og od do po przed
	między i između és с до после из к من إلى حتى بعد قبل בין
`),
];
const rangeWords = wordsOf('to till until bis a à às au al tot do до til hasta até alle إلى');
const afterHours = wordsOf(
	'以降 以後 以后 之后 から まで 頃 ごろ 前 後 より 부터 까지 arası között',
);
const besideHours = new RegExp(
	`(?:(?:~|${anyOf(beforeHours)})[\\s.-]*)+(?=[#^])|(?<=[#^])(?:\\s*(?:~|${anyOf(afterHours)}))+`,
	'gu',
);

function wordsOf(text: string): string[] {
	return fold(text).trim().split(/\s+/);
}

function anyOf(words: readonly string[]): string {
	return `(?<!\\p{L})(?:${words.join('|')})(?!\\p{L})`;
}

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
	/(?:(?:\d{1,2}|\^)\s?[-~]\s?)?(?:\d{1,3}|\^)\s?(?:(?:min(?!g)|h(?:o?u?r|eur)|st(?:d|un)|jam)\p{L}*|(?:h [0-5]\d(?!\d)|h\d{0,2}|uhr|uur|ч|[apπ]\.? ?[mμ]\.?|[صم])(?!\p{L})|[時点點])|24\/7/gu;

const hour = '(?:[01]?\\d|2[0-4])';

/** "10-12", "10 to 12", "10 to 12 h", "between 10 and 12", "at 10" or "slot 2", once no date has these numbers. */
const hoursWithoutUnit = new RegExp(
	[
		`(?:${anyOf(atHours)}\\.?\\s)?(?<!\\d)${hour}\\s?(?:[-~]|${anyOf(rangeWords)})\\s?(?:${hour}(?!\\d)|[#^])`,
		`${anyOf(wordsOf('between zwischen entre tussen mellan mellem mellom między između между'))}\\s${hour}\\s\\p{L}{1,3}\\s(?:${hour}(?!\\d)|[#^])`,
		`${anyOf(atHours)}\\.?\\s${hour}(?![\\d.])`,
	].join('|'),
	'gu',
);

const yearFirst = /(?<!\d)([1-9]\d{3})(\s?[-/.]\s?)(\d{1,2})\2(\d{1,2})(?!\d)/g;
const yearLast = /(?<!\d)(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?([1-9]\d{3}|(?!00)\d\d)(?!\d)/g;

/** A month by its number: "12月24日", "24 tháng 12". */
const numberedMonth = /(\d{1,2})\s?[月월]\s?(?=\d)|(?<=\d )th(?:áng|g) (\d{1,2})/giu;

/** Vietnamese numbers the weekdays, also in words. */
const numberedWeekday = /thứ (?:[2-7](?!\d)|hai|ba|tư|năm|sáu|bảy)(?!\p{L})/giu;

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
	// Unlike the other dashes, these signs may also be "from" or "until".
	const inDigits = withPlainDigits(text.replace(/[〜→<>]/g, '~'))
		.replace(/[@#^]/g, ' ')
		.replace(clock, '^')
		.replace(numberedWeekday, ' ')
		// A year of an era: 令和8年.
		.replace(/\p{L}{0,2}(?<!\d)\d{1,3}年/gu, ' ')
		.replace(numberedMonth, (_, first: string, second: string) => `<${first ?? second}>`)
		.replace(/(\d\s?)[年년日일]/gu, '$1 ')
		.replace(/(?<=\d)\s?시/g, '時')
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
