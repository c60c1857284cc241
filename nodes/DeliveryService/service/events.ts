/** The events of the service: their names, codes and payloads. */
import { z } from 'zod/v4';

import { tryParseJson } from '../common/data';
import { number, textOrNumber as idField } from './values';

const textField = z.string();

/** In a form the list may be JSON text. A price that is not a plain number stays text. */
const routePrices = z.preprocess(
	(value) => (typeof value === 'string' ? tryParseJson(value) : value),
	z.array(z.looseObject({ id: idField, price: number.or(textField) })),
);

/** The names of all events, sorted by code. */
export const eventNames = ['createTask', 'createRoute', 'updateTask'] as const;

export const eventNameSchema = z.enum(eventNames);

export type EventName = z.infer<typeof eventNameSchema>;

interface ServiceEvent {
	code: number;
	/** The label in the editor. */
	name: string;
	/** When the event happens. */
	description: string;
	/** The documented fields of the payload. */
	fields: Readonly<Record<string, z.ZodType>>;
	/** The field with a Unix timestamp, if there is one: {@link isoField} has it as ISO 8601. */
	timestamp?: string;
}

/** The field that the trigger adds to the documented ones. */
const isoField = 'dateIso';

/** The events of the service and everything that differs between them (docs/api.md, section 6). */
export const events: Readonly<Record<EventName, ServiceEvent>> = {
	createTask: {
		code: 1,
		name: 'Delivery Created',
		description: 'A new delivery (task) was created',
		fields: { id: idField, distance: number, price: number, currencySign: textField },
	},
	createRoute: {
		code: 2,
		name: 'Route Created',
		description: 'A new route was created',
		fields: { route_id: idField, distance: number, date: idField, prices: routePrices },
		timestamp: 'date',
	},
	updateTask: {
		code: 3,
		name: 'Delivery Updated',
		description: 'A delivery (task) was updated, e.g. its status',
		fields: { id: idField, status: textField, company_id: idField, city_id: idField },
	},
};

/** The events as options of a parameter. */
export const eventOptions = eventNames.map((value) => {
	const { name, description } = events[value];
	return { name, value, description };
});

/** The event with a code; undefined for an undocumented code. */
export function eventForCode(code: number): EventName | undefined {
	return eventNames.find((name) => events[name].code === code);
}

/** The names of an event's documented fields, and of the one that is added to them. */
export function fieldNames(event: EventName): string[] {
	const { fields, timestamp } = events[event];
	return [...Object.keys(fields), ...(timestamp === undefined ? [] : [isoField])];
}

/** What a trigger is for unless its user selects other events. */
export const defaultEvents: readonly EventName[] = ['updateTask'];

/** The label of an event, for messages. */
export function eventLabel(code: number): string {
	const event = eventForCode(code);
	return event ? events[event].name : `Event ${code}`;
}

interface ParsedEvent {
	/** The payload: documented fields with their documented types, other fields unchanged. */
	fields: Record<string, unknown>;
	/** A sentence for each field that doesn't match the API document; such fields stay unchanged. */
	issues: string[];
}

/**
 * Parses the payload of an event (docs/api.md, section 6). Numeric text becomes a number, and a
 * timestamp gets an additional field in ISO 8601. No field is dropped.
 */
export function parseEvent(
	event: EventName,
	payload: Readonly<Record<string, unknown>>,
): ParsedEvent {
	const fields: Record<string, unknown> = { ...payload };
	const issues: string[] = [];
	const { fields: documented, timestamp } = events[event];
	for (const [name, schema] of Object.entries(documented)) {
		if (payload[name] === undefined || payload[name] === null) {
			issues.push(`The field "${name}" is missing`);
			continue;
		}
		const result = schema.safeParse(payload[name]);
		if (result.success) fields[name] = result.data;
		else issues.push(`The field "${name}" does not have its documented type`);
	}
	const time = timestamp === undefined ? undefined : fields[timestamp];
	if (typeof time === 'string') {
		const value = isoDate(time);
		if (value === undefined) issues.push(`The field "${timestamp}" is not a Unix timestamp`);
		else fields[isoField] ??= value;
	}
	return { fields, issues };
}

/** Milliseconds since 1970 have had 12 digits since 1973; seconds will have 12 digits in 5138. */
const minMilliseconds = 1e11;

function isoDate(unixTimestamp: string): string | undefined {
	const value = number.catch(NaN).parse(unixTimestamp);
	const date = new Date(value < minMilliseconds ? value * 1000 : value);
	return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
