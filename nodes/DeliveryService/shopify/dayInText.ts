/**
 * Which day the text of a delivery date means, in the spellings and languages of apps and customers. Luxon
 * knows the months' names and which days exist.
 */
import { DateTime } from 'luxon';

import { normalizeName, withPlainDigits } from '../common/text';
import type { OrderMapping } from './mapping';
import { monthNamed } from './monthNames';

/** Whether a date was chosen: not by a text without a digit or with zeros, such as "ASAP" or "0000-00-00". */
export function mayBeDate(text: string): boolean {
	return /(?!0)\p{Nd}/u.test(withoutHours(text));
}

/** When on a day or how soon, not on which day: "10h-12h", "9 am", "within 2-3 hours", "60 min", "24/7". */
const hours =
	/(?<![\d./:]|\d-)(?:\d{1,2}(?::\d\d)?\s?-\s?)?\d{1,3}(?::\d\d)?\s?(?:(?:min(?!g)|h(?:o?u?r|eur)|st(?:d|un)|jam)\p{L}*|(?:h\d{0,2}|uhr|[ap]\.?m\.?)(?!\p{L}))|24\/7/giu;

/** A text with plain digits, and without hours that have a unit. "Dec 10 AM" is the morning of a day. */
function withoutHours(text: string): string {
	return withPlainDigits(text).replace(hours, (found: string, start: number, all: string) => {
		const [, day, before = ''] = monthBefore.exec(all.slice(Math.max(0, start - 30), start)) ?? [];
		return day === undefined && isMonth(before) ? found : ' ';
	});
}

/** A word before a number, and the day before it, as in "24 December 10am". */
const monthBefore = /(\d\S{0,3} (?:de |of )?)?(?<!\p{L})(\p{L}+)\.? $/u;

function isMonth(word: string): boolean {
	return monthNamed(normalizeName(word)) !== undefined;
}

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

const yearFirst = /(?<!\d)(\d{4})(\s?[-/.]\s?)(\d{1,2})\2(\d{1,2})(?!\d)/g;
const yearLast = /(?<!\d|\d{4}[-/.])(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d\d)(?!\d)/g;
const inCharacters = /(?:(\d{4})\s?[年년]\s?)?(?<!\d)(\d{1,2})\s?[月월]\s?(\d{1,2})(?!\d)/g;
const dayAndMonth = /(?<!\d)(\d{1,2})\p{L}{0,2} (?:(?:de|of) |ב)?(\p{L}+)/gu;
const monthAndDay = /(\p{L}+) (?:the )?(\d{1,2})(?!\d)/gu;

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
	const numbers = withoutHours(text).replace(clock, ' ');
	if (hasDayRange(numbers)) return undefined;
	const found = [
		...Array.from(numbers.matchAll(yearFirst), ([, year, , month, day]) => toDay(year, month, day)),
		...Array.from(numbers.matchAll(yearLast), ([, first, , second, written = '']) => {
			// "24/12/26" can be read in three ways.
			const last = format === 'automatic' || written.length === 4 ? written : `20${written}`;
			const dayFirst = format !== 'monthFirst' && toDay(last, second, first);
			const monthFirst = format !== 'dayFirst' && toDay(last, first, second);
			return sameDay([dayFirst, monthFirst].filter(Boolean));
		}),
	];
	return found.length > 0 ? sameDay(found) : readNamedDay(numbers, placedAt);
}

const clock = /(?<![\d:])(?:(?:[01]?\d|2[0-3]):[0-5]\d|24:00)(?::[0-5]\d)?(?![\d:])/g;

/** What stands between two days: a sign, or a word of any language. */
const between = '(?:\\s?(?:[-~&+・]|(?![月월])\\p{L}{1,6})\\s?|/)';

/** Days of a month, e.g. "24-26 Dec", "24 and 26 Dec", "December 24 to 26" or "24日-26日". */
const dayRange = new RegExp(
	`(?:(\\p{L}+)\\.? )?(?<!\\d)\\d{1,2}(?:st|nd|rd|th|er|[.日일])?${between}\\d{1,2}(?!\\d)(?:st|nd|rd|th|\\.)?\\s?(?:(?:de|of) )?(\\p{L}*)`,
	'giu',
);

/** The first day of a range in digits: "24", "24." or "24/12", but not the time "10.00". */
const firstInDigits = '(?<![\\d.])\\d{1,2}(?:[./](?!00)\\d{1,2})?[./]?';

/** The last day of such a range: "26.12.2026" or "26/12/26". */
const lastInDigits = '\\d{1,2}([-/.])\\d{1,2}\\1(?:\\d{4}|\\d\\d)(?!\\d)';

/** E.g. "24.-26.12.2026" or "24/12 - 26/12/2026". */
const rangeYearLast = new RegExp(`${firstInDigits}${between}${lastInDigits}`, 'iu');

/** E.g. "2026/12/24-26". */
const rangeYearFirst = /\d{4}[-/.]\d{1,2}[-/.]\d{1,2}[-~]\d{1,2}(?!\d)/u;

/** Whether a text has a range of days: a range of hours has no month beside it. */
function hasDayRange(text: string): boolean {
	return (
		rangeYearFirst.test(text) ||
		rangeYearLast.test(text) ||
		Array.from(text.matchAll(dayRange)).some(
			([, before = '', after = '']) => isMonth(before) || isMonth(after) || /^[日일]/.test(after),
		)
	);
}

/** A date with the name of its month, e.g. "Dec 24, 2026" or "12月24日". */
function readNamedDay(text: string, placedAt: string | undefined): string | undefined {
	const found = Array.from(text.matchAll(inCharacters), ([, year, month = '', day]) =>
		year === undefined ? nextDay(placedAt, month, day) : toDay(year, month, day),
	);
	if (found.length > 0) return sameDay(found);
	// In Spanish, French and Italian, "mar" is also Tuesday.
	const words = normalizeName(text);
	const others = words.replace(/^mar /, '');
	const hasMonth = others.split(' ').some((word) => monthNamed(word) !== undefined);
	const dates = hasMonth ? others : words;
	const [, year] = /(?<!\d)(\d{4})(?!\d)/.exec(dates) ?? [];
	const named = [
		...Array.from(dates.matchAll(dayAndMonth), ([, day, month = '']) => ({ month, day })),
		...Array.from(dates.matchAll(monthAndDay), ([, month = '', day]) => ({ month, day })),
	].flatMap(({ month, day }) => {
		const number = monthNamed(month);
		if (number === undefined) return [];
		return year === undefined ? nextDay(placedAt, number, day) : toDay(year, number, day);
	});
	return sameDay(named);
}

/** A date without a year: the next one after the order was placed, if that is within half a year. */
function nextDay(
	placedAt: string | undefined,
	month: string | number,
	day: string | undefined,
): string | undefined {
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

function toDay(year = '', month: string | number = '', day = ''): string | undefined {
	const date = DateTime.fromFormat(`${year}-${month}-${day}`, 'yyyy-M-d', { zone: 'UTC' });
	// Other calendars count otherwise: 2026 is 2569 in Thailand, and 1405 in Iran.
	return date.isValid && date.year > 1999 && date.year < 2200 ? date.toISODate() : undefined;
}
