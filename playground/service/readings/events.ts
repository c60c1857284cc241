import { z } from 'zod';

import type { Call } from '../shapes';
import type { Reading } from './reading';

const payloadShape = z.record(z.unknown());

function asJson(payload: unknown): Call {
	return {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify(payload),
	};
}

function asForm(payload: unknown): Call {
	const entries = Object.entries(payloadShape.catch({}).parse(payload));
	const fields = entries.map(([name, value]): [string, string] => [
		name,
		typeof value === 'string' ? value : JSON.stringify(value),
	]);
	return {
		method: 'POST',
		headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
		body: new URLSearchParams(fields).toString(),
	};
}

/** Numbers become text and texts of digits become numbers, where the document has it otherwise. */
function otherTypes(payload: unknown): unknown {
	if (Array.isArray(payload)) return payload.map(otherTypes);
	if (typeof payload === 'number') return String(payload);
	if (typeof payload === 'string') return /^\d{1,9}$/.test(payload) ? Number(payload) : payload;
	if (typeof payload !== 'object' || payload === null) return payload;
	return Object.fromEntries(
		Object.entries(payload).map(([name, value]) => [name, otherTypes(value)]),
	);
}

/** Readings of the calls that events make (section 6). */
export const eventReadings: Readonly<Record<string, Reading>> = {
	'event-form': {
		says: 'An event is posted as a form in place of JSON.',
		posts: (payload) => [asForm(payload)],
	},
	'event-other-types': {
		says: 'Numbers of an event are text, and texts of digits are numbers.',
		posts: (payload) => [asJson(otherTypes(payload))],
	},
	'event-list': {
		says: 'An event is posted as a list with one entry.',
		posts: (payload) => [asJson([payload])],
	},
	'event-more-members': {
		says: 'An event has members that the document does not name.',
		posts: (payload) => [
			asJson({ ...payloadShape.parse(payload), event: 'task', version: 2, extra: { a: [1] } }),
		],
	},
	'event-twice': {
		says: 'An event is posted twice.',
		posts: (payload) => [asJson(payload), asJson(payload)],
	},
	'event-only-200': {
		says: 'A URL that answers an event with anything but 200 is blacklisted.',
		accepts: (status) => status === 200,
	},
};
