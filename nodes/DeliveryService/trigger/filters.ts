import { events, filterTraits, type FilterTrait } from '../service/events';
import type { Problem } from '../common/result';
import { toList } from '../common/parameters';
import type { EmittedEvent } from './payload';

/** The values that trigger the workflow, by trait; an empty list accepts every value. */
export type Filters = Readonly<Record<FilterTrait, readonly string[]>>;

const filterOptionLabels: Readonly<Record<FilterTrait, string>> = {
	status: 'Only These Statuses',
	company: 'Only These Companies',
	city: 'Only These Cities',
};

/** Reads the filters from the values of the options. */
export function readFilters(values: Readonly<Record<FilterTrait, unknown>>): Filters {
	const { status, company, city } = values;
	return {
		status: filterEntries(status),
		company: filterEntries(company),
		city: filterEntries(city),
	};
}

/** The problem with an entry that can never match: not a number, or several entries in one. */
export function invalidFilter(filters: Filters): Problem | undefined {
	for (const trait of filterTraits) {
		const invalid = filters[trait].find((entry) =>
			trait === 'status' ? entry.includes(';') : !/^\d+$/.test(entry),
		);
		if (invalid === undefined) continue;
		const entryKind = trait === 'status' ? 'statuses' : 'numeric IDs';
		return {
			message: `Delivery Service Trigger: invalid value "${invalid}" in the option ${filterOptionLabels[trait]}`,
			description: `Enter a comma-separated list of ${entryKind}.`,
		};
	}
	return undefined;
}

function filterEntries(value: unknown): string[] {
	return toList(value).map((entry) => String(entry).trim());
}

/** Whether an event passes all filters. An event without a trait passes the filter for it. */
export function passesFilters(event: EmittedEvent, filters: Filters): boolean {
	if (event.event === 'unknown') return true;
	const { traits: fields } = events[event.event];
	return filterTraits.every((trait) => {
		const field = fields[trait];
		return field === undefined || matchesAny(event[field], filters[trait]);
	});
}

function matchesAny(value: unknown, accepted: readonly string[]): boolean {
	if (accepted.length === 0 || (typeof value !== 'string' && typeof value !== 'number'))
		return true;
	return accepted.some((one) => normalize(one) === normalize(String(value)));
}

/** Makes equal spellings equal text: "Pending Review" and "pending_review". */
function normalize(text: string): string {
	return text
		.trim()
		.toLowerCase()
		.replaceAll(/[\s_-]+/g, ' ');
}
