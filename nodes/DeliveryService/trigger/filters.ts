import { events, filterTraits, type FilterTrait } from '../service/events';
import type { Problem } from '../common/result';
import { toList } from '../common/parameters';
import type { EmittedEvent } from './payload';

/** Which events start the workflow; an empty list lets all of its kind through. */
export type Filters = Readonly<Record<FilterTrait, readonly string[]>>;

/** How each filter is called in the editor, and what its entries are. */
const filterLabels: Readonly<Record<FilterTrait, string>> = {
	status: 'Only These Statuses',
	company: 'Only These Companies',
	city: 'Only These Cities',
};

/** The filters from what the user entered. */
export function readFilters(given: Readonly<Record<FilterTrait, unknown>>): Filters {
	const { status, company, city } = given;
	return {
		status: filterEntries(status),
		company: filterEntries(company),
		city: filterEntries(city),
	};
}

/** What is wrong with filters: an entry can never match, since it is no number, or several in one. */
export function invalidFilter(filters: Filters): Problem | undefined {
	for (const trait of filterTraits) {
		const odd = filters[trait].find((entry) =>
			trait === 'status' ? entry.includes(';') : !/^\d+$/.test(entry),
		);
		if (odd === undefined) continue;
		const kind = trait === 'status' ? 'statuses' : 'numbers';
		return {
			message: `The Delivery Service Trigger cannot read "${odd}" in its option ${filterLabels[trait]}`,
			description: `Enter ${kind} separated by commas.`,
		};
	}
	return undefined;
}

function filterEntries(value: unknown): string[] {
	return toList(value).map((entry) => String(entry).trim());
}

/** Whether an event passes. One that does not tell a trait passes the filter for it. */
export function passesFilters(event: EmittedEvent, filters: Filters): boolean {
	if (event.event === 'unknown') return true;
	const { traits: fields } = events[event.event];
	return filterTraits.every((trait) => {
		const field = fields[trait];
		return field === undefined || matchesAny(event[field], filters[trait], normalizers[trait]);
	});
}

function matchesAny(
	value: unknown,
	accepted: readonly string[],
	plain: (text: string) => string,
): boolean {
	if (accepted.length === 0 || (typeof value !== 'string' && typeof value !== 'number'))
		return true;
	const told = plain(String(value));
	return accepted.some((one) => plain(one) === told);
}

/** What is the same in another spelling: "Pending Review" and "pending_review", 08 and 8. */
const normalizers: Readonly<Record<FilterTrait, (text: string) => string>> = {
	status: (text) =>
		text
			.trim()
			.toLowerCase()
			.replaceAll(/[\s_-]+/g, ' '),
	company: withoutLeadingZeros,
	city: withoutLeadingZeros,
};

function withoutLeadingZeros(text: string): string {
	return text
		.trim()
		.toLowerCase()
		.replace(/^0+(?=\d)/, '');
}
