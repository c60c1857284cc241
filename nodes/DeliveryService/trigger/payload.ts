import { eventNames, events, parseEvent, type EventName } from '../service/events';
import { anyObject, tryParseJson } from '../common/json';
import { hasLostCharacters } from '../common/text';

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

/** Deeper content is not an event: documented payloads have two levels (section 6). */
const maxDepth = 100;

/**
 * Reads the body of a call: one payload or a list of payloads (API document, section 6).
 *
 * @param body as n8n parsed it, from JSON or a form; or text that may be JSON
 * @param named the event in the called URL; without it, the fields decide, and an ambiguous payload
 *   is `unknown`
 * @returns undefined when the body contains no payload
 */
export function readBody(body: unknown, named?: EventName): EmittedEvent[] | undefined {
	const content = typeof body === 'string' ? tryParseJson(body) : body;
	if (isDeeperThan(content, maxDepth)) return undefined;
	const entries = (Array.isArray(content) ? content : [content]).filter(hasContent);
	if (!entries.some((entry) => anyObject.safeParse(entry).success)) return undefined;
	return entries.map((entry) => toEmittedEvent(entry, named));
}

/** Whether a body is empty or just a "ping", which a service may send to check the URL. */
export function hasNoEvent(body: unknown): boolean {
	if (typeof body === 'string') {
		const content = tryParseJson(body);
		return /^(ping)?$/i.test(body.trim()) || (content !== undefined && hasNoEvent(content));
	}
	if (Array.isArray(body)) return body.every(hasNoEvent);
	if (typeof body !== 'object') return body === undefined;
	if (body === null || Object.keys(body).length === 0) return true;
	return (
		!eventNames.some((event) => Object.keys(events[event].fields).some((field) => field in body)) &&
		isPing(body)
	);
}

function isPing(body: object): boolean {
	return Object.entries(body).some(
		([name, value]) => /^ping$/i.test(name) || (typeof value === 'string' && /^ping$/i.test(value)),
	);
}

function isDeeperThan(value: unknown, levels: number): boolean {
	if (typeof value !== 'object' || value === null) return false;
	return levels === 0 || Object.values(value).some((field) => isDeeperThan(field, levels - 1));
}

function hasContent(entry: unknown): boolean {
	if (entry === undefined || entry === null) return false;
	return typeof entry !== 'object' || Object.keys(entry).length > 0;
}

function toEmittedEvent(entry: unknown, named: EventName | undefined): EmittedEvent {
	const object = anyObject.safeParse(entry);
	if (!object.success)
		return {
			event: named ?? 'unknown',
			payload: entry,
			issues: ['This list entry is not an object'],
		};
	const payload = mergeListFields(object.data);
	const event = named ?? eventByShape(payload);
	const { fields, issues } = event
		? parseEvent(event, payload)
		: { fields: payload, issues: ['Neither the URL nor the fields identify the event'] };
	const unreadable = Object.entries(fields)
		.filter(([, value]) => hasLostCharacters(JSON.stringify(value) ?? ''))
		.map(([name]) => `The field "${name}" contains characters that are not UTF-8, shown as \uFFFD`);
	issues.push(...unreadable);
	const clashing = Object.keys(fields).filter((name) => reservedFields.has(name));
	if (clashing.length > 0)
		issues.push(
			`Payload fields with a reserved name are only in "payload": ${clashing.join(', ')}`,
		);
	return {
		event: event ?? 'unknown',
		...Object.fromEntries(Object.entries(fields).filter(([name]) => !reservedFields.has(name))),
		...(clashing.length > 0 && { payload: entry }),
		...(issues.length > 0 && { issues }),
	};
}

/** A field of a list entry in a form: `prices[0][price]`. */
const listFieldPattern = /^(\w+)\[(\d{1,4})\]\[(\w+)\]$/;

/** The payload with its lists, where a form contains them field by field. */
function mergeListFields(payload: Record<string, unknown>): Record<string, unknown> {
	const plainFields: Array<[string, unknown]> = [];
	const lists = new Map<string, Map<number, Array<[string, unknown]>>>();
	for (const [name, value] of Object.entries(payload)) {
		const [, list, position, field] = listFieldPattern.exec(name) ?? [];
		if (list === undefined || field === undefined || list in payload) {
			plainFields.push([name, value]);
			continue;
		}
		const entries = lists.get(list) ?? new Map<number, Array<[string, unknown]>>();
		const fields = entries.get(Number(position)) ?? [];
		lists.set(list, entries.set(Number(position), [...fields, [field, value]]));
	}
	const listFields = [...lists].map(([name, entries]): [string, unknown] => [
		name,
		[...entries].sort(([one], [other]) => one - other).map(([, fields]) => toRecord(fields)),
	]);
	return toRecord([...plainFields, ...listFields]);
}

function toRecord(fields: Array<[string, unknown]>): Record<string, unknown> {
	return Object.fromEntries(fields);
}

/**
 * The only event that a payload can be: the payload has its identifier and a field that no other
 * event has (section 6). Undefined if no event or several events match.
 */
function eventByShape(payload: Record<string, unknown>): EventName | undefined {
	const present = Object.keys(payload).filter(
		(name) => payload[name] !== undefined && payload[name] !== null,
	);
	const matching = eventNames.filter(
		(event) =>
			present.includes(events[event].identifier) &&
			present.some((field) => isUniqueTo(event, field)),
	);
	return matching.length === 1 ? matching[0] : undefined;
}

function isUniqueTo(event: EventName, field: string): boolean {
	return eventNames.every((one) => field in events[one].fields === (one === event));
}
