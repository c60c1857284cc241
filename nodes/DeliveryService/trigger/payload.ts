/** The body of a call, read as events. */
import { z } from 'zod/v4';

import { anyObject, isWithinLimits } from '../common/data';
import { parseEvent, type EventName } from '../service/events';

/** An event as the trigger outputs it: the event, then the payload's fields. */
export interface EmittedEvent {
	event: EventName | 'unknown';
	/** Only if the payload deviates from the API document. */
	issues?: string[];
	/** The unchanged payload, only if its fields alone would not show all of it. */
	payload?: unknown;
	[field: string]: unknown;
}

/** The trigger's own fields, which a payload's fields with these names must not replace. */
const reservedFields = new Set(['event', 'issues']);

/**
 * Content that is deeper or has more values is not an event: documented payloads have two levels, and
 * three values per delivery of a route (docs/api.md, section 6). n8n runs out of memory with some millions
 * of values, which fit into its limit for bodies.
 */
const maxLevels = 20;
const maxValues = 100_000;

const payloadsSchema = z.array(anyObject);

/**
 * Reads the body of a call: one payload, or a list of payloads (docs/api.md, section 6). Takes time in
 * proportion to its size.
 *
 * @param body parsed JSON, or the fields of a form
 * @param event the event in the called URL; without it, the payloads are passed on as they are
 * @returns none for empty objects and lists; undefined when the body is neither, or too large
 */
export function readEvents(body: unknown, event?: EventName): EmittedEvent[] | undefined {
	if (!isWithinLimits(body, maxLevels, maxValues)) return undefined;
	const payloads = payloadsSchema.safeParse(Array.isArray(body) ? body : [body]);
	return payloads.data
		?.filter((payload) => Object.keys(payload).length > 0)
		.map((payload) => toEmittedEvent(payload, event));
}

function toEmittedEvent(
	payload: Record<string, unknown>,
	event: EventName | undefined,
): EmittedEvent {
	const { fields, issues } = event
		? parseEvent(event, payload)
		: { fields: payload, issues: ['The URL does not name the event'] };
	const clashing = Object.keys(fields).filter((name) => reservedFields.has(name));
	if (clashing.length > 0)
		issues.push(
			`Payload fields with a reserved name are only in "payload": ${clashing.join(', ')}`,
		);
	return {
		event: event ?? 'unknown',
		...Object.fromEntries(Object.entries(fields).filter(([name]) => !reservedFields.has(name))),
		...(clashing.length > 0 && { payload }),
		...(issues.length > 0 && { issues }),
	};
}
