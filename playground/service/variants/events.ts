import { z } from 'zod';

import type { Call } from '../shapes';
import type { ServiceVariant } from './variant';

const payloadShape = z.record(z.unknown());

function jsonCall(payload: unknown): Call {
	return {
		method: 'POST',
		headers: { 'Content-Type': 'application/json' },
		body: JSON.stringify(payload),
	};
}

function formCall(payload: unknown): Call {
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

/** Turns numbers into text, and text that consists of digits into numbers. */
function swapTypes(payload: unknown): unknown {
	if (Array.isArray(payload)) return payload.map(swapTypes);
	if (typeof payload === 'number') return String(payload);
	if (typeof payload === 'string') return /^\d{1,9}$/.test(payload) ? Number(payload) : payload;
	if (typeof payload !== 'object' || payload === null) return payload;
	return Object.fromEntries(
		Object.entries(payload).map(([name, value]) => [name, swapTypes(value)]),
	);
}

/** Variants of calling subscribers about events (section 6). */
export const eventVariants: Readonly<Record<string, ServiceVariant>> = {
	'event-form': {
		description: 'Posts events as form data instead of JSON.',
		eventCalls: (payload) => [formCall(payload)],
	},
	'event-other-types': {
		description: 'Posts the numbers of an event as text, and its IDs of digits as numbers.',
		eventCalls: (payload) => [jsonCall(swapTypes(payload))],
	},
	'event-list': {
		description: 'Posts an event as a list with one entry.',
		eventCalls: (payload) => [jsonCall([payload])],
	},
	'event-extra-fields': {
		description: 'Posts events with undocumented fields.',
		eventCalls: (payload) => [
			jsonCall({ ...payloadShape.parse(payload), event: 'task', version: 2, extra: { a: [1] } }),
		],
	},
	'event-twice': {
		description: 'Posts every event twice.',
		eventCalls: (payload) => [jsonCall(payload), jsonCall(payload)],
	},
	'event-only-200': {
		description: 'Blacklists a URL that responds to an event with anything but 200.',
		acceptsStatus: (status) => status === 200,
	},
};
