import { createHash } from 'crypto';
import { z } from 'zod';

import { events, traits, type Trait } from '../service/events';
import type { EmittedEvent } from './payload';

/** Which events start the workflow; an empty list lets all of its kind through. */
export type Filters = Readonly<Record<Trait, readonly string[]>>;

/** Whether an event passes. One that does not tell a trait passes the filter for it. */
export function passes(event: EmittedEvent, filters: Filters): boolean {
	if (event.event === 'unknown') return true;
	const { traits: fields } = events[event.event];
	return traits.every((trait) => {
		const field = fields[trait];
		return field === undefined || isAmong(event[field], filters[trait]);
	});
}

function isAmong(value: unknown, accepted: readonly string[]): boolean {
	if (accepted.length === 0 || (typeof value !== 'string' && typeof value !== 'number'))
		return true;
	const plain = String(value).trim().toLowerCase();
	return accepted.some((one) => one.trim().toLowerCase() === plain);
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
