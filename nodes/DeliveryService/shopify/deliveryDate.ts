/**
 * The delivery date that the customer chose: where an order has it, which day it is, and when the order
 * is sent because of it. Luxon knows the months' names and which days exist.
 */
import { DateTime } from 'luxon';

import { clockAt, dayAt } from '../common/clock';
import { excerpt, normalizeName, withPlainDigits } from '../common/text';
import { deliveryDateAttributes, timeAttributes } from './attributeNames';
import type { OrderMapping } from './mapping';
import { monthNamed } from './monthNames';
import type { Order } from './order';
import type { LineUnits } from './units';

type Filters = OrderMapping['filters'];

/** The delivery date of an order, as far as it is known. */
export interface DeliveryDate {
	/** As YYYY-MM-DD. */
	day?: string;
	/** A date that can't be read, or can be read in two ways. */
	unclear?: string;
	/** When on that day, e.g. "10:00 to 12:00". */
	time?: string;
}

const usualNames = deliveryDateAttributes.map(normalizeName);
const timeNames = timeAttributes.map(normalizeName);

/**
 * Finds the delivery date that the customer chose: in the additional details, the properties of the
 * items, or the time of a local delivery.
 *
 * @param lines the items of the delivery: others may have another date
 */
export function findDeliveryDate(
	order: Order,
	lines: ReadonlyArray<Pick<LineUnits, 'line'>>,
	{ filters, time: { timeZone } }: OrderMapping,
): DeliveryDate {
	const details = [order.note_attributes, lines.flatMap(({ line }) => line.properties)].map(
		(some) => some.map(({ name, value }) => ({ name: normalizeName(name), value })),
	);
	/** The values of the first of these names that has any. */
	const valuesOf = (names: readonly string[]): string[] => {
		for (const name of names)
			for (const some of details) {
				const found = some.filter((one) => one.name === name);
				if (found.length > 0) return [...new Set(found.map(({ value }) => value))];
			}
		return [];
	};
	const names = filters.deliveryDateAttributes?.map(normalizeName) ?? usualNames;
	// A text without a digit, such as "ASAP" or "No preference", means that no date was chosen.
	const texts = valuesOf(names).filter((text) => /\p{Nd}/u.test(text.replace(duration, '')));
	const method = order.fulfillmentOrder?.delivery_method;
	const times = [method?.min_delivery_date_time, method?.max_delivery_date_time]
		.map((time) => Date.parse(time ?? ''))
		.filter((time) => method?.method_type === 'local' && !Number.isNaN(time));
	const isOneDay = new Set(times.map((time) => dayAt(time, timeZone))).size === 1;
	const window = isOneDay ? times.map((time) => clockAt(time, timeZone)) : [];
	const written = texts.map((text) => toLocalTime(text, timeZone));
	const read = written.map((text) => readDay(text, order, filters.deliveryDateFormat));
	const days = texts.length > 0 ? read : times.slice(0, 1).map((time) => dayAt(time, timeZone));
	const [day, ...others] = new Set(days);
	const isUnclear = days.length > 0 && (day === undefined || others.length > 0);
	// Whatever is not only a date in digits is in the instructions as the customer chose it.
	const chosen = isUnclear ? [] : written.filter((text) => !onlyDate.test(text));
	const given = [chosen, valuesOf(timeNames)].flatMap((some) => some.join(' or ') || []);
	return {
		...(isUnclear ? { unclear: excerpt(texts.join(' or '), 100) } : { day }),
		time: given.join(', ') || [...new Set(window)].join(' to ') || undefined,
	};
}

/** How soon, not on which day: "within 2-3 hours", "60 min", "24/7". */
const duration =
	/(?:\d+\s?[-–]\s?)?\d+\s?(?:(?:min|h(?:o?u?r|eur)|st(?:d|un)|jam)\p{L}*|h(?!\p{L}))|24\/7/giu;

/** An ISO time as a date and a time: UTC in this time zone, any other offset as written. */
function toLocalTime(text: string, timeZone: string): string {
	const written =
		/\dT\d/.test(text) && DateTime.fromISO(text.trim(), { zone: 'UTC', setZone: true });
	if (!written || !written.isValid) return text.replace(/ 00:00(:00.*)?$/, '');
	// Midnight is how apps write a date without a time.
	if (written.hour + written.minute === 0) return written.toFormat('yyyy-MM-dd');
	const isUtc = /(Z|[+-]00:?00)\s*$/.test(text);
	return (isUtc ? written.setZone(timeZone) : written).toFormat('yyyy-MM-dd HH:mm');
}

const onlyDate = /^\s*\d+([-/.])\d+\1\d+\s*$/;
const yearFirst = /(?<!\d)(\d{4})\s?[-/.年년]\s?(\d{1,2})\s?[-/.月월]\s?(\d{1,2})(?!\d)/g;
const yearLast = /(?<!\d)(\d{1,2})\s?([-/.])\s?(\d{1,2})\s?\2\s?(\d{4}|\d\d)(?!\d)/g;
const withoutYear = /(?<!\d)(\d{1,2})\s?[月월]\s?(\d{1,2})(?!\d)/;
const dayAndMonth = /(?<!\d)(\d{1,2})(?:st|nd|rd|th)? (?:(?:de|of) |ב)?(\p{L}+)/gu;
const monthAndDay = /(\p{L}+) (?:the )?(\d{1,2})(?:st|nd|rd|th)?(?!\d)/gu;

