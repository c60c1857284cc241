import type { Problem } from '../common/result';
import { toList } from '../common/parameters';
import type { EmittedEvent } from './payload';

/** The fields of updates that can be filtered (API document, section 6), with the options' labels. */
const filtered = {
	status: { field: 'status', label: 'Only These Statuses' },
	company: { field: 'company_id', label: 'Only These Companies' },
	city: { field: 'city_id', label: 'Only These Cities' },
} as const;

type Filter = keyof typeof filtered;

const filterNames = ['status', 'company', 'city'] as const;

/** The values that trigger the workflow, by filter; an empty list accepts every value. */
export type Filters = Readonly<Record<Filter, readonly string[]>>;

/** Reads the filters from the values of the options. */
export function readFilters({ status, company, city }: Record<Filter, unknown>): Filters {
	const entries = (value: unknown) => toList(value).map((entry) => String(entry).trim());
	return { status: entries(status), company: entries(company), city: entries(city) };
}

/** The problem with an entry that can never match: not a number, or several entries in one. */
export function invalidFilter(filters: Filters): Problem | undefined {
	for (const name of filterNames) {
		const isStatus = name === 'status';
		const invalid = filters[name].find((entry) =>
			isStatus ? entry.includes(';') : !/^\d+$/.test(entry),
		);
		if (invalid !== undefined)
			return {
				message: `Delivery Service Trigger: invalid value "${invalid}" in the option ${filtered[name].label}`,
				description: `Enter a comma-separated list of ${isStatus ? 'statuses' : 'numeric IDs'}.`,
			};
	}
	return undefined;
}

/** Whether an event passes all filters. Other events than updates pass, and fields that are missing. */
export function passesFilters(event: EmittedEvent, filters: Filters): boolean {
	return (
		event.event !== 'updateTask' ||
		filterNames.every((name) => matchesAny(event[filtered[name].field], filters[name]))
	);
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
