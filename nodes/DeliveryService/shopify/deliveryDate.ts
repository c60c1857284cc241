/** The delivery date that the customer chose: where an order has it, and when the order is sent because of it. */
import { clockAt, dayAt } from '../common/clock';
import { excerpt } from '../common/text';
import { deliveryDateAttributes, detailName, timeAttributes } from './attributeNames';
import { dayInText, isOnlyDate, mayBeDate, sameDay, toLocalTime } from './dayInText';
import type { OrderMapping } from './mapping';
import type { Order } from './order';
import type { LineUnits } from './units';

/** The delivery date of an order, as far as it is known. */
export interface DeliveryDate {
	/** As YYYY-MM-DD. */
	day?: string;
	/** A date that can't be read, or can be read in two ways. */
	unclear?: string;
	/** When on that day, e.g. "10:00 to 12:00". */
	time?: string;
}

/** Customers write these texts, and reading a long one would stop n8n for seconds. */
const maxTextLength = 200;

const usualNames = deliveryDateAttributes.map(detailName);
const timeNames = timeAttributes.map(detailName);

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
	const valuesOf = readDetails(order, lines);
	const names = filters.deliveryDateAttributes?.map(detailName) ?? usualNames;
	const texts = valuesOf(names, mayBeDate);
	const times = valuesOf(timeNames).join(' or ');
	const window = localWindow(order, timeZone);
	if (texts.length === 0) return { day: window.day, time: times || window.time };
	const written = texts.map((text) => toLocalTime(text, timeZone));
	const days = written.map((text) => dayInText(text, order.created_at, filters.deliveryDateFormat));
	const day = sameDay(days);
	if (day === undefined)
		return { unclear: excerpt(texts.join(' or '), 100), time: times || window.time };
	// Whatever is not only a date in digits is in the instructions as the customer chose it.
	const chosen = written.filter((text) => !isOnlyDate(text)).join(' or ');
	return { day, time: [chosen, times].filter(Boolean).join(', ') || window.time };
}

/**
 * A function from names to the values of the first one that the additional details or the properties
 * of some items have, as far as these values count.
 */
function readDetails(
	{ note_attributes }: Order,
	lines: ReadonlyArray<Pick<LineUnits, 'line'>>,
): (names: readonly string[], counts?: (value: string) => boolean) => string[] {
	const details = [note_attributes, lines.flatMap(({ line }) => line.properties)].map((some) =>
		some.map(({ name, value }) => ({
			name: detailName(name),
			value: excerpt(value, maxTextLength),
		})),
	);
	return (names, counts = () => true) => {
		for (const name of names)
			for (const some of details) {
				const found = some.filter((one) => one.name === name && counts(one.value));
				if (found.length > 0) return [...new Set(found.map(({ value }) => value))];
			}
		return [];
	};
}

/** When a local delivery is to come, if that is known: its day, and the time if that is on one day. */
function localWindow(
	{ fulfillmentOrder }: Order,
	timeZone: string,
): Pick<DeliveryDate, 'day' | 'time'> {
	const method = fulfillmentOrder?.delivery_method;
	if (method?.method_type !== 'local') return {};
	const [start, ...others] = [method.min_delivery_date_time, method.max_delivery_date_time]
		.map((time) => Date.parse(time ?? ''))
		.filter((time) => !Number.isNaN(time));
	if (start === undefined) return {};
	const day = dayAt(start, timeZone);
	const isOneDay = others.every((time) => dayAt(time, timeZone) === day);
	const clocks = new Set([start, ...others].map((time) => clockAt(time, timeZone)));
	return { day, time: isOneDay ? [...clocks].join(' to ') : undefined };
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
