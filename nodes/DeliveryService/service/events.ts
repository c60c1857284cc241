import { z } from 'zod/v4';

import { tryParseJson } from '../common/json';

const numberField = z.preprocess(
	(value) => (typeof value === 'string' && value.trim() !== '' ? Number(value) : value),
	z.number(),
);
const idField = z.union([z.string().min(1), z.number().transform(String)]);
const textField = z.string();

/** A form may give the list as JSON text. */
const routePrices = z.preprocess(
	(value) => (typeof value === 'string' ? tryParseJson(value) : value),
	z.array(z.looseObject({ id: idField, price: numberField })),
);

/** The names of all events, in the order of their codes. */
export const eventNames = ['createTask', 'createRoute', 'updateTask'] as const;

export const eventNameSchema = z.enum(eventNames);

export type EventName = z.infer<typeof eventNameSchema>;

/** What payloads of one event can be told apart by. */
export const filterTraits = ['status', 'company', 'city'] as const;

export type FilterTrait = (typeof filterTraits)[number];

interface ServiceEvent {
	code: number;
	/** What a person calls it, and when it happens. */
	name: string;
	description: string;
	/** The documented payload. */
	fields: Readonly<Record<string, z.ZodType>>;
	/** The field that names the delivery or route. */
	identifier: string;
	/** A field that is added because the one that it is read from can hardly be used as it comes. */
	derived?: {
		name: string;
		from: string;
		/** What `from` must be to be read, for the sentence that it is not. */
		kind: string;
		read: (value: string) => string | undefined;
	};
	/** The fields that tell these traits. */
	traits: Readonly<Partial<Record<FilterTrait, string>>>;
}

/** The events of the service and all that differs between them (service document, section 6). */
export const events: Readonly<Record<EventName, ServiceEvent>> = {
	createTask: {
		code: 1,
		name: 'Delivery Created',
		description: 'A new delivery (task) was created',
		fields: { id: idField, distance: numberField, price: numberField, currencySign: textField },
		identifier: 'id',
		traits: {},
	},
	createRoute: {
		code: 2,
		name: 'Route Created',
		description: 'A new route was created',
		fields: { route_id: idField, distance: numberField, date: idField, prices: routePrices },
		identifier: 'route_id',
		derived: { name: 'dateIso', from: 'date', kind: 'a Unix timestamp', read: isoDate },
		traits: {},
	},
	updateTask: {
		code: 3,
		name: 'Delivery Updated',
		description: 'A field of a delivery (task), such as its status, was updated',
		fields: { id: idField, status: textField, company_id: idField, city_id: idField },
		identifier: 'id',
		traits: { status: 'status', company: 'company_id', city: 'city_id' },
	},
};

/**
 * The events as a picker shows them. Each lists its fields: for triggers, n8n shows none before the
 * first event.
 */
export const eventOptions = eventNames.map((value) => {
	const { name, description, fields, derived: added } = events[value];
	const names = [...Object.keys(fields), ...(added ? [added.name] : [])];
	return { name, value, description: `${description}. Gives ${names.join(', ')}.` };
});

/** The event with a code, or undefined for a code that the document does not name. */
export function eventForCode(code: number): EventName | undefined {
	return eventNames.find((name) => events[name].code === code);
}

export interface ParsedEvent {
	/** The payload with documented fields in their documented types and unknown fields as they came. */
	fields: Record<string, unknown>;
	/** What did not fit the document, a sentence each; such fields stay as they came. */
	issues: string[];
}

/**
 * Reads what the service posted for an event (section 6). Numbers that came as text become
 * numbers, a route's date gains `dateIso` (ISO 8601) beside its raw value. Nothing is dropped.
 */
export function parseEvent(event: EventName, payload: Readonly<Record<string, unknown>>): ParsedEvent {
	const fields: Record<string, unknown> = { ...payload };
	const issues: string[] = [];
	for (const [name, schema] of Object.entries(events[event].fields)) {
		if (payload[name] === undefined || payload[name] === null) {
			issues.push(`The field "${name}" is missing`);
			continue;
		}
		const result = schema.safeParse(payload[name]);
		if (result.success) fields[name] = result.data;
		else issues.push(`The field "${name}" is not what the service documents`);
	}
	const { derived: added } = events[event];
	const source = added && fields[added.from];
	if (added && typeof source === 'string') {
		const value = added.read(source);
		if (value === undefined) issues.push(`The field "${added.from}" is not ${added.kind}`);
		else fields[added.name] ??= value;
	}
	return { fields, issues };
}

/** Milliseconds since 1970 have 12 digits or more from 1973 on; seconds reach that in 5138. */
const firstMilliseconds = 1e11;

function isoDate(unixTimestamp: string): string | undefined {
	const value = unixTimestamp.trim() === '' ? NaN : Number(unixTimestamp);
	const date = new Date(value < firstMilliseconds ? value * 1000 : value);
	return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
