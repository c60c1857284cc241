/*
 * Ways to read what the service's document leaves open ("not shown", contradictory, or silent). The
 * local service acts one of them at a time (`npm run service -- --reading <name>`, or over its
 * control); without one it does as openapi.yaml says.
 */
import { z } from 'zod';

import { creatingReadings } from './creating';
import { eventReadings } from './events';
import type { Reading } from './reading';
import { bare, everywhere, saying } from './reading';
import { updatingReadings } from './updating';
import { webhookReadings } from './webhooks';

/** Readings that concern every endpoint (sections 5 and 7). */
const generalReadings: Readonly<Record<string, Reading>> = {
	'all-401': {
		says: 'Every request is answered 401.',
		...everywhere(saying(401, 'UNAUTHORIZED', 'The key was revoked')),
	},
	'all-403': {
		says: 'Every request is answered 403.',
		...everywhere(saying(403, 'FORBIDDEN', 'The account is suspended')),
	},
	'all-404': {
		says: 'Every request is answered 404.',
		...everywhere(saying(404, 'NOT_FOUND', 'The company is not known')),
	},
	'all-404-page': {
		says: 'Every request is answered 404 with an HTML page: the Base URL leads elsewhere.',
		...everywhere({
			status: 404,
			body: '<!doctype html><title>Not Found</title>',
			headers: { 'Content-Type': 'text/html; charset=utf-8' },
		}),
	},
	'all-308': {
		says: 'Every request is answered 308: the service has moved.',
		...everywhere(bare(308, { Location: 'https://new.delivery-service.example/' })),
	},
	'all-500': {
		says: 'Every request is answered 500.',
		...everywhere(saying(500, 'INTERNAL', 'The database is locked')),
	},
	'all-503': {
		says: 'Every request is answered 503 with a Retry-After of 3,000 seconds.',
		...everywhere({
			...saying(503, 'MAINTENANCE', 'Back in an hour'),
			headers: { 'Retry-After': '3000' },
		}),
	},
	'all-html': {
		says: 'Every request is answered 200 with an HTML page: another program stands before the service.',
		...everywhere({
			status: 200,
			body: '<!doctype html><title>Log in</title>',
			headers: { 'Content-Type': 'text/html; charset=utf-8' },
		}),
	},
};

/** Every reading, by its name. */
export const readings: Readonly<Record<string, Reading>> = {
	...creatingReadings,
	...updatingReadings,
	...webhookReadings,
	...eventReadings,
	...generalReadings,
};

/** The name of a reading, or null for what openapi.yaml says. */
export const readingNameSchema = z
	.string()
	.refine(
		(name) => Object.hasOwn(readings, name),
		(name) => ({
			message: `There is no reading "${name}"; they are: ${Object.keys(readings).join(', ')}`,
		}),
	)
	.nullable();

/** A reading that is acted, with what it must remember of the requests so far. */
export interface ActiveReading extends Partial<Reading> {
	/** Whether the same request came before, since the reading was chosen; from then on it has. */
	readonly cameBefore: (request: unknown) => boolean;
}

/** Begins to act a reading; null: as openapi.yaml says. */
export function actReading(name: string | null): ActiveReading {
	const seen = new Set<string>();
	return {
		...(name === null ? {} : readings[name]),
		cameBefore: (request) => {
			const key = JSON.stringify(request);
			const came = seen.has(key);
			seen.add(key);
			return came;
		},
	};
}
