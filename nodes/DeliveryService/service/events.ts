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
}

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
 * Parses the payload of an event (docs/api.md, section 6). Numeric text becomes a number, and a route's
 * date gets an additional field `dateIso` (ISO 8601). No field is dropped.
 */
export function parseEvent(
	event: EventName,
	payload: Readonly<Record<string, unknown>>,
): ParsedEvent {
	const fields: Record<string, unknown> = { ...payload };
	const issues: string[] = [];
	for (const [name, schema] of Object.entries(events[event].fields)) {
		if (payload[name] === undefined || payload[name] === null) {
			issues.push(`The field "${name}" is missing`);
			continue;
		}
		const result = schema.safeParse(payload[name]);
		if (result.success) fields[name] = result.data;
		else issues.push(`The field "${name}" does not have its documented type`);
	}
	if (event === 'createRoute' && typeof fields.date === 'string') {
		const value = isoDate(fields.date);
		if (value === undefined) issues.push('The field "date" is not a Unix timestamp');
		else fields.dateIso ??= value;
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
