/** Values of any shape, e.g. parsed JSON: reads their fields, limits their size, splits lists. */
import { z } from 'zod/v4';

/** Parses JSON text; undefined when the text is not JSON. */
export function tryParseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return undefined;
	}
}

/** The value at a path, or undefined when there is none. */
export function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
	return path.reduce(fieldOf, root);
}

/** An own field of a value, never an inherited one. */
export function fieldOf(value: unknown, key: PropertyKey): unknown {
	if (typeof value !== 'object' || value === null) return undefined;
	return Object.getOwnPropertyDescriptor(value, key)?.value;
}

/**
 * An object with any fields, unchanged. `z.record` accepts only plain objects: it rejects the headers
 * of an HTTP client and content with a field "constructor".
 */
export const anyObject = z.custom<Record<string, unknown>>(
	(value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);

/** Whether a value has no more levels and values in it than allowed. */
export function isWithinLimits(value: unknown, maxLevels: number, maxValues = Infinity): boolean {
	let left = maxValues;
	const fits = (one: unknown, levels: number): boolean => {
		if (left-- <= 0) return false;
		if (typeof one !== 'object' || one === null) return true;
		return levels > 0 && Object.values(one).every((field) => fits(field, levels - 1));
	};
	return fits(value, maxLevels);
}

/** Splits entries into chunks of at most `size`. */
export function chunk<Entry>(entries: readonly Entry[], size: number): Entry[][] {
	const chunks: Entry[][] = [];
	for (let start = 0; start < entries.length; start += size)
		chunks.push(entries.slice(start, start + size));
	return chunks;
}
