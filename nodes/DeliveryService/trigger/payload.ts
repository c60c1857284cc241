import { eventNames, events, parseEvent, type EventName } from '../service/events';
import { anyObject, tryParseJson } from '../common/json';

/** An event as the trigger emits it: what happened, then the payload's fields. */
export interface EmittedEvent {
	event: EventName | 'unknown';
	eventCode: number | null;
	/** Only when something did not fit the service's document. */
	issues?: string[];
	/** The payload as it came, only when its fields alone would not show all of it. */
	payload?: unknown;
	[field: string]: unknown;
}

/** What an emitted event says of itself; a payload's fields of these names would be mistaken for it. */
const reservedFields = new Set(['event', 'eventCode', 'issues']);

/** Deeper than that, content is no event: the documented ones have two levels (section 6). */
const maxDepth = 100;

/**
 * Reads the body of a call: one payload, or a list of them (service document, section 6).
 *
 * @param body what n8n made of it, from JSON or a form; or text that may be JSON
 * @param named the event that the called address names; without it the payload's shape decides,
 *   and where that leaves a doubt the event is `unknown`
 * @returns undefined when there is no payload in it at all
 */
export function readBody(body: unknown, named?: EventName): EmittedEvent[] | undefined {
	const content = typeof body === 'string' ? tryParseJson(body) : body;
	if (isDeeperThan(content, maxDepth)) return undefined;
	const entries = (Array.isArray(content) ? content : [content]).filter(hasContent);
	if (!entries.some((entry) => anyObject.safeParse(entry).success)) return undefined;
	return entries.map((entry) => toEmittedEvent(entry, named));
}

/**
 * Whether a body is without content, or a mere "ping": what a service sends that tries out whether
 * an address answers.
 */
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
	return levels === 0 || Object.values(value).some((member) => isDeeperThan(member, levels - 1));
}

function hasContent(entry: unknown): boolean {
	if (entry === undefined || entry === null) return false;
	return typeof entry !== 'object' || Object.keys(entry).length > 0;
}

function toEmittedEvent(entry: unknown, named: EventName | undefined): EmittedEvent {
	const object = anyObject.safeParse(entry);
	if (!object.success)
		return {
			...eventAndCode(named),
			payload: entry,
			issues: ['This entry of the list is not an object'],
		};
	const payload = mergeListFields(object.data);
	const event = named ?? eventByShape(payload);
	const { fields, issues } = event
		? parseEvent(event, payload)
		: { fields: payload, issues: ['Neither the address nor the fields tell which event this is'] };
	const clashing = Object.keys(fields).filter((name) => reservedFields.has(name));
	if (clashing.length > 0)
		issues.push(`Fields of the payload named ${clashing.join(', ')} are found under "payload"`);
	return {
		...eventAndCode(event),
		...Object.fromEntries(Object.entries(fields).filter(([name]) => !reservedFields.has(name))),
		...(clashing.length > 0 && { payload: entry }),
		...(issues.length > 0 && { issues }),
	};
}

function eventAndCode(event: EventName | undefined): Pick<EmittedEvent, 'event' | 'eventCode'> {
	return { event: event ?? 'unknown', eventCode: event ? events[event].code : null };
}

/** A field of a list's entry, as forms name it: `prices[0][price]`. */
const listFieldPattern = /^(\w+)\[(\d{1,4})\]\[(\w+)\]$/;

/** The payload with lists as lists, where a form gave them field by field. */
function mergeListFields(payload: Record<string, unknown>): Record<string, unknown> {
	const single: Array<[string, unknown]> = [];
	const lists = new Map<string, Map<number, Array<[string, unknown]>>>();
	for (const [name, value] of Object.entries(payload)) {
		const [, list, position, field] = listFieldPattern.exec(name) ?? [];
		if (list === undefined || field === undefined || list in payload) {
			single.push([name, value]);
			continue;
		}
		const entries = lists.get(list) ?? new Map<number, Array<[string, unknown]>>();
		const fields = entries.get(Number(position)) ?? [];
		lists.set(list, entries.set(Number(position), [...fields, [field, value]]));
	}
	const built = [...lists].map(([name, entries]): [string, unknown] => [
		name,
		[...entries].sort(([one], [other]) => one - other).map(([, fields]) => toRecord(fields)),
	]);
	return toRecord([...single, ...built]);
}

function toRecord(fields: Array<[string, unknown]>): Record<string, unknown> {
	return Object.fromEntries(fields);
}

/**
 * The one event that a payload can be: it has the identifier and a field that no other event has
 * (section 6). Undefined when none or several can be meant.
 */
function eventByShape(payload: Record<string, unknown>): EventName | undefined {
	const given = Object.keys(payload).filter(
		(name) => payload[name] !== undefined && payload[name] !== null,
	);
	const fitting = eventNames.filter(
		(event) =>
			given.includes(events[event].identifier) && given.some((field) => isUniqueTo(event, field)),
	);
	return fitting.length === 1 ? fitting[0] : undefined;
}

function isUniqueTo(event: EventName, field: string): boolean {
	return eventNames.every((one) => field in events[one].fields === (one === event));
}
