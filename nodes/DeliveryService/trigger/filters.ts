/** The filters of the trigger: their options, and which events pass. */
import { toList } from '../common/parameters';
import type { Problem } from '../common/result';
import { isSameStatus } from '../service/statuses';
import { readableText } from '../service/values';
import type { EmittedEvent } from './payload';

/** The options that filter updates by a field (docs/api.md, section 6). */
const filterOptions = [
	{ name: 'statuses', label: 'Only These Statuses', field: 'status' },
	{ name: 'companies', label: 'Only These Companies', field: 'company_id' },
	{ name: 'cities', label: 'Only These Cities', field: 'city_id' },
] as const;

/** The values that trigger the workflow, by option; an empty list accepts every value. */
export type Filters = Readonly<Record<(typeof filterOptions)[number]['name'], readonly string[]>>;

/** Reads the filters from the trigger's options. */
export function readFilters(options: Readonly<Record<string, unknown>>): Filters {
	const entries = (value: unknown) => toList(value).map((entry) => String(entry).trim());
	const { statuses, companies, cities } = options;
	return { statuses: entries(statuses), companies: entries(companies), cities: entries(cities) };
}

/** The problem with an entry that can never match: not a number, or several entries in one. */
export function invalidFilter(filters: Filters): Problem | undefined {
	for (const { name, label } of filterOptions) {
		const isStatus = name === 'statuses';
		const invalid = filters[name].find((entry) =>
			isStatus ? entry.includes(';') : !/^\d+$/.test(entry),
		);
		if (invalid !== undefined)
			return {
				message: `Delivery Service Trigger: invalid value "${invalid}" in the option ${label}`,
				description: `Enter a comma-separated list of ${isStatus ? 'statuses' : 'numeric IDs'}.`,
			};
	}
	return undefined;
}

/** Whether an event passes all filters. Other events than updates pass, and fields that are missing. */
export function passesFilters(event: EmittedEvent, filters: Filters): boolean {
	return (
		event.event !== 'updateTask' ||
		filterOptions.every(({ name, field }) => matchesAny(event[field], filters[name]))
	);
}

function matchesAny(value: unknown, accepted: readonly string[]): boolean {
	const text = readableText.parse(value);
	return (
		accepted.length === 0 || text === undefined || accepted.some((one) => isSameStatus(one, text))
	);
}
