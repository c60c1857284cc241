import { z } from 'zod/v4';

import { anyObject } from './json';
import type { Result } from './result';
import { isBlank } from './text';
import type { ParameterReader } from './parameterReader';

const collectionSchema = anyObject.catch({});

/** The members of a value, none when it is not an object. */
export function asRecord(value: unknown): Record<string, unknown> {
	return collectionSchema.parse(value);
}

/** The members that the user added to a collection. */
export function readCollection(
	parameters: ParameterReader,
	name: string,
	item: number,
): Record<string, unknown> {
	return asRecord(parameters.get(name, item, {}));
}

/** What a resource locator names: the choice in its list, or the value of an expression. */
export function located(value: unknown): unknown {
	const { mode, value: chosen } = asRecord(value);
	return mode === undefined ? value : chosen;
}

/** The entries that the user added to a repeatable group of fields. */
export function entriesOf(group: unknown, entry: string): Array<Record<string, unknown>> {
	const entries = asRecord(group)[entry];
	return z.array(collectionSchema).catch([]).parse(entries);
}

/** The members that are not empty: an empty field in the editor means "not given". */
export function filledIn(members: object): Record<string, unknown> {
	return Object.fromEntries(Object.entries(members).filter(([, value]) => !isBlank(value)));
}

/** A list from comma-separated text or from an array; empty entries are left out. */
export function listOf(value: unknown): unknown[] {
	const entries: unknown[] =
		typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [value];
	return entries.filter((entry) => !isBlank(entry));
}

/**
 * What a JSON field holds: the value of an expression, or the text in it parsed.
 *
 * @param label the field's name in the editor, for the message when it is empty or not JSON
 */
export function readJson(value: unknown, label: string): Result<unknown> {
	if (isBlank(value))
		return {
			ok: false,
			problem: {
				message: `${label} is empty`,
				description:
					'Fill it in. If it is filled in, the expression finds nothing in this item: drag the data from the input panel to make a new one.',
			},
		};
	if (typeof value !== 'string') return { ok: true, value };
	try {
		const parsed: unknown = JSON.parse(value);
		return { ok: true, value: parsed };
	} catch {
		return {
			ok: false,
			problem: {
				message: `${label} is not valid JSON`,
				description:
					'Check quotes, commas and brackets, or drag the data from the input panel to use an expression.',
			},
		};
	}
}
