import { z } from 'zod';

import { events, readEvent, type EventName } from '../service/events';

/** An event as the trigger emits it: what happened, then the payload's fields. */
export interface EmittedEvent {
	event: EventName | 'unknown';
	eventCode: number | null;
	/** Only when something did not fit the service's document. */
	issues?: string[];
	[field: string]: unknown;
}

const objectSchema = z.record(z.unknown());

/**
 * Reads the body of a call: one payload, or a list of them.
 *
 * @param named the event that the called address names; without it the payload's shape decides,
 *   and where that leaves a doubt the event is `unknown`
 * @returns undefined when there is no payload in it at all
 */
export function readBody(body: unknown, named?: EventName): EmittedEvent[] | undefined {
	const content = typeof body === 'string' ? parsed(body) : body;
	const payloads = (Array.isArray(content) ? content : [content]).flatMap((entry) => {
		const payload = objectSchema.safeParse(entry);
		return payload.success && Object.keys(payload.data).length > 0 ? [payload.data] : [];
	});
	if (payloads.length === 0) return undefined;
	return payloads.map((payload) => emitted(payload, named ?? eventByShape(payload)));
}

function parsed(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

function emitted(payload: Record<string, unknown>, event: EventName | undefined): EmittedEvent {
	if (!event)
		return {
			...payload,
			event: 'unknown',
			eventCode: null,
			issues: ['Neither the address nor the fields tell which event this is'],
		};
	const { fields, issues } = readEvent(event, payload);
	return {
		event,
		eventCode: events[event].code,
		...fields,
		...(issues.length > 0 && { issues }),
	};
}

/** The one event whose documented fields a payload has and no other event has (section 6). */
function eventByShape(payload: Record<string, unknown>): EventName | undefined {
	const has = (field: string) => field in payload;
	const fitting: EventName[] = [];
	if (has('route_id')) fitting.push('createRoute');
	if (has('id') && has('status')) fitting.push('updateTask');
	if (has('id') && has('currencySign')) fitting.push('createTask');
	return fitting.length === 1 ? fitting[0] : undefined;
}