/** A date as YYYY-MM-DD; undefined if it is none, or can be read in two ways. */
function readDay(
	text: string,
	order: Order,
	format: Filters['deliveryDateFormat'],
): string | undefined {
	const numbers = withPlainDigits(text);
	if (hasDayRange(numbers)) return undefined;
	const found = [
		...Array.from(numbers.matchAll(yearFirst), ([, ...date]) => toDay(...date)),
		...Array.from(numbers.matchAll(yearLast), ([, first, , second, written = '']) => {
			// "24/12/26" can be read in three ways.
			const last = format === 'automatic' || written.length === 4 ? written : `20${written}`;
			const dayFirst = format !== 'monthFirst' && toDay(last, second, first);
			const monthFirst = format !== 'dayFirst' && toDay(last, first, second);
			return sameDay([dayFirst, monthFirst].filter(Boolean));
		}),
	];
	return found.length > 0 ? sameDay(found) : readNamedDay(numbers, order);
}

/** Days of a month, e.g. "24-26 Dec", "December 24 to 26" or "24日-26日". */
const dayRange =
	/(?:(\p{L}+)\.? )?\d{1,2}(?:st|nd|rd|th|[.日일])?\s?(?:-|~|to|al?|à|au|bis|tot)\s?\d{1,2}(?:st|nd|rd|th|\.)?\s?(?:(?:de|of) )?(\p{L}*)/giu;

/** Whether a text has a range of days: a range of hours has no month beside it. */
function hasDayRange(text: string): boolean {
	const isMonth = (word: string) => monthNamed(normalizeName(word)) !== undefined;
	return Array.from(text.matchAll(dayRange)).some(
		([, before = '', after = '']) => isMonth(before) || isMonth(after) || /^[日일]/.test(after),
	);
}

/** A date with the name of its month, e.g. "Dec 24, 2026" or "12月24日". */
function readNamedDay(text: string, order: Order): string | undefined {
	const [, month, day] = withoutYear.exec(text) ?? [];
	if (month !== undefined) return nextDay(order, month, day);
	// In Spanish, French and Italian, "mar" is also Tuesday.
	const words = normalizeName(text);
	const others = words.replace(/^mar /, '');
	const hasMonth = others.split(' ').some((word) => monthNamed(word) !== undefined);
	const dates = hasMonth ? others : words;
	const [, year] = /(?<!\d)(\d{4})(?!\d)/.exec(dates) ?? [];
	const found = [
		...Array.from(dates.matchAll(dayAndMonth), ([, day, month = '']) => ({ month, day })),
		...Array.from(dates.matchAll(monthAndDay), ([, month = '', day]) => ({ month, day })),
	].flatMap(({ month, day }) => {
		const number = monthNamed(month);
		if (number === undefined) return [];
		return year === undefined ? nextDay(order, number, day) : toDay(year, number, day);
	});
	return sameDay(found);
}

/** A date without a year: the next one after the order was placed, if that is within half a year. */
function nextDay(
	{ created_at = '' }: Order,
	month: string | number,
	day: string | undefined,
): string | undefined {
	const placed = DateTime.fromISO(created_at, { zone: 'UTC' });
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
function sameDay(days: ReadonlyArray<string | false | undefined>): string | undefined {
	const [day, ...others] = new Set(days);
	return day && others.length === 0 ? day : undefined;
}

function toDay(year = '', month: string | number = '', day = ''): string | undefined {
	const date = DateTime.fromFormat(`${year}-${month}-${day}`, 'yyyy-M-d', { zone: 'UTC' });
	// Other calendars count otherwise: 2026 is 2569 in Thailand, and 1405 in Iran.
	return date.isValid && date.year > 1999 && date.year < 2200 ? date.toISODate() : undefined;
}

/** The day on which an order is to be sent by its delivery date, if it has not come yet. */
export function laterSendingDay({ day }: DeliveryDate, mapping: OrderMapping): string | undefined {
	if (day === undefined) return undefined;
	const sendingDay = dayAt(Date.parse(day) - mapping.filters.sendDaysAhead * 86_400_000, 'UTC');
	return sendingDay > today(mapping) ? sendingDay : undefined;
}

/** The day of the run, as YYYY-MM-DD. */
export function today({ time: { now, timeZone } }: OrderMapping): string {
	return dayAt(now, timeZone);
}

/** The date in the driver's instructions. */
export function dateText({ day, unclear, time }: DeliveryDate): string | undefined {
	const parts = [day ?? unclear, time].filter((part) => part !== undefined);
	return parts.length > 0 ? `Deliver: ${parts.join(', ')}` : undefined;
}
