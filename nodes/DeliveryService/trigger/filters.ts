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
