import { clockAt, dayAt } from '../common/clock';
import { normalizeName } from '../common/text';
import type { OrderMapping } from './mapping';
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

/** Additional details with the delivery date of the usual apps. */
export const deliveryDateAttributes: readonly string[] = [
	...['Delivery Date', 'Delivery Day', 'Date of Delivery', 'Order Delivery Date', 'Shipping Date'],
	...['Requested Delivery Date', 'Preferred Delivery Date', 'Scheduled Delivery Date'],
	...['Fecha de entrega', 'Data de entrega', 'Date de livraison', 'Lieferdatum', 'Liefertermin'],
	...['Wunschtermin', 'Data di consegna', 'Bezorgdatum', 'Leverdatum'],
];

/** Additional details with the time of the usual apps. */
const timeAttributes = ['delivery time', 'delivery slot', 'delivery time slot', 'time slot'];

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
		const found = names.flatMap((name) =>
			details.map((some) => some.filter((one) => one.name === name)),
		);
		return [...new Set(found.find((some) => some.length > 0)?.map(({ value }) => value))];
	};
	const names = filters.deliveryDateAttributes ?? deliveryDateAttributes;
	const texts = valuesOf(names.map(normalizeName));
	const method = order.fulfillmentOrder?.delivery_method;
	const times = [method?.min_delivery_date_time, method?.max_delivery_date_time]
		.map((time) => Date.parse(time ?? ''))
		.filter((time) => method?.method_type === 'local' && !Number.isNaN(time));
	const isOneDay = new Set(times.map((time) => dayAt(time, timeZone))).size === 1;
	const window = isOneDay ? times.map((time) => clockAt(time, timeZone)) : [];
	const written = texts.map((text) => toLocalTime(text, timeZone));
	const read = written.map((text) => readDay(text, filters.deliveryDateFormat));
	const days = texts.length > 0 ? read : times.slice(0, 1).map((time) => dayAt(time, timeZone));
	const [day, ...others] = new Set(days);
	const isUnclear = days.length > 0 && (day === undefined || others.length > 0);
	// Whatever is not only a date in digits is in the instructions as the customer chose it.
	const chosen = isUnclear ? [] : written.filter((text) => !onlyDate.test(text));
	const given = [chosen, valuesOf(timeAttributes)].flatMap((some) => some.join(' or ') || []);
	return {
		...(isUnclear ? { unclear: texts.join(' or ') } : { day }),
		time: given.join(', ') || [...new Set(window)].join(' to ') || undefined,
	};
}

/** An ISO time as a date and a time: UTC in this time zone, any other offset as written. */
function toLocalTime(text: string, timeZone: string): string {
	const time = /\dT\d.*(Z|[+-]00:?00)$/.test(text) ? Date.parse(text) : 0;
	// Midnight in UTC is how apps write a date without a time.
	if (time % 86_400_000) return `${dayAt(time, timeZone)} ${clockAt(time, timeZone)}`;
	return text.replace(/[T ]00:00(:00.*)?$/, '').replace(/(\d)T(\d\d:\d\d)\S*/, '$1 $2');
}

const onlyDate = /^\s*\d+([-/.])\d+\1\d+\s*$/;
const yearFirst = /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/;
const yearLast = /(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d\d)(?!\d)/;

/** The number of a month by its name in one of the languages of {@link deliveryDateAttributes}. */
let months: Map<string, number> | undefined;

function monthsByName(): Map<string, number> {
	const found = new Map<string, number>();
	for (const language of ['en', 'es', 'pt', 'fr', 'de', 'it', 'nl'])
		for (const month of ['short', 'long'] as const) {
			const names = new Intl.DateTimeFormat(language, { month });
			for (let number = 1; number <= 12; number++)
				found.set(normalizeName(names.format(new Date(2000, number - 1, 15))), number);
		}
	return found;
}

/** A date with the name of its month, e.g. "Dec 24, 2026". */
function readNamedDay(text: string): string | undefined {
	const words = normalizeName(text).split(/ (?:(?:de|of|the) )*/);
	months ??= monthsByName();
	// In Spanish, French and Italian, "mar" is also Tuesday.
	if (words[0] === 'mar' && words.slice(1).some((word) => months?.has(word))) words.shift();
	const [month = 0, ...others] = new Set(words.flatMap((word) => months?.get(word) ?? []));
	const year = words.find((word) => /^\d{4}$/.test(word));
	const place = words.findIndex((word) => months?.has(word));
	// Other numbers are times.
	const beside = [words[place - 1], words[place + 1]].flatMap((word = '') =>
		/^\d{1,2}(st|nd|rd|th)?$/.test(word) ? Number.parseInt(word, 10) : [],
	);
	const days = new Set(beside.flatMap((day) => toDay(Number(year), month, day) ?? []));
	return others.length === 0 && days.size === 1 ? [...days][0] : undefined;
}

/** A date as YYYY-MM-DD; undefined if it is none, or can be read in two ways. */
function readDay(text: string, format: Filters['deliveryDateFormat']): string | undefined {
	const [, year, month = 0, day = 0] = yearFirst.exec(text) ?? [];
	if (year !== undefined) return toDay(Number(year), Number(month), Number(day));
	const found = yearLast.exec(text);
	if (!found) return readNamedDay(text);
	const [first = 0, second = 0, written = 0] = [found[1], found[3], found[4]].map(Number);
	// "24/12/26" can be read in three ways.
	const last = format === 'automatic' || written > 99 ? written : 2000 + written;
	const dayFirst = format !== 'monthFirst' && toDay(last, second, first);
	const monthFirst = format !== 'dayFirst' && toDay(last, first, second);
	const days = new Set([dayFirst, monthFirst].filter((value) => typeof value === 'string'));
	return days.size === 1 ? [...days][0] : undefined;
}

function toDay(year: number, month: number, day: number): string | undefined {
	const date = new Date(Date.UTC(year, month - 1, day));
	const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
	return isReal && year > 1999 ? date.toISOString().slice(0, 10) : undefined;
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
