import { z } from 'zod';

const numeric = z.preprocess(
	(value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
	z.number().finite(),
);
const identifier = z.union([z.string().min(1), z.number().transform(String)]);
const words = z.string();

/** Milliseconds since 1970 have 12 digits or more from 1973 on; seconds reach that in 5138. */
const firstMilliseconds = 1e11;

const routePrices = z.array(z.object({ id: identifier, price: numeric }).passthrough());

/** The events of the service: code, name and the documented payload (service document, section 6). */
export const events = {
	createTask: {
		code: 1,
		name: 'Delivery Created',
		description: 'A new delivery (task) was created',
		fields: { id: identifier, distance: numeric, price: numeric, currencySign: words },
	},
	createRoute: {
		code: 2,
		name: 'Route Created',
		description: 'A new route was created',
		fields: { route_id: identifier, distance: numeric, date: identifier, prices: routePrices },
	},
	updateTask: {
		code: 3,
		name: 'Delivery Updated',
		description: 'A field of a delivery (task), such as its status, was updated',
		fields: { id: identifier, status: words, company_id: identifier, city_id: identifier },
	},
} as const;

export type EventName = keyof typeof events;

/** The names of all events, in the order of their codes. */
export const eventNames = [
	'createTask',
	'createRoute',
	'updateTask',
] as const satisfies EventName[];

export const eventNameSchema = z.enum(eventNames);

/** The event with a code, or undefined for a code that the document does not name. */
export function eventOfCode(code: number): EventName | undefined {
	return eventNames.find((name) => events[name].code === code);
}

export interface ReadEvent {
	/** The payload with documented fields in their documented types and unknown fields as they came. */
	fields: Record<string, unknown>;
	/** What did not fit the document, a sentence each; such fields stay as they came. */
	issues: string[];
}

/**
 * Reads what the service posted for an event (section 6). Numbers that came as text become
 * numbers, a route's date gains `dateIso` (ISO 8601) beside its raw value. Nothing is dropped.
 */
export function readEvent(event: EventName, payload: Readonly<Record<string, unknown>>): ReadEvent {
	const fields: Record<string, unknown> = { ...payload };
	const issues: string[] = [];
	for (const [name, schema] of Object.entries<z.ZodTypeAny>(events[event].fields)) {
		if (payload[name] === undefined || payload[name] === null) {
			issues.push(`The field "${name}" is missing`);
			continue;
		}
		const result = schema.safeParse(payload[name]);
		if (result.success) fields[name] = result.data;
		else issues.push(`The field "${name}" is not what the service documents`);
	}
	if (event === 'createRoute' && typeof fields.date === 'string') {
		const dateIso = isoDate(fields.date);
		if (dateIso) fields.dateIso ??= dateIso;
		else issues.push('The field "date" is not a Unix timestamp');
	}
	return { fields, issues };
}

function isoDate(unixTimestamp: string): string | undefined {
	const value = unixTimestamp.trim() === '' ? NaN : Number(unixTimestamp);
	const date = new Date(value < firstMilliseconds ? value * 1000 : value);
	return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
