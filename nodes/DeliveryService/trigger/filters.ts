import { createHash } from 'crypto';
import { z } from 'zod';

import type { EmittedEvent } from './payload';

/** Which update-task events start the workflow; an empty list lets all of its kind through. */
export interface Filters {
	statuses: readonly string[];
	companies: readonly string[];
	cities: readonly string[];
}

/**
 * Whether an event passes. Only update-task events carry status, company and city (service
 * document, section 6), so other events always pass, and so does one that lacks the field.
 */
export function passes(event: EmittedEvent, { statuses, companies, cities }: Filters): boolean {
	if (event.event !== 'updateTask') return true;
	return (
		isAmong(event.status, statuses) &&
		isAmong(event.company_id, companies) &&
		isAmong(event.city_id, cities)
	);
}

function isAmong(value: unknown, wanted: readonly string[]): boolean {
	if (wanted.length === 0 || (typeof value !== 'string' && typeof value !== 'number')) return true;
	const plain = String(value).trim().toLowerCase();
	return wanted.some((one) => one.trim().toLowerCase() === plain);
}

/** The events seen lately, by the hash of their content, with the time in milliseconds. */
const seenSchema = z.record(z.number()).catch({});

/** More than that are not remembered: the memory is part of the workflow's stored data. */
const mostRemembered = 1000;

/**
 * Leaves out events whose event and content were seen before within a time, and remembers the
 * others.
 *
 * @param memory where the seen events are kept between calls, under `seen`
 * @param withinMs the time; with 0 nothing is left out and nothing remembered
 * @param now milliseconds since 1970
 */
export function withoutRepeats(
	received: readonly EmittedEvent[],
	memory: Record<string, unknown>,
	withinMs: number,
	now: number,
): EmittedEvent[] {
	if (withinMs <= 0) return [...received];
	const recent = Object.entries(seenSchema.parse(memory.seen)).filter(
		([, at]) => now - at < withinMs,
	);
	const seen = new Map(recent);
	const fresh = received.filter((event) => {
		const key = fingerprint(event);
		if (seen.has(key)) return false;
		seen.set(key, now);
		return true;
	});
	if (fresh.length > 0) memory.seen = Object.fromEntries([...seen].slice(-mostRemembered));
	return fresh;
}

function fingerprint(event: EmittedEvent): string {
	return createHash('sha256')
		.update(JSON.stringify(sorted(event)))
		.digest('base64url')
		.slice(0, 22);
}

/** The value with object members in one order, so that equal content has equal text. */
function sorted(value: unknown): unknown {
	if (Array.isArray(value)) return value.map(sorted);
	if (typeof value !== 'object' || value === null) return value;
	return Object.fromEntries(
		Object.entries(value)
			.sort(([one], [other]) => (one < other ? -1 : 1))
			.map(([name, member]) => [name, sorted(member)]),
	);
}
